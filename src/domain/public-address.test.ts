import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isPublicAddress, namesPrivateHost } from './public-address.ts';

describe('isPublicAddress', () => {
  it('is true for addresses of the public internet', () => {
    for (const address of ['1.1.1.1', '8.8.8.8', '100.63.255.255', '172.32.0.1', '2606:4700::1111', '2a00:1450::1']) {
      assert.equal(isPublicAddress(address), true, address);
    }
  });

  const refused = {
    'this network': ['0.0.0.0', '0.1.2.3', '::'],
    loopback: ['127.0.0.1', '127.255.255.254', '::1'],
    private: ['10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1', 'fc00::1', 'fdff::1', 'fec0::1'],
    'link-local': ['169.254.0.1', 'fe80::1', 'fe80::1%eth0', '2606:4700::1111%eth0', 'febf::1'],
    'metadata services': ['169.254.169.254', 'fd00:ec2::254', '100.100.100.200', '192.0.0.192', '168.63.129.16'],
    'carrier-grade NAT': ['100.64.0.1', '100.127.255.255'],
    'multicast and broadcast': ['224.0.0.1', '239.255.255.255', '255.255.255.255', 'ff02::1'],
    'reserved, test and documentation': [
      '192.0.2.1',
      '198.18.0.1',
      '198.51.100.1',
      '203.0.113.1',
      '240.0.0.1',
      '2001:db8::1',
      '3fff::1',
      '100::1',
      '5f00::1',
      '4000::1',
    ],
    'IPv4 in IPv6': [
      '::ffff:127.0.0.1',
      '::ffff:7f00:1',
      '::ffff:10.0.0.1',
      '::ffff:a9fe:a9fe',
      '::127.0.0.1',
      '::7f00:1',
      '::ffff:0:127.0.0.1',
    ],
    'NAT64 to private': ['64:ff9b::127.0.0.1', '64:ff9b::a9fe:a9fe', '64:ff9b::10.0.0.1', '64:ff9b:1::8.8.8.8'],
    tunnels: ['2002:7f00:1::', '2002:808:808::1', '2001::1', '2001:0:7f00:1::'],
    'what is no address': ['', 'localhost', '127.1', '0177.0.0.1', '2130706433', '0x7f.0.0.1', '1.1.1.1 ', '[::1]'],
  };
  for (const [kind, addresses] of Object.entries(refused)) {
    it(`is false for ${kind}`, () => {
      for (const address of addresses) assert.equal(isPublicAddress(address), false, address);
    });
  }

  it('looks at the IPv4 address inside one of IPv6', () => {
    assert.equal(isPublicAddress('::ffff:8.8.8.8'), true);
    assert.equal(isPublicAddress('64:ff9b::8.8.8.8'), true);
  });
});

describe('namesPrivateHost', () => {
  it('sees literal addresses in every way of writing them, and localhost', () => {
    for (const host of [
      '127.0.0.1',
      '127.1',
      '0x7f000001',
      '2130706433',
      '0177.0.0.1',
      '169.254.169.254',
      '[::1]',
      '[::ffff:10.0.0.1]',
      '[fd00::1]',
      'localhost',
      'LOCALHOST.',
      'app.localhost',
    ]) {
      assert.equal(namesPrivateHost(new URL(`https://${host}/hook`)), true, host);
    }
  });

  it('leaves names and public addresses alone', () => {
    for (const host of ['example.com', '8.8.8.8', '[2606:4700::1111]', 'localhost.example.com']) {
      assert.equal(namesPrivateHost(new URL(`https://${host}/hook`)), false, host);
    }
  });
});
