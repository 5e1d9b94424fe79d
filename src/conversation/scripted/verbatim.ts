/** So many words in a row are a repetition of the notes. */
const longestRun = 6;

interface Token {
  word: string;
  at: number;
  end: number;
}

// Whether "don't", "3:30" and "José" are one word or several is a matter of taste: no way of counting may find a run.
const countings = [
  /[\p{L}\p{M}\p{N}]+/gu,
  /[\p{L}\p{N}]+/gu,
  /\w+/g,
  /[\p{L}\p{M}\p{N}'\u2019]+/gu,
  /[a-z0-9]+/g,
  /[^\s]+/g,
  /[^\s.,;:!?"#()]+/g,
];

// Words that another one can stand for, and where a breath is natural.
const others: Record<string, string> = {
  and: 'and also',
  about: 'regarding',
  regarding: 'about',
  concerning: 'about',
  because: 'since',
  with: 'together with',
  before: 'ahead of',
  but: 'yet',
  until: 'up until',
  currently: 'at present',
  recently: 'not long ago',
  wants: 'would like',
  want: 'would like',
  needs: 'requires',
  need: 'require',
  discuss: 'talk about',
  expires: 'runs out',
  received: 'got',
  bought: 'purchased',
  purchased: 'bought',
  also: 'in addition',
};
const breath =
  /^(?:for|on|in|at|by|from|that|which|who|when|while|if|whether|as|during|after|since|within|into|over|under|through|without|per|via|or|so|where|near)$/;
const clings = /^(?:the|a|an|of|to|his|her|your|their|our|my|in|on|at|for|by|with|from|is|are|was|be|and|or|no|not)$/;
const weekday = '(?:mon|tues|wednes|thurs|fri|satur|sun)day';
const month =
  '(?:january|february|march|april|may|june|july|august|september|october|november|december|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)\\.?';
const day = `(?:(?:next |this )?${weekday}(?:,? ${month} \\d{1,2}(?:st|nd|rd|th)?)?|${month} \\d{1,2}(?:st|nd|rd|th)?(?:,? \\d{4})?|tomorrow|today)`;
const hour = '(?:\\d{1,2}(?::\\d{2})?(?: ?[ap]\\.?m\\b\\.?)?|noon)';
// Whole turns of phrase that say the same, tried before single words.
const turns: [RegExp, string][] = [
  [new RegExp(`\\b((?:on )?${day}),? at (${hour})`, 'gi'), 'at $2 $1'],
  [
    new RegExp(
      `^(You|We) ((?:\\w+ed|bought|sent|spoke|met|wrote|paid|got) (?:(?!(?:about|of|for|to|with|from|in|at|regarding|that|which) )[^\\s.,;]+ )*?[^\\s.,;]+) (on ${day}|last (?:week|month|year)|yesterday)\\.$`,
      'i',
    ),
    'It was $3 that $1 $2.',
  ],
  [/\bthat (?=(?:is|was|are|were|has|had|will|can|expires|ends|starts|begins|includes|costs)\b)/gi, 'which '],
  [new RegExp(`\\bfrom (${day}|\\d\\S*) to (?=${day}|\\d)`, 'gi'), 'between $1 and '],
  [/\bwould like to\b/gi, 'want to'],
  [/\bbecause of\b/gi, 'due to'],
  [/\b(you) asked for\b/gi, '$1 were asking for'],
  [/\bas soon as\b/gi, 'once'],
];

/** Tells what of a text repeats the notes, and says it in other words. */
export interface OwnWords {
  repeats(text: string): boolean;
  /** The same with other words wherever six in a row are those of the notes; undefined where that does not help. */
  reworded(text: string): string | undefined;
}

export function ownWordsFor(notes: string): OwnWords {
  const runs = countings.map((counting) => {
    const noted = tokensOf(notes, counting);
    const known = new Set<string>();
    for (let at = 0; at + longestRun <= noted.length; at++) known.add(gram(noted, at));
    return { counting, known };
  });
  const firstRun = (text: string): Token[] | undefined => {
    for (const { counting, known } of runs) {
      if (known.size === 0) continue;
      const said = tokensOf(text, counting);
      for (let at = 0; at + longestRun <= said.length; at++) {
        if (known.has(gram(said, at))) return said.slice(at, at + longestRun);
      }
    }
    return undefined;
  };
  return {
    repeats: (text) => firstRun(text) !== undefined,
    reworded(text) {
      let said = text;
      for (const [turn, other] of turns) {
        if (!firstRun(said)) return said;
        said = said.replace(turn, other).replace(/(?<=that )(?:You|We)\b/, (word) => word.toLowerCase());
      }
      // Every round breaks a run, but what it puts in may stand in the notes too.
      for (let round = 0; round < mostRounds; round++) {
        const run = firstRun(said);
        if (!run) return said;
        said = broken(said, run, round % 2 === 0 ? 'that is,' : 'namely');
      }
      return undefined;
    },
  };
}

const mostRounds = 25;

function gram(tokens: readonly Token[], at: number): string {
  return tokens
    .slice(at, at + longestRun)
    .map(({ word }) => word)
    .join(' ');
}

function tokensOf(text: string, counting: RegExp): Token[] {
  // Lower case first: a letter that becomes two must not move the places.
  const lower = [...text].map((letter) =>
    letter.toLowerCase().length === letter.length ? letter.toLowerCase() : letter,
  );
  return [...lower.join('').matchAll(counting)].map((match) => ({
    word: match[0],
    at: match.index,
    end: match.index + match[0].length,
  }));
}

function broken(text: string, run: readonly Token[], glue: string): string {
  let best = { score: -1, at: run[0]?.at ?? 0, end: run[0]?.at ?? 0, put: '' };
  for (const [index, token] of run.entries()) {
    const before = run[index - 1];
    const bare = token.word.replace(/[^\p{L}\p{N}]/gu, '');
    const other = others[bare];
    const isWhole = /(?:^|\s)$/.test(text.slice(0, token.at)) && /^(?:[\s.,;!?]|$)/.test(text.slice(token.end));
    if (other !== undefined && bare === token.word && isWhole && best.score < 3 + index / 10) {
      best = { score: 3 + index / 10, at: token.at, end: token.end, put: other };
    }
    if (!before || !/\s$/.test(text.slice(0, token.at))) continue;
    const isName = /^\p{Lu}/u.test(text.slice(before.at)) && /^[\p{Lu}\p{N}]/u.test(text.slice(token.at));
    const score = isName
      ? -0.5
      : breath.test(bare)
        ? 2
        : clings.test(before.word) || /^\d/.test(before.word)
          ? 0.2
          : /^(?:a|an|the|your|our|this)$/.test(bare)
            ? 1.5
            : 1;
    if (best.score >= score + index / 10) continue;
    const space = text.slice(0, token.at).trimEnd().length;
    const comma = /[,;:.!?]$/.test(text.slice(0, space)) ? '' : ',';
    best = { score: score + index / 10, at: space, end: token.at, put: `${comma} ${glue} ` };
  }
  return text.slice(0, best.at) + best.put + text.slice(best.end);
}
