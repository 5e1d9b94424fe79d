import { z } from 'zod';
import { problems } from '../domain/problem.ts';

const problemSchema = z
  .object({
    type: z.string(),
    title: z.string(),
    status: z.number().int(),
    detail: z.string(),
    code: z.enum(Object.keys(problems) as [string, ...string[]]),
    errors: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
  })
  .meta({ id: 'Problem' });

/** The part of every route's responses that says how it fails. */
export const problemResponses = {
  '4xx': {
    description: 'The request was not carried out; `code` says why, `errors` names every bad field',
    content: { 'application/problem+json': { schema: problemSchema } },
  },
};
