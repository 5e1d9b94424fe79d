import type { Codec } from './codec.ts';
import { pcma, pcmu } from './g711.ts';
import { g722 } from './g722.ts';

/** All that we speak, the most wanted first. */
export const codecs: readonly Codec[] = [pcmu, pcma, g722];

export function codecNamed(name: string): Codec {
  const found = codecs.find((codec) => codec.name === name);
  if (!found) throw new Error(`There is no codec ${name}`);
  return found;
}
