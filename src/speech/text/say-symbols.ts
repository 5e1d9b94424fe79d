const words: Record<string, string> = {
  '&': 'and',
  '@': 'at',
  '%': 'percent',
  '+': 'plus',
  '=': 'equals',
  '°': 'degrees',
  '±': 'plus or minus',
  '÷': 'divided by',
  '×': 'times',
  '≈': 'about',
  '≤': 'at most',
  '≥': 'at least',
  '≠': 'not equal to',
  '§': 'section',
  '€': 'euros',
  '£': 'pounds',
  '¥': 'yen',
  '₹': 'rupees',
  $: 'dollars',
};

/** Signs beside numbers, while the digits are still there to tell what they mean. */
export function saySignsOfNumbers(text: string): string {
  return text
    .replace(/~ ?(?=[$£€¥₹]?\d)/g, 'about ')
    .replace(/> ?= ?(?=[$£€¥₹-]?\d)/g, 'at least ')
    .replace(/< ?= ?(?=[$£€¥₹-]?\d)/g, 'at most ')
    .replace(/> ?(?=[$£€¥₹-]?\d)/g, 'more than ')
    .replace(/< ?(?=[$£€¥₹-]?\d)/g, 'less than ')
    .replace(/(?<=\d) ?\* ?(?=\d)/g, ' times ')
    .replace(/(?<=[\d)]) - (?=[\d(])/g, ' to ')
    .replace(/(?<![\w.)%-])-(?=\.?\d)/g, 'minus ');
}

/** What is left of signs: a few have a word, brackets become pauses, all others go. */
export function saySymbols(text: string): string {
  return text
    .replace(/#(?=[A-Za-z])/g, 'hashtag ')
    .replace(/[&@%+=°±÷×≈≤≥≠§€£¥₹$]/g, (sign) => ` ${words[sign] ?? ''} `)
    .replace(/(?<=\w) ?\/ ?(?=\w)/g, ' slash ')
    .replace(/(?<=[\w.!?"']) ?[([{](?=[\w"' ])/g, ', ')
    .replace(/[)\]}](?= ?[\w"'])/g, ', ')
    .replace(/\|/g, ', ')
    .replace(/[^A-Za-z ,.?!;:'"-]/g, ' ')
    .replace(/(?<![A-Za-z])-+|-+(?![A-Za-z])/g, ' ');
}

/** Spaces and commas as a typist would set them. */
export function tidy(text: string): string {
  return text
    .replace(/ {2,}/g, ' ')
    .replace(/ (?=[,.?!;:](?![A-Za-z]))/g, '')
    .replace(/,(?:,| )*(?=[,.?!;:])/g, '')
    .replace(/(?<=[.?!;:]),(?= |,|$)/g, '')
    .replace(/(?<=[?!])\.(?!\.)/g, '')
    .replace(/^[ ,;:-]+|[ ,;:]+$/g, (end, at: number) => (at === 0 ? '' : end.trimEnd()))
    .trim();
}
