/** First and last byte, both included. */
export type ByteRange = { start: number; end: number };

/**
 * Which part of `size` bytes a Range header asks for (RFC 9110 §14). What is not understood, and several ranges at
 * once, may be ignored: the whole is then sent.
 */
export function readByteRange(header: string | undefined, size: number): ByteRange | 'whole' | 'not_satisfiable' {
  const [, first = '', last = ''] = /^bytes=[ \t]*(\d*)-(\d*)[ \t]*$/i.exec(header ?? '') ?? [];
  if (first === '' && last === '') return 'whole';
  if (first === '')
    return Number(last) === 0 || size === 0 ? 'not_satisfiable' : toRange(size - Number(last), size, size);
  if (last !== '' && Number(last) < Number(first)) return 'whole';
  if (Number(first) >= size) return 'not_satisfiable';
  return toRange(Number(first), last === '' ? size : Number(last), size);
}

function toRange(start: number, end: number, size: number): ByteRange {
  return { start: Math.max(start, 0), end: Math.min(end, size - 1) };
}
