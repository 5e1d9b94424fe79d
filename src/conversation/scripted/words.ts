const stopWords = new Set(
  `a an the this that these those any some no not of to for in on at by with from about and or but if when while as is are
  was were be been am do does did have has had i you he she it we they me him her us them my your his its our their
  please just so very too also would will can could should may might must there here what which who how why where than
  then them themselves yourself ever never always`.split(/\s+/),
);

/** Lower-case words without signs: "#4411," is "4411", "they’re" is "they're". */
export function wordsIn(text: string): string[] {
  return (
    text
      .toLowerCase()
      .replace(/[\u2018\u2019]/g, "'")
      .match(/[\p{L}\p{M}\p{N}]+(?:'[\p{L}\p{M}]+)*/gu) ?? []
  );
}

/** One and many, "call" and "calls", compare alike. */
export function stem(word: string): string {
  const bare = word.replace(/'s$/, '');
  if (bare.length > 4 && bare.endsWith('ies')) return `${bare.slice(0, -3)}y`;
  if (bare.length > 3 && /[^su]s$/.test(bare)) return bare.slice(0, -1);
  return bare;
}

export function stemsIn(text: string): string[] {
  return wordsIn(text).map(stem);
}

/** The words that carry a meaning of their own. */
export function contentStems(text: string): string[] {
  return wordsIn(text)
    .filter((word) => !stopWords.has(word))
    .map(stem);
}

/** Whether these words stand in the text one after the other. */
export function hasRun(stems: readonly string[], run: readonly string[]): boolean {
  if (run.length === 0) return false;
  return ` ${stems.join(' ')} `.includes(` ${run.join(' ')} `);
}

export function capitalised(text: string): string {
  const [first = ''] = text;
  return first.toUpperCase() + text.slice(first.length);
}

/** A sentence: begins with a capital, ends with a sign. */
export function asSentence(text: string): string {
  const trimmed = text
    .trim()
    .replace(/[\s,;:]+$/, '')
    .trim();
  if (trimmed === '') return '';
  return /[.!?…]["')\]]*$/.test(trimmed) ? capitalised(trimmed) : `${capitalised(trimmed)}.`;
}

/** Sentences that are there, with a space between them. */
export function joined(...parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join(' ');
}

/** "Ada" of "Ada Lovelace", but "Dr. Lovelace" as it is. */
export function shortName(name: string): string {
  const clean = withoutBraces(name).trim().replace(/\s+/g, ' ');
  const [first = ''] = clean.split(' ');
  return /^(?:mr|mrs|ms|miss|mx|dr|prof|professor|sir|madam|herr|frau|don|the)\.?$/i.test(first) ? clean : first;
}

export function withoutBraces(text: string): string {
  return text.replace(/[{}]/g, '');
}
