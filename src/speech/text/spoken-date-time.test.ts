import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { parseSpokenDateTime } from './spoken-date-time.ts';

// A Wednesday, 11 o'clock in New York.
const options = { now: new Date('2026-07-01T15:00:00Z'), timeZone: 'America/New_York' };

const table: [heard: string, local: string | undefined][] = [
  ['in an hour', '2026-07-01T12:00'],
  ['In half an hour.', '2026-07-01T11:30'],
  ['in an hour and a half', '2026-07-01T12:30'],
  ['in twenty minutes', '2026-07-01T11:20'],
  ['in two and a half hours', '2026-07-01T13:30'],
  ['in an hour and ten minutes', '2026-07-01T12:10'],
  ['a couple of hours from now', '2026-07-01T13:00'],
  ['call me back in an hour', '2026-07-01T12:00'],
  ['give me ten minutes', '2026-07-01T11:10'],
  ['tomorrow at half past three', '2026-07-02T15:30'],
  ['half past three tomorrow', '2026-07-02T15:30'],
  ['tomorrow', '2026-07-02T10:00'],
  ['tomorrow morning', '2026-07-02T10:00'],
  ['first thing tomorrow', '2026-07-02T09:00'],
  ['tomorrow afternoon around three', '2026-07-02T15:00'],
  ['after five', '2026-07-01T17:00'],
  ['after work', '2026-07-01T18:00'],
  ['this afternoon', '2026-07-01T15:00'],
  ['tonight at eight', '2026-07-01T20:00'],
  ['at three', '2026-07-01T15:00'],
  ['at ten', '2026-07-02T10:00'],
  ['3:30 pm', '2026-07-01T15:30'],
  ['Tuesday at 9 a.m.', '2026-07-07T09:00'],
  ['Monday morning at nine', '2026-07-06T09:00'],
  ['next Tuesday afternoon', '2026-07-07T15:00'],
  ['the fifth at noon', '2026-07-05T12:00'],
  ['July 4th at five thirty', '2026-07-04T17:30'],
  ['two weeks from today at noon', '2026-07-15T12:00'],
  ['in two days', '2026-07-03T10:00'],
  ['November fifteenth, twenty twenty-six at two thirty P M', '2026-11-15T14:30'],
  ['call me later', undefined],
  ['not tomorrow', undefined],
  ["don't call me tomorrow", undefined],
  ['today at nine a.m.', undefined],
  ['yesterday at five', undefined],
  ['an hour ago', undefined],
  ['I waited for an hour', undefined],
  ['tomorrow or Friday', undefined],
  ['on Friday between two and four', undefined],
  ['at two or at four', undefined],
  ['in five', undefined],
  ['', undefined],
];

describe('parseSpokenDateTime', () => {
  for (const [heard, local] of table) {
    it(`hears ${local} in "${heard}"`, () => assert.equal(parseSpokenDateTime(heard, options)?.local, local));
  }

  it('gives the instant', () => {
    assert.deepEqual(parseSpokenDateTime('tomorrow at 3 pm', options)?.value, new Date('2026-07-02T19:00:00Z'));
  });

  it('says when the hour is a guess, with a low confidence', () => {
    const guess = parseSpokenDateTime('tomorrow afternoon', options);
    assert.equal(guess?.guessedHour, true);
    assert.ok((guess?.confidence ?? 1) < 0.5);
    const said = parseSpokenDateTime('tomorrow at 3 pm', options);
    assert.equal(said?.guessedHour, false);
    assert.ok((said?.confidence ?? 0) > 0.9);
  });

  it('takes a part of the day that has begun as soon, and one that is over as not understood', () => {
    const atFour = { ...options, now: new Date('2026-07-01T20:00:00Z') };
    assert.equal(parseSpokenDateTime('this afternoon', atFour)?.local, '2026-07-01T17:00');
    assert.equal(parseSpokenDateTime('this morning', atFour), undefined);
  });

  it('keeps to the clock of the time zone when daylight saving changes', () => {
    const before = { now: new Date('2026-10-31T16:00:00Z'), timeZone: 'America/New_York' };
    assert.deepEqual(parseSpokenDateTime('tomorrow at 9 am', before)?.value, new Date('2026-11-01T14:00:00Z'));
  });

  it('is always in the future, and never throws', () => {
    const words =
      'in an a half hour minutes tomorrow today at three five thirty pm am friday next after this afternoon morning the fifth noon and of two from now week evening tonight'.split(
        ' ',
      );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: 'binary' }),
          fc.array(fc.constantFrom(...words), { maxLength: 7 }).map((all) => all.join(' ')),
        ),
        (text) => {
          const heard = parseSpokenDateTime(text, options);
          if (heard) assert.ok(heard.value > options.now, text);
        },
      ),
      { numRuns: 2000 },
    );
  });
});
