import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { joined } from '../../rtp/pcm.ts';
import { resample } from '../../rtp/resample.ts';
import { StreamingResampler } from './streaming-resampler.ts';
import { sine } from './testing/vendor-server.ts';

const pairs = [
  [24_000, 8_000],
  [24_000, 16_000],
  [22_050, 8_000],
  [44_100, 16_000],
  [48_000, 8_000],
  [8_000, 16_000],
  [16_000, 16_000],
] as const;

describe('resampling in pieces', () => {
  for (const [from, to] of pairs) {
    it(`makes the same sound as in one piece, ${from} to ${to}`, () => {
      const sound = sine(from, 0.3);
      const expected = resample(sound, from, to);
      fc.assert(
        fc.property(fc.array(fc.integer({ min: 0, max: 2_000 }), { maxLength: 30 }), (sizes) => {
          const resampler = new StreamingResampler(from, to);
          const out: Int16Array[] = [];
          let at = 0;
          for (const size of [...sizes, sound.length]) {
            out.push(resampler.push(sound.subarray(at, at + size)));
            at += size;
          }
          assert.deepEqual(joined(...out, resampler.end()), expected);
        }),
        { numRuns: 15 },
      );
    });
  }

  it('holds back no more than a few milliseconds', () => {
    const resampler = new StreamingResampler(24_000, 8_000);
    assert.ok(resampler.push(sine(24_000, 0.1)).length >= 0.095 * 8_000);
  });
});
