import pg from 'pg';

/** A part of a list: what comes after the given key, at most `limit` rows. */
export type Page = { after: string | undefined; limit: number };

export function isUniqueViolation(error: unknown, constraint: string): boolean {
  return error instanceof pg.DatabaseError && error.code === '23505' && error.constraint === constraint;
}
