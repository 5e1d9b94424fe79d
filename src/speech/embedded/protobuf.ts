/** One field of a protobuf message as it lies on the wire; only the kinds that ONNX models use. */
export interface Field {
  number: number;
  /** A varint's value, or the bytes of a string, a nested message or a packed array. */
  value: bigint | Uint8Array;
  /** Fixed-width fields keep their width, to be written as they were. */
  wire: 0 | 1 | 2 | 5;
}

export function readFields(bytes: Uint8Array): Field[] {
  const fields: Field[] = [];
  let at = 0;
  const varint = () => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes[at++];
      if (byte === undefined) throw new Error('The message is cut short');
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  };
  const take = (length: number) => {
    if (at + length > bytes.length) throw new Error('The message is cut short');
    at += length;
    return bytes.subarray(at - length, at);
  };
  while (at < bytes.length) {
    const tag = Number(varint());
    const number = tag >>> 3;
    const wire = tag & 7;
    if (wire === 0) fields.push({ number, wire, value: varint() });
    else if (wire === 1) fields.push({ number, wire, value: take(8) });
    else if (wire === 2) fields.push({ number, wire, value: take(Number(varint())) });
    else if (wire === 5) fields.push({ number, wire, value: take(4) });
    else throw new Error(`Wire type ${wire} is not known`);
  }
  return fields;
}

export function writeFields(fields: Field[]): Uint8Array {
  const parts: Uint8Array[] = [];
  for (const { number, wire, value } of fields) {
    parts.push(varintBytes(BigInt(number * 8 + wire)));
    if (typeof value === 'bigint') parts.push(varintBytes(value));
    else if (wire === 2) parts.push(varintBytes(BigInt(value.length)), value);
    else parts.push(value);
  }
  return new Uint8Array(Buffer.concat(parts));
}

export function bytesField(number: number, value: Uint8Array | string): Field {
  return { number, wire: 2, value: typeof value === 'string' ? new TextEncoder().encode(value) : value };
}

/** Every value of a field that is a string or a nested message. */
export function bytesOf(fields: Field[], number: number): Uint8Array[] {
  return fields.flatMap((field) => (field.number === number && typeof field.value !== 'bigint' ? [field.value] : []));
}

export function textOf(fields: Field[], number: number): string {
  return textsOf(fields, number)[0] ?? '';
}

export function textsOf(fields: Field[], number: number): string[] {
  return bytesOf(fields, number).map((bytes) => new TextDecoder().decode(bytes));
}

function varintBytes(value: bigint): Uint8Array {
  const bytes: number[] = [];
  let rest = value;
  while (rest > 0x7fn) {
    bytes.push(Number(rest & 0x7fn) | 0x80);
    rest >>= 7n;
  }
  bytes.push(Number(rest));
  return Uint8Array.from(bytes);
}
