import { z } from 'zod';
import type { Page } from '../store/page.ts';

const cursor = z
  .string()
  .max(200)
  .regex(/^[\w-]+$/, 'must be a nextCursor of an earlier answer')
  .transform((value) => Buffer.from(value, 'base64url').toString());

export const limit = z
  .string()
  .regex(/^\d{1,3}$/, 'must be a number from 1 to 200')
  .default('50')
  .transform(Number)
  .refine((value) => value >= 1 && value <= 200, 'must be a number from 1 to 200')
  .meta({ default: 50 });

const invalidCursor = 'must be a nextCursor of an earlier answer';

/** Query parameters of a list whose rows are keyed by id. */
export const idPaging = {
  limit,
  cursor: cursor.refine((value) => z.uuid().safeParse(value).success, invalidCursor).optional(),
};

/** Query parameters of a list of contacts, which are keyed by phone. */
export const phonePaging = {
  limit,
  cursor: cursor.refine((value) => /^\d{1,15}$/.test(value), invalidCursor).optional(),
};

export function pageOf<T extends z.ZodType>(element: T) {
  return z.object({
    data: z.array(element),
    nextCursor: z.string().nullable().describe('Pass it as `cursor` for what follows; null at the end'),
  });
}

/** One row more than asked for tells whether there is a next page. */
export function askFor(query: { limit: number; cursor?: string | undefined }): Page {
  return { after: query.cursor, limit: query.limit + 1 };
}

export function toPage<T>(
  rows: T[],
  limit: number,
  keyOf: (row: T) => string,
): { data: T[]; nextCursor: string | null } {
  const data = rows.slice(0, limit);
  const last = data.at(-1);
  const more = rows.length > limit && last !== undefined;
  return { data, nextCursor: more ? Buffer.from(keyOf(last)).toString('base64url') : null };
}
