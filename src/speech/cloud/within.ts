import { EngineError } from './engine-error.ts';

/** The same answer, or an error when it is late; whoever asked still has to call it off. */
export async function within<T>(promise: Promise<T>, ms: number, what: string): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new EngineError('timeout', `${what} in ${ms} ms`)), ms);
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
