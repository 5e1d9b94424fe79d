// Letters that Unicode does not take apart into a base letter and a mark.
const letters: Record<string, string> = {
  Ł: 'L',
  ł: 'l',
  Ø: 'O',
  ø: 'o',
  Đ: 'D',
  đ: 'd',
  Ð: 'D',
  ð: 'd',
  Þ: 'Th',
  þ: 'th',
  ß: 'ss',
  ẞ: 'SS',
  Æ: 'Ae',
  æ: 'ae',
  Œ: 'Oe',
  œ: 'oe',
  ı: 'i',
  Ħ: 'H',
  ħ: 'h',
  ŋ: 'n',
};
const signs: Record<string, string> = {
  '™': '',
  '®': '',
  '©': '',
  '№': 'number ',
  '₤': '£',
  '−': '-',
  '–': '-',
  '‐': '-',
  '‑': '-',
  '‒': '-',
  '⁃': '-',
  '—': ' -- ',
  '―': ' -- ',
  '‘': "'",
  '’': "'",
  '‛': "'",
  ʼ: "'",
  '′': "'",
  '´': "'",
  '“': '"',
  '”': '"',
  '„': '"',
  '‟': '"',
  '″': '"',
  '«': '"',
  '»': '"',
  '•': '\n* ',
  '‣': '\n* ',
  '●': '\n* ',
  '▪': '\n* ',
};

/** ASCII letters, straight quotes, plain dashes and single spaces; lines stay lines. */
export function toPlainLetters(text: string): string {
  return text
    .replace(
      /\b(km|cm|mm|mi|ft|in|yd|m) ?([²³])/g,
      (_, unit: string, power: string) => `${power === '²' ? 'sq' : 'cu'} ${unit}`,
    )
    .replace(/²/g, ' squared')
    .replace(/³/g, ' cubed')
    .replace(/(?<=\d)(?=[¼-¾⅐-⅞])/g, ' ')
    .replace(/[™®©№₤−–‐‑‒⁃—―‘’‛ʼ′´“”„‟″«»•‣●▪]/g, (sign) => signs[sign] ?? sign)
    .normalize('NFKC')
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .replace(/[ŁłØøĐđÐðÞþßẞÆæŒœıĦħŋ]/g, (letter) => letters[letter] ?? letter)
    .replace(/\r\n?|[\u2028\u2029\v\f]/g, '\n')
    .replace(/\p{Cf}|(?!\n|\t)\p{Cc}/gu, '')
    .replace(/[^\S\n]+/g, ' ');
}

/** Markdown and lists become sentences: the signs go, an item or a heading ends with a full stop. */
export function withoutMarkup(text: string): string {
  const lines = text
    .replace(/!?\[([^[\]\n]{1,300})\]\([^()\s]{1,300}\)/g, '$1')
    .replace(/```\w{0,20}/g, '')
    .replace(/`/g, '')
    .split('\n');
  let said = '';
  let paragraph = false;
  for (const line of lines) {
    const isRule = /^ ?(?:[-*_=] ?){3,}$/.test(line);
    const item = /^ ?(?:[-*+>] |#{1,6} |\d{1,3}[.)] (?=\S))/.exec(line);
    const bare = isRule ? '' : item && !/\d/.test(item[0]) ? line.slice(item[0].length) : line;
    const content = bare.trim();
    if (content === '') {
      paragraph = true;
      continue;
    }
    if (said === '') said = content;
    else if ((paragraph || item) && !/[.,;:!?]["')\]]?$/.test(said)) said += `. ${content}`;
    else said += ` ${content}`;
    paragraph = line.trimStart().startsWith('#') && item !== null;
  }
  return said
    .replace(/(?<![\w*])\*{1,3}(?=\S)([^*\n]{1,300}?)\*{1,3}(?![\w*])/g, '$1')
    .replace(/(?<!\w)_{1,3}(?=\S)([^_\n]{1,300}?)_{1,3}(?!\w)/g, '$1')
    .replace(/~~/g, '')
    .replace(/(?<=^| )[:;]-?[)(DP](?= |$)/g, '')
    .replace(/ ?--+ ?/g, ', ')
    .replace(/(?<=[A-Za-z.!?"')]) - (?=\S)|(?<=\S) - (?=[A-Za-z"'(])/g, ', ')
    .replace(/ {2,}/g, ' ')
    .trim();
}
