import { exitCode, Failure } from './failure.ts';

const timeoutMs = 90_000; // longer than the service itself lets a request take

export type Request = { method: 'GET' | 'POST'; path: string; headers: Record<string, string>; body?: string };
export type Answer = { status: number; headers: Headers; body: unknown };

/** No answer came. Whether the request arrived is not known. */
export class Unreachable extends Failure {}

export async function ask(url: string, request: Request): Promise<Answer> {
  refuseUnsendable(request.headers);
  const { method, path, headers, body } = request;
  const answer = await exchange(url, path, {
    method,
    headers,
    ...(body !== undefined && { body }),
    redirect: 'manual', // a redirect would carry the API key to another host
    signal: AbortSignal.timeout(timeoutMs),
  });
  return { ...answer, body: parseJson(answer.text) };
}

async function exchange(url: string, path: string, init: RequestInit) {
  try {
    const response = await fetch(url + path, init);
    return { status: response.status, headers: response.headers, text: await response.text() };
  } catch (error) {
    throw new Unreachable(
      exitCode.failed,
      `The service at ${url} cannot be reached (${reasonOf(error)}). Start it with: npx parley start, or give another --url.`,
    );
  }
}

// fetch quotes a value that it cannot send in its error, and that value may be a secret.
function refuseUnsendable(headers: Record<string, string>): void {
  const bad = Object.keys(headers).find((name) => !/^[\x20-\x7e]*$/.test(headers[name] ?? ''));
  if (bad !== undefined) {
    throw new Failure(exitCode.usage, `The value for the header ${bad} has characters that cannot be sent.`);
  }
}

/** A code only: the texts of network errors may quote what was sent. */
function reasonOf(error: unknown): string {
  const { name, cause } = error as Error & { cause?: { code?: unknown } };
  if (name === 'TimeoutError') return `no answer within ${timeoutMs / 1000} s`;
  return typeof cause?.code === 'string' ? cause.code : 'connection failed';
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

type ProblemBody = {
  code?: string;
  title?: string;
  detail?: string;
  errors?: { path: string; message: string }[];
  error?: string;
  error_description?: string;
};

export function problemOf({ body }: Answer): ProblemBody {
  return typeof body === 'object' && body !== null ? body : {};
}

/** The failure that an answer other than 200 is: RFC 9457, or RFC 6749 §5.2 from the token endpoint. */
export function refusal(url: string, answer: Answer): Failure {
  const { code, title, detail, errors, error, error_description } = problemOf(answer);
  const extra = { problem: answer.body, faults: errors?.map(({ path, message }) => `${path}: ${message}`) ?? [] };
  if (error !== undefined)
    return new Failure(tokenExitCode(answer.status, error), `${error}: ${error_description}`, extra);
  if (code === undefined) {
    return new Failure(exitCode.failed, `${url} does not answer like a Parley service (status ${answer.status}).`);
  }
  return new Failure(exitCodeOf(answer.status), `${title}: ${detail}`, extra);
}

function exitCodeOf(status: number): number {
  if (status >= 500) return exitCode.failed;
  if (status === 404) return exitCode.notFound;
  return [400, 413, 415, 422].includes(status) ? exitCode.usage : exitCode.refused;
}

function tokenExitCode(status: number, error: string): number {
  const refused = ['invalid_client', 'unauthorized_client', 'invalid_scope'].includes(error);
  return refused ? exitCode.refused : exitCodeOf(status);
}
