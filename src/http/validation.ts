import type { FastifySchemaCompiler } from 'fastify';
import type { z } from 'zod';
import { type FieldError, Problem } from '../domain/problem.ts';

/** Checks bodies, queries and path parameters; the problem names every bad field at once. */
export const validatorCompiler: FastifySchemaCompiler<z.ZodType> = ({ schema, httpPart }) => {
  return (data) => {
    const parsed = schema.safeParse(data, { error: describeIssue });
    if (parsed.success) return { value: parsed.data };
    return { error: invalid(httpPart ?? 'body', parsed.error.issues) };
  };
};

function invalid(part: string, issues: z.core.$ZodIssue[]): Problem {
  const errors = issues.flatMap(toFieldErrors);
  const where = part === 'querystring' ? 'query' : part === 'params' ? 'path' : part;
  const fields = [...new Set(errors.map((error) => error.path || where))];
  return new Problem('invalid_request', `The ${where} is not valid: see ${fields.slice(0, 20).join(', ')}.`, {
    errors,
  });
}

function toFieldErrors(issue: z.core.$ZodIssue): FieldError[] {
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({ path: [...issue.path, key].join('.'), message: 'is not a known field' }));
  }
  return [{ path: issue.path.join('.'), message: issue.message }];
}

function describeIssue(issue: z.core.$ZodRawIssue): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      if (issue.input === undefined) return 'is required';
      return issue.expected === 'record' ? 'must be an object' : `must be ${withArticle(String(issue.expected))}`;
    case 'invalid_union':
      return 'must be a string, a number or a boolean';
    case 'invalid_value':
      return `must be ${issue.values.length === 1 ? '' : 'one of '}${issue.values.map((value) => JSON.stringify(value)).join(', ')}`;
    case 'invalid_format':
      return issue.format === 'uuid'
        ? 'must be a UUID'
        : issue.format === 'datetime'
          ? 'must be a time in ISO 8601 with a zone, such as 2026-01-31T09:00:00Z'
          : undefined;
    case 'too_big':
      return issue.origin === 'array'
        ? `must have at most ${issue.maximum} elements`
        : `must be at most ${issue.maximum}`;
    case 'too_small':
      return issue.origin === 'array'
        ? `must have at least ${issue.minimum} elements`
        : `must be at least ${issue.minimum}`;
    default:
      return undefined;
  }
}

function withArticle(noun: string): string {
  return `${/^[aeiou]/.test(noun) ? 'an' : 'a'} ${noun}`;
}
