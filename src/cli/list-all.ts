import type { Page } from '../store/page.ts';

const pageSize = 500;

/** Everything that a paged list holds. */
export async function listAll<T>(list: (page: Page) => Promise<T[]>, keyOf: (row: T) => string): Promise<T[]> {
  const all: T[] = [];
  for (;;) {
    const last = all.at(-1);
    const page = await list({ after: last && keyOf(last), limit: pageSize });
    all.push(...page);
    if (page.length < pageSize) return all;
  }
}
