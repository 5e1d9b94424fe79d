const direction =
  /^(?:[a-z]+ly )?(?:laugh\w*|smil\w+|paus\w+|sigh\w*|chuckl\w+|giggl\w+|clear\w* (?:his|her|their|my)? ?throat|wait\w*|beat|silence|silent\w*|typing|whisper\w*|nod\w*|listen\w*|breath\w*|softly|warmly|cheerfully|gently|kindly|politely|calmly|quietly|enthusiastically|thinking|thinks|in an? [\w ]+ (?:tone|voice|manner)|with an? [\w ]+ (?:tone|voice|smile)|tone\b.*|end(?:s|ing)? (?:of )?(?:the )?call.*|hang\w* up.*|call (?:ends|ended).*|dial\w*|ring\w*|no response|speaking [\w ]+)\b[^()]{0,60}$/i;
const machinery =
  /[{}\\|]|\bhttps?:|\bwww\.|"\w+"\s*:|\b(?:record_answer|next_question|hang_up|mark_do_not_call|request_callback|press_keys|tool_calls?|function_calls?|null|undefined)\b|\b(?:transfer|hang_up)\s*\(/i;
const speakers = /^(?:assistant|agent|ai|system|bot|me|you|caller|operator)\s*[:>]\s*/i;

/** What of a model's sentence a voice can say: words without marks and stage directions; empty where it is none. */
export function speakable(sentence: string): string {
  const bare = sentence
    .replace(/\*+([^*]{1,80}?)\*+/g, (_, inner: string) => (direction.test(inner.trim()) ? ' ' : inner))
    .replace(/\(([^()]*)\)/g, (whole, inner: string) => (direction.test(inner.trim()) ? ' ' : whole))
    .replace(/(?<![\p{L}\p{N}])_+|_+(?![\p{L}\p{N}])|[*`~]+/gu, '')
    .replace(/^\s*(?:#{1,6}\s+|>\s*|[-•–—+]\s+|\d{1,2}[.)]\s+(?=\p{Lu}))/u, '')
    .replace(/\p{Extended_Pictographic}|[\u{1F1E6}-\u{1F1FF}]|\u{FE0F}|\u{200D}|\u{20E3}/gu, '')
    .replace(/[\p{Cc}\p{Cf}]/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim()
    .replace(speakers, '')
    .replace(/^[\s.,;:!?…)\]]+/, '')
    .trim();
  const said = loneQuote(bare).replace(/\s+(?=[.,;!?])/g, '');
  if (!/[\p{L}\p{N}]/u.test(said) || machinery.test(said)) return '';
  return said;
}

/** Quotation marks whose other half is in another sentence. */
function loneQuote(text: string): string {
  return (text.match(/["\u201c\u201d]/g) ?? []).length % 2 === 0 ? text : text.replace(/["\u201c\u201d]/g, '').trim();
}
