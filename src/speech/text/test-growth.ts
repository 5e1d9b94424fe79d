const length = 5000;
const factor = 4;

/**
 * How many times longer four times the text takes: about 4 where the work is linear, 16 where it is
 * quadratic. The least of several tries, since a busy machine only ever adds to a time.
 */
export function growthOf(run: (text: string) => unknown, scrap: string): number {
  const short = scrap.repeat(Math.ceil(length / scrap.length));
  const long = scrap.repeat(Math.ceil((length * factor) / scrap.length));
  run(short);
  let least = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < 4 && least > factor * 2; attempt++) {
    // Below two milliseconds the clock tells nothing.
    const base = Math.max(2, timed(run, short), timed(run, short));
    least = Math.min(least, Math.min(timed(run, long), timed(run, long)) / base);
  }
  return least;
}

function timed(run: (text: string) => unknown, text: string): number {
  const start = performance.now();
  run(text);
  return performance.now() - start;
}
