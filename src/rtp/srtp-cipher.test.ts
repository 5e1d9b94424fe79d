import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { deriveSessionKeys, GcmCipher, Keystream } from './srtp-cipher.ts';

const hex = (text: string) => Buffer.from(text.replaceAll(/\s/g, ''), 'hex');

/** The first blocks of the stream of the first packet of SSRC 0. */
function firstBlocks(key: string, bytes: number): Buffer {
  const stream = Buffer.alloc(bytes);
  const salt = hex('F0F1F2F3F4F5F6F7F8F9FAFBFCFD');
  new Keystream(hex(key), salt).xor(Buffer.alloc(bytes), 0, bytes, stream, 0, 0);
  return stream;
}

describe('the ciphers of SRTP', () => {
  it('make the keystream of RFC 3711 appendix B.2', () => {
    const stream = firstBlocks('2B7E151628AED2A6ABF7158809CF4F3C', 0xff02 * 16);
    const first = 'E03EAD0935C95E80E166B16DD92B4EB4 D23513162B02D0F72A43A2FE4A5F97AB 41E95B3BB0A2E8DD477901E4FCA894C0';
    assert.deepEqual(stream.subarray(0, 48), hex(first));
    const last = 'EC8CDF7398607CB0F2D21675EA9EA1E4 362B7C3C6773516318A077D7FC5073AE 6A2CC3787889374FBEB4C81B17BA6C44';
    assert.deepEqual(stream.subarray(-48), hex(last));
  });

  it('derive the keys of RFC 3711 appendix B.3', () => {
    const keys = deriveSessionKeys(hex('E1F97A0D3E018BE0D64FA32C06DE4139'), hex('0EC675AD498AFEEBB6960B3AABE6'), 'rtp');
    assert.deepEqual(keys, {
      key: hex('C61E7A93744F39EE10734AFE3FF7A087'),
      salt: hex('30CBBC08863D8C85D49DB34A9AE1'),
      authenticationKey: hex('CEBE321F6FF7716B6FD4AB49AF256A156D38BAA4'),
    });
  });

  it('make the keystream and the keys of RFC 6188 §7', () => {
    const stream = firstBlocks('57f82fe3613fd170a85ec93c40b1f092 2ec4cb0dc025b58272147cc438944a98', 48);
    const first = '92bdd28a93c3f52511c677d08b5515a4 9da71b2378a854f67050756ded165bac 63c4868b7096d88421b563b8c94c9a31';
    assert.deepEqual(stream, hex(first));
    const keys = deriveSessionKeys(
      hex('f0f04914b513f2763a1b1fa130f10e29 98f6f6e43e4309d1e622a0e332b9f1b6'),
      hex('3b04803de51ee7c96423ab5b78d2'),
      'rtp',
    );
    assert.deepEqual(keys, {
      key: hex('5ba1064e30ec51613cad926c5a28ef73 1ec7fb397f70a960653caf06554cd8c4'),
      salt: hex('fa31791685ca444a9e07c6c64e93'),
      authenticationKey: hex('fd9c32d39ed5fbb5a9dc96b30818454d1313dc05'),
    });
  });

  it('seal the packet of RFC 7714 §16.1.1', () => {
    const keys = { key: hex('000102030405060708090a0b0c0d0e0f'), salt: hex('517569642070726f2071756f') };
    const packet = hex(`8040f17b 8041f8d3 5501a0b2 47616c6c 69612065 7374206f 6d6e6973 20646976 69736120
      696e2070 61727465 73207472 6573`);
    const sealed = hex(`8040f17b 8041f8d3 5501a0b2 f24de3a3 fb34de6c acba861c 9d7e4bca be633bd5 0d294e6f
      42a5f47a 51c7d19b 36de3adf 8833899d 7f27beb1 6a9152cf 765ee439 0cce`);
    const cipher = new GcmCipher(keys, 'rtp');
    assert.deepEqual(cipher.seal(packet, 12, 0x5501a0b2, 0xf17b), sealed);
    assert.deepEqual(cipher.open(sealed, 12, 0x5501a0b2, 0xf17b), packet);
  });

  it('apply the same stream whether it was made ahead or for the packet alone', () => {
    const keys = [hex('2B7E151628AED2A6ABF7158809CF4F3C'), hex('F0F1F2F3F4F5F6F7F8F9FAFBFCFD')] as const;
    const oneForAll = new Keystream(...keys);
    const zeros = Buffer.alloc(700);
    const sizes = [160, 160, 20, 160, 180, 700, 160, 160, 160, 160, 160, 160, 160, 160, 160, 33];
    const indices = [2 ** 32 - 9, -8, -7, -7, -6, -5, -4, -2, -3, -1, 0, 1, 2, 3, 4, 1].map((n, at) =>
      at === 0 ? n : 2 ** 32 + n,
    );
    for (const [at, index] of indices.entries()) {
      const bytes = sizes[at] as number;
      const [together, alone] = [Buffer.alloc(bytes), Buffer.alloc(bytes)];
      const ssrc = at % 5 === 4 ? 8 : 7;
      oneForAll.xor(zeros, 0, bytes, together, ssrc, index);
      new Keystream(...keys).xor(zeros, 0, bytes, alone, ssrc, index);
      assert.deepEqual(together, alone, `packet ${at}`);
    }
  });
});
