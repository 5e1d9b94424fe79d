import { ConfigError } from '../config.ts';

/** What the exit code tells a script; the help of `parley` lists them. */
export const exitCode = {
  ok: 0,
  failed: 1,
  usage: 2,
  notFound: 3,
  refused: 4,
  partlyDone: 5,
  interrupted: 130,
} as const;

export const exitCodesHelp = `Exit codes:
  0    done
  1    failed: the service, the database or Parley itself
  2    wrong usage: arguments, values, settings or the input file
  3    not found
  4    refused by the service: credentials, plan, ownership, limits, state
  5    partly done: an import in which some rows failed
  130  stopped by Ctrl-C; an import says what it did until then`;

/** Why a command did not do what it was told, in words for whoever typed it. */
export class Failure extends Error {
  readonly exitCode: number;
  /** One line for each single fault. */
  readonly faults: string[];
  /** The service's own answer, for scripts. */
  readonly problem: unknown;

  constructor(code: number, message: string, extra: { faults?: string[]; problem?: unknown } = {}) {
    super(hideSecrets(message));
    this.name = 'Failure';
    this.exitCode = code;
    this.faults = (extra.faults ?? []).map(hideSecrets);
    this.problem = extra.problem;
  }

  toJSON() {
    const { exitCode: code, message, faults, problem } = this;
    return { exitCode: code, message, faults, problem };
  }
}

export function toFailure(error: unknown): Failure {
  if (error instanceof Failure) return error;
  if (error instanceof ConfigError) return new Failure(exitCode.usage, error.message);
  const { name, message, stack } = error as Error;
  // An Error with words of our own says enough; anything else is a bug, and its place helps to find it.
  return new Failure(exitCode.failed, name === 'Error' ? message : (stack ?? message));
}

/** The failure on stderr, one line for each fault. */
export function showFailure({ message, faults }: Failure): void {
  process.stderr.write([message, ...faults.map((fault) => `  ${fault}`), ''].join('\n'));
}

export function hideSecrets(text: string): string {
  return text.replace(/\bparley_(secret|key|admin)_[\w-]+/g, 'parley_$1_…');
}
