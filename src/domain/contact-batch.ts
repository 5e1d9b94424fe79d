import type { z } from 'zod';
import {
  type ContactBatchResult,
  type ContactError,
  type ContactInput,
  type ContactReference,
  type ContactSuccess,
  contactInput,
  contactReference,
} from './contact.ts';

/** Valid elements of a request with their positions in it, and what is wrong with the others. */
export type ReadContacts<T> = { valid: { index: number; contact: T }[]; errors: ContactError[] };

export function readContactInputs(elements: unknown[]): ReadContacts<ContactInput> {
  return readEach(elements, (element) => contactInput.safeParse(element, { error: describeIssue }));
}

export function readContactReferences(elements: unknown[]): ReadContacts<ContactReference> {
  const references: ReadContacts<ContactReference> = { valid: [], errors: [] };
  const read = readEach(elements, (element) => contactReference.safeParse(element, { error: describeIssue }));
  references.errors.push(...read.errors);
  for (const { index, contact } of read.valid) {
    if (contact.phone) references.valid.push({ index, contact: { phone: contact.phone } });
    else if (contact.email) references.valid.push({ index, contact: { email: contact.email } });
    else
      references.errors.push(contactError(index, elements[index], 'missing_field', 'phone', 'is required, or email'));
  }
  return references;
}

function readEach<T>(elements: unknown[], parse: (element: unknown) => z.ZodSafeParseResult<T>): ReadContacts<T> {
  const read: ReadContacts<T> = { valid: [], errors: [] };
  elements.forEach((element, index) => {
    const parsed = parse(element);
    if (parsed.success) read.valid.push({ index, contact: parsed.data });
    else read.errors.push(faultOf(index, element, parsed.error.issues));
  });
  return read;
}

function faultOf(index: number, element: unknown, issues: z.core.$ZodIssue[]): ContactError {
  const message = issues.map((issue) => [issue.path.join('.'), issue.message].filter(Boolean).join(' ')).join('; ');
  const field = String(issues[0]?.path[0] ?? '');
  const missing = issues[0]?.message === isRequired;
  const code = !field
    ? 'invalid_contact'
    : missing
      ? 'missing_field'
      : field === 'phone'
        ? 'invalid_phone'
        : field === 'email'
          ? 'invalid_email'
          : 'invalid_field';
  return contactError(index, element, code, field, message);
}

const isRequired = 'is required';

function describeIssue(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.code !== 'invalid_type') return undefined;
  if (issue.input === undefined || (issue.input === null && issue.path?.length)) return isRequired;
  return issue.expected === 'record' ? 'must be an object' : `must be a ${issue.expected}`;
}

/** An errors item; it shows back the phone and e-mail as they were sent, as far as they were strings. */
function contactError(
  index: number,
  element: unknown,
  code: ContactError['code'],
  field: string,
  message: string,
): ContactError {
  const { phone, email } = (typeof element === 'object' && element !== null ? element : {}) as Record<string, unknown>;
  return { index, phone: echo(phone), email: echo(email), code, field, message };
}

function echo(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value).slice(0, 320) : '';
}

/**
 * One entry for each phone, in phone order. A number given twice counts in order: what the later
 * element leaves out stays as the earlier one set it. The order keeps concurrent requests over
 * the same numbers from locking each other out.
 */
export function foldByPhone(contacts: ContactInput[]): ContactInput[] {
  const byPhone = new Map<string, ContactInput>();
  for (const contact of contacts) {
    const earlier = byPhone.get(contact.phone);
    byPhone.set(contact.phone, earlier ? { ...earlier, ...given(contact) } : contact);
  }
  return [...byPhone.values()].sort((a, b) => (a.phone < b.phone ? -1 : 1));
}

function given(contact: ContactInput): ContactInput {
  return Object.fromEntries(Object.entries(contact).filter(([, value]) => value != null)) as ContactInput;
}

/** A phone reported as created is so for its first element; each later one updated it. */
export function upsertedItems(
  read: ReadContacts<ContactInput>,
  stored: { phone: string; email: string; created: boolean }[],
): ContactSuccess[] {
  const byPhone = new Map(stored.map((row) => [row.phone, row]));
  const seen = new Set<string>();
  return read.valid.map(({ contact }) => {
    const row = byPhone.get(contact.phone);
    const created = row?.created === true && !seen.has(contact.phone);
    seen.add(contact.phone);
    return { phone: contact.phone, email: contact.email ?? row?.email ?? '', action: created ? 'created' : 'updated' };
  });
}

/** What each reference removed, and an error for each that found nobody. */
export function removedItems(
  elements: unknown[],
  read: ReadContacts<ContactReference>,
  removed: { phone: string; email: string; reference: number }[],
): { success: ContactSuccess[]; errors: ContactError[] } {
  const found = Map.groupBy(removed, (row) => row.reference);
  const success: ContactSuccess[] = [];
  const errors: ContactError[] = [];
  read.valid.forEach(({ index, contact }, reference) => {
    const rows = found.get(reference) ?? [];
    for (const { phone, email } of rows) success.push({ phone, email, action: 'removed' });
    if (rows.length > 0) return;
    const field = 'phone' in contact ? 'phone' : 'email';
    errors.push(contactError(index, elements[index], 'not_found', field, 'is not in this campaign'));
  });
  return { success, errors };
}

export function batchResult(
  elements: unknown[],
  success: ContactSuccess[],
  errors: ContactError[],
): ContactBatchResult {
  const succeeded = elements.length - errors.length;
  return {
    message: `${succeeded} ${succeeded === 1 ? 'contact' : 'contacts'} succeeded, ${errors.length} failed`,
    success,
    errors: errors.sort((a, b) => a.index - b.index),
  };
}
