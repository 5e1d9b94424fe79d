import { sentences } from '../../speech/text/sentences.ts';
import { speakable } from './speakable.ts';

const hidden = 'think|thinking|reasoning|reflection|tool_call|tool_calls|function_call|scratchpad';
const unspoken = new RegExp(
  `<(${hidden})\\b[^>]*>[\\s\\S]*?</\\1>|\`\`\`[\\s\\S]*?\`\`\`|<(?!(?:${hidden})\\b)[/!]?[a-z|][^<>]{0,300}>`,
  'gi',
);
const bold = /\*\*+|__+/g;
const link = /\[([^[\]]*)\]\([^()]*\)/g;
const bracketed = /\[[^[\]]*\](?=[^(])/g;
// Where something begins whose end has not come yet, and which may turn out not to be for the ear.
const opened = /<(?=[/!a-z|]|$)|`{3}|[`*_]{1,2}$|\{|\[/i;

/** Turns the pieces of a model's text into sentences that can be spoken, each as soon as it is whole. */
export class SentenceStream {
  #unread = '';
  #text = '';

  push(piece: string): string[] {
    this.#unread = withoutBraced(this.#unread + piece)
      .replace(unspoken, ' ')
      .replace(bold, '')
      .replace(link, '$1')
      .replace(bracketed, ' ');
    const at = this.#unread.search(opened);
    this.#text += at < 0 ? this.#unread : this.#unread.slice(0, at);
    this.#unread = at < 0 ? '' : this.#unread.slice(at);
    const [, space = ''] = /\S(\s*)$/.exec(this.#text) ?? [];
    const found = sentences(this.#text);
    const last = found.pop() ?? '';
    const isWhole = last !== '' && isEnd(last, space !== '');
    this.#text = isWhole ? '' : last + space;
    return spoken(isWhole ? [...found, last] : found);
  }

  /** What is left when nothing more comes; what was opened and never closed is not for the ear. */
  end(): string[] {
    const rest = this.#text;
    this.#text = '';
    this.#unread = '';
    return spoken(sentences(rest));
  }
}

function spoken(found: readonly string[]): string[] {
  return found.map(speakable).filter((sentence) => sentence !== '');
}

/** Objects in JSON, those inside others first. */
function withoutBraced(text: string): string {
  let bare = text;
  for (let before = ''; before !== bare; ) {
    before = bare;
    bare = bare.replace(/\{[^{}]*\}/g, ' ');
  }
  return bare;
}

/** Whether a sentence is over before anything follows it: "$3." and "Dr." are not, "Thank you." is. */
function isEnd(sentence: string, isSpaced: boolean): boolean {
  const ending = isSpaced ? /[.!?…]["')\]]*$/ : /(?:\p{L}{2}[.…]|[!?])["')\]]*$/u;
  if (!ending.test(sentence) || /\.\p{L}{1,2}\.$/u.test(sentence)) return false;
  const isBalanced =
    (sentence.match(/\*/g) ?? []).length % 2 === 0 &&
    (sentence.match(/\(/g) ?? []).length === (sentence.match(/\)/g) ?? []).length;
  return isBalanced && sentences(`${sentence} Xylophones`).at(-1) === 'Xylophones';
}
