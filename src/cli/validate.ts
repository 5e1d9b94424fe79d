import { InvalidArgumentError } from 'commander';
import { z } from 'zod';
import { exitCode, Failure } from './failure.ts';

/** Checks what was given on the command line against a schema of the domain and names every fault at once. */
export function validate<S extends z.ZodType>(
  schema: S,
  values: unknown,
  flags: Readonly<Record<string, string>>,
): z.output<S> {
  const parsed = schema.safeParse(values, { error: describeIssue });
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues.map(({ path: [field, position], message }) => {
    const flag = flags[String(field)] ?? String(field);
    return `${flag}${position === undefined ? '' : ` (number ${Number(position) + 1})`}: ${message}`;
  });
  throw new Failure(exitCode.usage, 'These values are not valid:', { faults });
}

export function validateId(id: string, listCommand: string): string {
  if (z.uuid().safeParse(id).success) return id;
  throw new Failure(exitCode.usage, `The id must be a UUID, as ${listCommand} shows it.`);
}

/** For an option that may be given several times. */
export function collect(value: string, earlier: string[] = []): string[] {
  return [...earlier, value];
}

function describeIssue(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.code === 'invalid_type' && issue.input === undefined) return 'is required';
  if (issue.code === 'invalid_value') return `must be one of ${issue.values.join(', ')}`;
  if (issue.code === 'invalid_format' && issue.format === 'uuid') return 'must be a UUID';
  if (issue.code === 'too_big' && issue.origin === 'array') return `may be given ${issue.maximum} times at most`;
  return undefined;
}

/** A number of E.164, as an option or argument. */
export function toNumber(value: string): string {
  if (!/^\+[1-9]\d{6,14}$/.test(value)) throw new InvalidArgumentError('It must be written like +12025550100.');
  return value;
}
