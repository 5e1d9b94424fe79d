import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { speakable } from './speakable.ts';
import { parseSpokenTime } from './spoken-time.ts';

const table: [heard: string, time: string | undefined][] = [
  ['half past three', '15:30'],
  ['half three', '15:30'],
  ['quarter to five', '16:45'],
  ['a quarter past two', '14:15'],
  ['ten past four', '16:10'],
  ['ten minutes past two', '14:10'],
  ['twenty to nine', '08:40'],
  ['quarter to one', '12:45'],
  ["three o'clock", '15:00'],
  ["nine o'clock in the evening", '21:00'],
  ['five thirty p.m.', '17:30'],
  ['5:30 AM', '05:30'],
  ['2:30 PM.', '14:30'],
  ['nine a m', '09:00'],
  ['twelve a.m.', '00:00'],
  ['twelve p.m.', '12:00'],
  ['14:30', '14:30'],
  ['09:15', '09:15'],
  ['three oh five', '15:05'],
  ['three fifteen', '15:15'],
  ['twelve thirty', '12:30'],
  ['at 3', '15:00'],
  ['9', '09:00'],
  ['make it ten', '10:00'],
  ['eight in the evening', '20:00'],
  ['eleven at night', '23:00'],
  ['at five in the morning', '05:00'],
  ['tomorrow evening at eight', '20:00'],
  ['fifteen hundred', '15:00'],
  ['oh nine hundred', '09:00'],
  ['1500 hours', '15:00'],
  ['noon', '12:00'],
  ['midnight', '00:00'],
  ['after five', '17:00'],
  ['this afternoon', '15:00'],
  ['in the morning', '10:00'],
  ['tonight', '19:00'],
  ['after lunch', '14:00'],
  ['end of the day', '17:00'],
  ['five or six', undefined],
  ['two to three', undefined],
  ['between two and four', undefined],
  ['not at five', undefined],
  ['I am 5', undefined],
  ['five people', undefined],
  ['in ten minutes', undefined],
  ['', undefined],
];

describe('parseSpokenTime', () => {
  for (const [heard, time] of table) {
    it(`hears ${time} in "${heard}"`, () => assert.equal(parseSpokenTime(heard)?.value, time));
  }

  const confidence = (heard: string) => parseSpokenTime(heard)?.confidence ?? 0;

  it('is sure with a.m. and p.m., less so without, and guesses for a part of the day', () => {
    assert.ok(confidence('five thirty p.m.') >= 0.95);
    assert.ok(confidence('five thirty') < 0.8);
    assert.ok(confidence('seven') < 0.5);
    assert.ok(confidence('this afternoon') < 0.5);
  });

  it('tells after, before and around from at', () => {
    assert.equal(parseSpokenTime('after five')?.bound, 'after');
    assert.equal(parseSpokenTime('before noon')?.bound, 'before');
    assert.equal(parseSpokenTime('around nine')?.bound, 'around');
    assert.equal(parseSpokenTime('at five')?.bound, undefined);
  });

  it('hears every time that is said with its half of the day', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 23 }), fc.integer({ min: 0, max: 59 }), (hour, minute) => {
        const written = `${hour % 12 === 0 ? 12 : hour % 12}:${String(minute).padStart(2, '0')} ${hour < 12 ? 'AM' : 'PM'}`;
        const expected = `${String(hour).padStart(2, '0')}:${String(minute).padStart(2, '0')}`;
        assert.equal(parseSpokenTime(speakable(written))?.value, expected, speakable(written));
        if (hour !== 12 && (hour < 10 || hour > 12))
          assert.equal(parseSpokenTime(speakable(expected))?.value, expected, speakable(expected));
      }),
    );
  });
});
