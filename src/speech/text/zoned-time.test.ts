import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { addMonths, instantOf, localTime } from './zoned-time.ts';

describe('zoned time', () => {
  it('finds the instant of a time on the wall, in winter and in summer', () => {
    const at = (text: string, timeZone: string) => {
      const [year = 0, month = 0, day = 0, hour = 0, minute = 0] = text.split(/\D/).map(Number);
      return instantOf({ year, month, day, hour, minute }, timeZone).toISOString();
    };
    assert.equal(at('2026-01-15 09:00', 'America/New_York'), '2026-01-15T14:00:00.000Z');
    assert.equal(at('2026-07-15 09:00', 'America/New_York'), '2026-07-15T13:00:00.000Z');
    assert.equal(at('2026-07-15 09:00', 'Asia/Kolkata'), '2026-07-15T03:30:00.000Z');
    assert.equal(at('2026-07-15 00:00', 'Pacific/Kiritimati'), '2026-07-14T10:00:00.000Z');
  });

  it('moves a time that daylight saving skips to one hour later', () => {
    const skipped = instantOf({ year: 2026, month: 3, day: 8, hour: 2, minute: 30 }, 'America/New_York');
    assert.equal(skipped.toISOString(), '2026-03-08T07:30:00.000Z');
    assert.equal(localTime(skipped, 'America/New_York').hour, 3);
  });

  it('shows on the wall what was asked for, at every hour that exists', () => {
    const zones = fc.constantFrom('UTC', 'America/New_York', 'Europe/Berlin', 'Australia/Lord_Howe', 'Asia/Kathmandu');
    fc.assert(
      fc.property(
        fc.date({ min: new Date('1990-01-01'), max: new Date('2060-01-01'), noInvalidDate: true }),
        zones,
        (date, zone) => {
          const local = localTime(date, zone);
          assert.deepEqual(localTime(instantOf(local, zone), zone), local);
        },
      ),
    );
  });

  it('keeps to the last day of a shorter month', () => {
    assert.deepEqual(addMonths({ year: 2026, month: 1, day: 31 }, 1), { year: 2026, month: 2, day: 28 });
    assert.deepEqual(addMonths({ year: 2026, month: 3, day: 31 }, -1), { year: 2026, month: 2, day: 28 });
  });
});
