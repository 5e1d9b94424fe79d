import { randomInt } from 'node:crypto';
import type { ContactInput } from '../../src/domain/contact.ts';

const firstNames = ['Ada', 'Grace', 'Alan', 'Katherine', 'Edsger', 'Barbara', 'Dennis', 'Radia', 'Ken', 'Margaret'];
const lastNames = ['Lovelace', 'Hopper', 'Turing', 'Johnson', 'Dijkstra', 'Liskov', 'Ritchie', 'Perlman', 'Thompson'];
const cities = ['Springfield', 'Riverside', 'Franklin', 'Greenville', 'Bristol', 'Clinton', 'Fairview', 'Salem'];

/** Contacts nobody has seen yet: random phones among 9 × 10^12, so that next to none comes twice. */
export function newContacts(count: number): ContactInput[] {
  return Array.from({ length: count }, () => {
    const phone = `1${randomInt(1_000_000_000_000, 10_000_000_000_000)}`;
    const firstName = pick(firstNames);
    const lastName = pick(lastNames);
    return {
      firstName,
      lastName,
      email: `${firstName}.${lastName}.${phone.slice(-6)}@example.com`.toLowerCase(),
      phone,
      contactMetadata: { city: pick(cities), customerId: phone.slice(-8) },
    };
  });
}

function pick(values: string[]): string {
  return values[randomInt(values.length)] as string;
}
