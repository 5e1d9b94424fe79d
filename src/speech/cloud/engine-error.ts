export type EngineErrorCode =
  | 'unauthorised'
  | 'rate-limited'
  | 'refused'
  | 'failed'
  | 'timeout'
  | 'broken'
  | 'unreadable'
  | 'empty';

/**
 * How an engine failed. The message is made of our own words: what vendors write may quote the text that
 * was to be spoken, or the key.
 */
export class EngineError extends Error {
  readonly code: EngineErrorCode;

  constructor(code: EngineErrorCode, message: string) {
    super(message);
    this.name = 'EngineError';
    this.code = code;
  }
}

export function errorOfStatus(status: number): EngineError {
  return new EngineError(codeOfStatus(status), `HTTP ${status}`);
}

function codeOfStatus(status: number): EngineErrorCode {
  if (status === 401 || status === 403) return 'unauthorised';
  if (status === 429) return 'rate-limited';
  return status >= 400 && status < 500 ? 'refused' : 'failed';
}

/** What `fetch` and sockets throw, as an engine's error; anything else is a bug and stays as it is. */
export function asEngineError(error: unknown): unknown {
  if (error instanceof EngineError || !(error instanceof Error)) return error;
  const code = codeOf(error) ?? codeOf(error.cause);
  if (code !== undefined) return new EngineError('broken', `the connection broke (${code})`);
  const isFetch = error instanceof TypeError && /^(?:fetch failed|terminated)$/.test(error.message);
  return isFetch ? new EngineError('broken', 'the connection broke') : error;
}

function codeOf(error: unknown): string | undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' &&
    /^(?:E(?!RR_)[A-Z_]+|UND_ERR_\w+|HPE_\w+|ERR_(?:TLS|SSL)\w*|\w*CERT\w*|UNABLE_TO_\w+)$/.test(code)
    ? code
    : undefined;
}
