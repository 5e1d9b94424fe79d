const impossibleClusters =
  /[bcdfghjklmnpqrstvwxz]{5}|q(?!u)|^(?:[bcdfgjkmnpqtvxz][bcdfgjkmpqtvxz]|[hjlmnrvwx][bcdfgjklnpqstvxz])(?!i?[aeiou]{2}l$)/;

/** Whether a lower-case word has the shape of something that can be read aloud. */
export function isPronounceable(word: string): boolean {
  const lower = word.toLowerCase();
  return /[aeiouy]/.test(lower) && !impossibleClusters.test(lower.replace(/^(?:ph|ch|th|sh|wh|kn|gn|ps|mc|gm)/, 's'));
}

/** "abc" → "A B C". Capitals, since a small "a" alone is read as the article. */
export function lettersApart(letters: string): string {
  return Array.from(letters.toUpperCase()).join(' ');
}
