import { asEngineError, EngineError, errorOfStatus } from './engine-error.ts';

/** The SDK's errors hold the request, which is what somebody said or was to be told. */
export async function asSdkError(error: unknown): Promise<unknown> {
  const { APICallError, AISDKError } = await import('ai');
  if (APICallError.isInstance(error)) {
    const { statusCode } = error;
    if (statusCode === undefined) return new EngineError('broken', 'the connection broke');
    return statusCode < 400 ? new EngineError('unreadable', 'the answer is not understood') : errorOfStatus(statusCode);
  }
  if (AISDKError.isInstance(error))
    return new EngineError('unreadable', `the answer is not understood (${error.name})`);
  return asEngineError(error);
}
