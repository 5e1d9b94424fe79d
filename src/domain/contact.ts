import { z } from 'zod';
import { contactPhoneFault } from './phone-number.ts';
import { text, textFault } from './text.ts';

const phone = z
  .string({ error: (issue) => (typeof issue.input === 'number' ? numberInsteadOfString(issue.input) : undefined) })
  .check((context) => {
    const fault = contactPhoneFault(context.value);
    if (fault) context.issues.push({ code: 'custom', message: fault, input: context.value });
  })
  .meta({ examples: ['12025550100'] });

function numberInsteadOfString(value: number): string {
  return contactPhoneFault(String(value)) ? 'must be a string of digits' : `must be a string; did you mean "${value}"?`;
}

const email = z
  .string()
  .check((context) => {
    const fault = emailFault(context.value);
    if (fault) context.issues.push({ code: 'custom', message: fault, input: context.value });
  })
  .meta({ maxLength: 320 });

function emailFault(value: string): string | undefined {
  if (value === '') return undefined; // how an update clears an address
  const fault = textFault(value, 1, 320);
  if (fault) return fault;
  return /^[^\s@]+@[^\s@.]+(?:\.[^\s@.]+)+$/u.test(value) ? undefined : 'must be an e-mail address';
}

const metadata = z.record(z.string(), z.string()).check(({ value: map, issues }) => {
  const entries = Object.entries(map);
  if (entries.length > 50) issues.push({ code: 'custom', message: 'must have at most 50 entries', input: map });
  for (const [key, value] of entries) {
    const keyFault = textFault(key, 1, 200);
    if (keyFault) {
      issues.push({ code: 'custom', message: `key ${JSON.stringify(key.slice(0, 50))} ${keyFault}`, input: map });
    }
    const valueFault = textFault(value, 0, 5_000, { lineBreaks: true }); // notes come in lines
    if (valueFault) issues.push({ code: 'custom', path: [key], message: valueFault, input: map });
  }
});

/** What may be written of a contact. Left out (or null) means: stays as it was. */
export const contactInput = z.object({
  firstName: text(0, 200).nullish(),
  lastName: text(0, 200).nullish(),
  email: email.nullish(),
  phone: phone.describe('Digits with the country code, without plus sign or separators'),
  contactMetadata: metadata.nullish().describe('Free map of strings to strings; when given, it replaces the old map'),
});

/** Whom to remove: by phone, or by e-mail when no phone is given. */
export const contactReference = z.object({ phone: phone.nullish(), email: email.nullish() });

export type ContactInput = z.infer<typeof contactInput>;
export type ContactReference = { phone: string } | { email: string };

export const contactErrorCodes = [
  'invalid_contact',
  'missing_field',
  'invalid_phone',
  'invalid_email',
  'invalid_field',
  'not_found',
] as const;

export const contactSuccessSchema = z.object({
  phone: z.string(),
  email: z.string(),
  action: z.enum(['created', 'updated', 'removed']),
});

export const contactErrorSchema = z.object({
  index: z.number().int(),
  phone: z.string(),
  email: z.string(),
  code: z.enum(contactErrorCodes),
  field: z.string(),
  message: z.string(),
});

export const contactBatchResultSchema = z
  .object({ message: z.string(), success: z.array(contactSuccessSchema), errors: z.array(contactErrorSchema) })
  .meta({ id: 'ContactBatchResult' });

export type ContactSuccess = z.infer<typeof contactSuccessSchema>;
export type ContactError = z.infer<typeof contactErrorSchema>;
export type ContactBatchResult = z.infer<typeof contactBatchResultSchema>;

export const contactSchema = z
  .object({
    phone: z.string(),
    email: z.string(),
    firstName: z.string(),
    lastName: z.string(),
    contactMetadata: z.record(z.string(), z.string()),
    createdAt: z.iso.datetime(),
    updatedAt: z.iso.datetime(),
  })
  .meta({ id: 'Contact' });

export type Contact = z.infer<typeof contactSchema>;
