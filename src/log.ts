import { type DestinationStream, type Logger, pino, stdSerializers } from 'pino';
import pretty from 'pino-pretty';

export type Log = Logger;

/**
 * One line of JSON for each entry, or a short readable line at a terminal. Personal data goes under
 * `personal` only, which is never written; texts of errors are scrubbed, since they may quote input.
 */
export function createLog(options: { level: string; terminal?: boolean; destination?: DestinationStream }): Log {
  const destination = options.terminal
    ? pretty({ colorize: true, ignore: 'pid,hostname', translateTime: 'SYS:HH:MM:ss', sync: true, singleLine: true })
    : (options.destination ?? pino.destination({ dest: 1, sync: false }));
  return pino(
    {
      level: options.level,
      redact: { paths: ['personal', '*.personal'], censor: '[personal]' },
      serializers: { err: describeError },
    },
    destination,
  );
}

/** An error as it may be logged. Of a database error the text is dropped: it quotes the row. */
export function describeError(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { message: scrub(String(error)) };
  const { code, table, constraint, routine, severity } = error as Error & Record<string, unknown>;
  if (typeof severity === 'string') {
    return { type: 'DatabaseError', code, table, constraint, routine, stack: framesOf(error) };
  }
  const { type, message, stack } = stdSerializers.err(error);
  return { type, ...(typeof code === 'string' && { code }), message: scrub(message), stack: scrub(stack) };
}

function framesOf(error: Error): string {
  return (error.stack ?? '')
    .split('\n')
    .filter((line) => /^\s+at /.test(line))
    .join('\n');
}

const secrets: [RegExp, string][] = [
  [/\beyJ[\w-]+\.[\w-]+\.[\w-]*/g, '[token]'],
  [/\bparley_[a-z]+_[\w-]+/g, '[secret]'],
  [/\bwhsec_[\w+/=]+/g, '[secret]'],
  [/[^\s@"'<>()/]+@[^\s@"'<>()/]+\.[^\s@"'<>():/]+/g, '[email]'],
  [/\+?\d(?:[\s().-]{0,3}\d){6,14}\b/g, '[number]'],
];

/** Takes tokens, secrets, addresses and telephone numbers out of a text. */
export function scrub(text: string): string {
  return secrets.reduce((scrubbed, [pattern, mark]) => scrubbed.replace(pattern, mark), text);
}
