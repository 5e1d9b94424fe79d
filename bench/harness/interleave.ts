import { quietMachine } from './quiet-machine.ts';

/** Measures each side once in every round: A, B, A, B, …, so that what disturbs one disturbs the other. */
export async function interleave<Side extends string>(
  rounds: number,
  sides: Record<Side, () => Promise<number>>,
  signal: AbortSignal,
): Promise<Record<Side, number[]>> {
  const names = Object.keys(sides) as Side[];
  const rates = Object.fromEntries(names.map((name) => [name, [] as number[]])) as Record<Side, number[]>;
  for (let round = 0; round < rounds; round++) {
    for (const name of names) {
      await quietMachine(signal);
      rates[name].push(await sides[name]());
    }
  }
  return rates;
}
