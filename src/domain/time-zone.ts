import { parsePhoneNumberFromString } from 'libphonenumber-js/min';

const ownZone = new Intl.DateTimeFormat().resolvedOptions().timeZone;

/** The clock of whoever has this number: its country's where that has only one, else ours. */
export function timeZoneOf(phoneNumber: string): string {
  const country = parsePhoneNumberFromString(phoneNumber)?.country;
  const zones = country ? zonesOf(country) : [];
  return new Set(zones.map(offsetOf)).size === 1 ? (zones[0] as string) : ownZone;
}

/** Newer than its types. */
function zonesOf(region: string): string[] {
  const locale = new Intl.Locale('und', { region }) as Intl.Locale & { getTimeZones(): string[] | undefined };
  return locale.getTimeZones() ?? [];
}

function offsetOf(timeZone: string): string {
  const parts = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' }).formatToParts();
  return parts.find(({ type }) => type === 'timeZoneName')?.value ?? '';
}
