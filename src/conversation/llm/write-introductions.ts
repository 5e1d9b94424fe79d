import { generateText, type LanguageModel } from 'ai';
import { sentences } from '../../speech/text/sentences.ts';
import type { Brief } from '../mind.ts';
import { tellNotes } from '../scripted/notes.ts';
import { fillPlaceholders } from '../scripted/placeholders.ts';
import type { Ground } from '../scripted/replies.ts';
import { ownWordsFor } from '../scripted/verbatim.ts';
import { hasRun, shortName, stemsIn, withoutBraces, wordsIn } from '../scripted/words.ts';
import { Reply } from './reply.ts';
import { speakable } from './speakable.ts';

export interface Written {
  texts: { introduction?: string; voicemail?: string };
  /** Whether it is all that there was to write. */
  isComplete: boolean;
}

const mostTokens = 600;
const mostWords = 90;

/** An introduction and a voicemail in the model's words, each only if nothing in it is copied or invented. */
export async function writeIntroductions(
  model: LanguageModel,
  { brief, known, wording }: Ground,
  signal: AbortSignal,
): Promise<Written> {
  const notes = fillPlaceholders(brief.introNotes ?? '', known);
  const isWanted = { introduction: isMissing(brief.introMessage), voicemail: isMissing(brief.introVoicemail) };
  if (notes.trim() === '' || !(isWanted.introduction || isWanted.voicemail)) return { texts: {}, isComplete: true };
  const { text } = await generateText({
    model,
    instructions: requestFor(brief),
    prompt: `Notes: ${JSON.stringify(notes.replace(/\s+/g, ' ').trim())}`,
    maxOutputTokens: mostTokens,
    maxRetries: 0,
    abortSignal: signal,
  });
  const own = ownWordsFor(notes);
  const avoided = tellNotes(notes, brief.calleeName).avoided.map(stemsIn);
  const isGood = (written: string) =>
    written !== '' &&
    wordsIn(written).length <= mostWords &&
    saysWho(written, brief) &&
    sentences(written).every((sentence) => new Reply(wording, [], false).admit(sentence).length > 0) &&
    !avoided.some((topic) => hasRun(stemsIn(written), topic)) &&
    !own.repeats(written) &&
    !invents(written, notes, brief);
  const introduction = partOf(text, 'INTRODUCTION');
  const voicemail = partOf(text, 'VOICEMAIL');
  const texts = {
    ...(isWanted.introduction && isGood(introduction) && { introduction }),
    ...(isWanted.voicemail && isGood(voicemail) && { voicemail }),
  };
  return {
    texts,
    isComplete: 'introduction' in texts === isWanted.introduction && 'voicemail' in texts === isWanted.voicemail,
  };
}

function isMissing(text: string | undefined): boolean {
  return text === undefined || text.trim() === '';
}

function requestFor({ agent, calleeName, questions }: Brief): string {
  const caller = withoutBraces(`${agent.name} from ${agent.company}`);
  return `You write what ${caller} says on the phone to ${withoutBraces(shortName(calleeName))}, in plain spoken English without any markup.
From the notes write two texts of two to four short sentences:
INTRODUCTION: what is said when the person answers: a greeting with the name, who calls, why.${questions.length > 0 ? ' It ends with the question whether they have a minute.' : ''}
VOICEMAIL: what is left on their answering machine: the same without a question, and that they will be called again.
Address the person as "you". Say it in your own words: never more than four words in a row as they stand in the notes. Leave out instructions that the notes give to you. Add no fact, name, number or date that the notes do not have.
Answer with exactly two lines, one beginning with "INTRODUCTION:", one with "VOICEMAIL:".`;
}

function partOf(text: string, label: 'INTRODUCTION' | 'VOICEMAIL'): string {
  const found = new RegExp(
    `\\b${label}\\**\\s*:\\**\\s*([\\s\\S]*?)(?=\\bINTRODUCTION\\**\\s*:|\\bVOICEMAIL\\**\\s*:|$)`,
  ).exec(text.replace(/<think>[\s\S]*?<\/think>/gi, ''));
  return sentences((found?.[1] ?? '').replace(/^\s*["“]|["”]\s*$/g, ''))
    .map(speakable)
    .join(' ')
    .trim();
}

function saysWho(text: string, { agent }: Brief): boolean {
  const said = stemsIn(text);
  return [agent.name, agent.company].some((name) => hasRun(said, stemsIn(withoutBraces(name))));
}

const numerals =
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty'.split(
    ' ',
  );
const amounts = new Set(
  'thirty forty fifty sixty seventy eighty ninety hundred thousand million half double twice percent dollars euros pounds dozen first second third'.split(
    ' ',
  ),
);
// "Good morning" too: what hour it is when somebody answers nobody knows before the call.
const times = new Set(
  'today tomorrow yesterday tonight noon midnight morning afternoon evening week weekend month year monday tuesday wednesday thursday friday saturday sunday january february march april june july august september october november december'.split(
    ' ',
  ),
);
// Words that open a sentence without being a name.
const openers = new Set(
  'hello hi hey good this i we our you your it its is are do does did would could can may might will please thank thanks the a an if when that there have has had let just as and so also at on in for from with before after goodbye bye sorry now since because regarding about to by not no yes what how here my they once until although while'.split(
    ' ',
  ),
);

/** Whether a text has a number, a name or a time that nobody gave. */
function invents(text: string, notes: string, brief: Brief): boolean {
  const given = [
    notes,
    brief.agent.name,
    brief.agent.company,
    brief.calleeName,
    ...brief.questions,
    ...brief.form.flatMap(({ key, value }) => [key, value]),
  ].join(' ');
  const known = new Set([...stemsIn(given), ...digitsIn(given)]);
  const isKnown = (word: string) => stemsIn(word).every((one) => known.has(one));
  for (const [index, word] of numerals.entries()) if (known.has(String(index))) known.add(word);
  for (const word of stemsIn(given)) if (numerals.includes(word)) known.add(String(numerals.indexOf(word)));
  if (digitsIn(text).some((digits) => !known.has(digits))) return true;
  return sentences(text).some((sentence) =>
    (sentence.match(/[\p{L}\p{M}\p{N}]+(?:['’][\p{L}\p{M}]+)*/gu) ?? []).some((word, index) => {
      const lower = word.toLowerCase().replace(/['’].*$/, '');
      const mustBeGiven =
        /\d/.test(word) ||
        amounts.has(lower) ||
        times.has(lower) ||
        (numerals.includes(lower) && lower !== 'one') ||
        (/^\p{Lu}/u.test(word) && !(index === 0 && openers.has(lower)) && lower !== 'i');
      return mustBeGiven && !isKnown(word) && !isKnown(lower);
    }),
  );
}

function digitsIn(text: string): string[] {
  return (text.match(/\d+(?:[.,]\d+)*/g) ?? []).map((digits) => digits.replace(/[.,]/g, ''));
}
