import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { speakable } from './speakable.ts';
import { parseSpokenDate } from './spoken-date.ts';

// A Wednesday, 11 o'clock in New York.
const options = { now: new Date('2026-07-01T15:00:00Z'), timeZone: 'America/New_York' };

const table: [heard: string, date: string | undefined][] = [
  ['today', '2026-07-01'],
  ['Tomorrow.', '2026-07-02'],
  ['the day after tomorrow', '2026-07-03'],
  ['yesterday', '2026-06-30'],
  ['Tuesday', '2026-07-07'],
  ['on Friday', '2026-07-03'],
  ['this Friday', '2026-07-03'],
  ['this coming Friday', '2026-07-03'],
  ['next Tuesday', '2026-07-07'],
  ['next Friday', '2026-07-10'],
  ['last Friday', '2026-06-26'],
  ['Thursday next week', '2026-07-09'],
  ['Tuesday week', '2026-07-14'],
  ['a week from Tuesday', '2026-07-14'],
  ['in two weeks', '2026-07-15'],
  ['in 10 days', '2026-07-11'],
  ['in a week', '2026-07-08'],
  ['two weeks from today', '2026-07-15'],
  ['a fortnight from now', '2026-07-15'],
  ['in a couple of days', '2026-07-03'],
  ['six months from now', '2027-01-01'],
  ['three days ago', '2026-06-28'],
  ['the fifth of March', '2027-03-05'],
  ['the 5th of March', '2027-03-05'],
  ['March the fifth', '2027-03-05'],
  ['July 4th', '2026-07-04'],
  ['the fourth of July', '2026-07-04'],
  ['December twenty-fifth', '2026-12-25'],
  ['Christmas', '2026-12-25'],
  ["New Year's Eve", '2026-12-31'],
  ['May fifth', '2027-05-05'],
  ['February twenty ninth', '2028-02-29'],
  ['March third nineteen eighty five', '1985-03-03'],
  ['March 3, 1985.', '1985-03-03'],
  ['March three nineteen eighty five', '1985-03-03'],
  ['March twenty twenty twenty six', '2026-03-20'],
  ['I was born on May 5th, 1985', '1985-05-05'],
  ['the third of April, two thousand five', '2005-04-03'],
  ['oh three fifteen eighty five', '1985-03-15'],
  ['three fifteen nineteen eighty five', '1985-03-15'],
  ['twelve twenty five nineteen ninety', '1990-12-25'],
  ['zero three one five one nine eight five', '1985-03-15'],
  ['03/15/1985', '1985-03-15'],
  ['3-15-85', '1985-03-15'],
  ['2026-11-15', '2026-11-15'],
  ['The fifth.', '2026-07-05'],
  ['Monday, July sixth', '2026-07-06'],
  ['Monday the sixth', '2026-07-06'],
  ['end of the month', '2026-07-31'],
  ['Friday, no, Saturday', '2026-07-04'],
  ['June 31', undefined],
  ['March twenty twenty six', undefined],
  ['in March', undefined],
  ['I may come', undefined],
  ['the second one', undefined],
  ['not Tuesday', undefined],
  ["I can't on Tuesday", undefined],
  ['five thirty', undefined],
  ['ten', undefined],
  ['in ten minutes', undefined],
  ['the sun is out', undefined],
  ['10:12:15', undefined],
  ['', undefined],
];

describe('parseSpokenDate', () => {
  for (const [heard, date] of table) {
    it(`hears ${date} in "${heard}"`, () => assert.equal(parseSpokenDate(heard, options)?.value, date));
  }

  const confidence = (heard: string) => parseSpokenDate(heard, options)?.confidence ?? 0;

  it('doubts "next Friday" before Friday, today’s weekday, day without month, and a weekday that does not fit', () => {
    assert.ok(confidence('next Tuesday') >= 0.9);
    assert.ok(confidence('next Friday') < 0.5);
    assert.ok(confidence('Wednesday') <= 0.5);
    assert.ok(confidence('the fifth') <= 0.6);
    assert.ok(confidence('Monday, July sixth') > 0.9);
    assert.ok(confidence('Monday, July seventh') <= 0.3);
    assert.ok(confidence('Friday or Saturday') <= 0.3);
    assert.ok(confidence('next week') <= 0.3);
    assert.ok(confidence('three four 1985') < 0.7);
  });

  it('looks back for what has happened, and puts the day first where people do', () => {
    assert.equal(parseSpokenDate('August third', { ...options, prefer: 'past' })?.value, '2025-08-03');
    assert.equal(parseSpokenDate('Friday', { ...options, prefer: 'past' })?.value, '2026-06-26');
    assert.equal(parseSpokenDate('three four 1985', { ...options, monthFirst: false })?.value, '1985-04-03');
  });

  it('knows the day by the clock of the time zone', () => {
    const lateEvening = { now: new Date('2026-07-02T03:00:00Z') };
    assert.equal(parseSpokenDate('tomorrow', { ...lateEvening, timeZone: 'America/New_York' })?.value, '2026-07-02');
    assert.equal(parseSpokenDate('tomorrow', { ...lateEvening, timeZone: 'Europe/Berlin' })?.value, '2026-07-03');
  });

  it('hears every date that is said', () => {
    const days = fc
      .date({ min: new Date('1910-01-01'), max: new Date('2089-12-31'), noInvalidDate: true })
      .map((date) => date.toISOString().slice(0, 10));
    fc.assert(
      fc.property(days, (day) => {
        assert.equal(parseSpokenDate(speakable(day), options)?.value, day);
      }),
    );
  });

  it('never throws', () => {
    const words =
      'the a in next last this tuesday friday march may fifth 5 twenty two weeks from today ago tomorrow of 1985 eighty oh 3/4/85 christmas'.split(
        ' ',
      );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: 'binary' }),
          fc.array(fc.constantFrom(...words)).map((all) => all.join(' ')),
        ),
        (text) => {
          const heard = parseSpokenDate(text, options);
          if (heard) assert.match(heard.value, /^\d{4}-\d{2}-\d{2}$/);
        },
      ),
      { numRuns: 2000 },
    );
  });
});
