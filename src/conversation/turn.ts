/**
 * Who has the floor. A pure account of turn-taking: it is told what happens and when, in milliseconds of
 * sound heard since the answer, and says what is to be done about it.
 */
export interface Floor {
  nowMs: number;
  /** `held`: silent in the middle of a sentence, until it is known whether the person wants to speak. */
  voice: 'silent' | 'speaking' | 'held';
  /** Whether these are our last words: nothing stops them. */
  isLast: boolean;
  /** When our first words to somebody who just came to the telephone began. */
  openedMs: number | undefined;
  /** The person is speaking. */
  talk: { startMs: number; isOverVoice: boolean; isGreeting: boolean } | undefined;
  /** A reply is being thought of. */
  isThinking: boolean;
  /** Since when nobody speaks although it is their turn. */
  quietSinceMs: number | undefined;
}

export type TurnEvent =
  /** `isVoiced`: they are speaking in this moment. */
  | { kind: 'time'; nowMs: number; isVoiced: boolean }
  | { kind: 'voice-began'; isOpening: boolean; isLast: boolean }
  | { kind: 'voice-ended' }
  | { kind: 'speech-began'; atMs: number }
  /** An utterance is over; `isAsking` when our voice was at the end of a question. */
  | { kind: 'understood'; text: string; confidence: number; lengthMs: number; isAsking: boolean };

export type TurnEffect =
  /** Falls silent for a moment. */
  | { kind: 'hold' }
  /** Goes on where it fell silent. */
  | { kind: 'resume' }
  /** Gives up what it was saying, or was about to say. */
  | { kind: 'cut' }
  | { kind: 'reply'; isInterruption: boolean }
  /** Nobody says a word. */
  | { kind: 'prompt' };

/** Whoever picks up says hello; that this meets our first words is nobody's interruption. */
const pickUpMs = 1_500;
const longestHelloMs = 1_800;
/** Speech that goes on for this long is no "mm-hm". */
const longestBackChannelMs = 900;
/** So long a person may think. */
const silenceMs = 5_000;

export const newFloor: Floor = {
  nowMs: 0,
  voice: 'silent',
  isLast: false,
  openedMs: undefined,
  talk: undefined,
  isThinking: false,
  quietSinceMs: undefined,
};

export interface Turned {
  floor: Floor;
  effects: TurnEffect[];
}

export function takeTurn(floor: Floor, event: TurnEvent): Turned {
  switch (event.kind) {
    case 'time':
      return passTime({ ...floor, nowMs: event.nowMs }, event.isVoiced);
    case 'voice-began':
      return become({
        ...floor,
        voice: 'speaking',
        isLast: event.isLast,
        isThinking: false,
        quietSinceMs: undefined,
        ...(event.isOpening && { openedMs: floor.nowMs }),
      });
    case 'voice-ended':
      return become({ ...floor, voice: 'silent', quietSinceMs: floor.talk ? undefined : floor.nowMs });
    case 'speech-began':
      return beginSpeech(floor, event.atMs);
    case 'understood':
      return understand({ ...floor, talk: undefined }, floor.talk, event);
  }
}

function passTime(floor: Floor, isVoiced: boolean): Turned {
  const { nowMs, talk, voice } = floor;
  // Whoever has fallen silent has said something that will be understood in a moment.
  if (talk?.isOverVoice && isVoiced && !floor.isLast) {
    const longestMs = talk.isGreeting ? longestHelloMs : longestBackChannelMs;
    if (voice !== 'silent' && nowMs - talk.startMs >= longestMs) {
      return become({ ...floor, voice: 'silent', talk: { ...talk, isGreeting: false } }, { kind: 'cut' });
    }
  }
  const isQuiet = floor.quietSinceMs !== undefined && nowMs - floor.quietSinceMs >= silenceMs;
  if (!isQuiet || talk || voice !== 'silent' || floor.isThinking) return become(floor);
  return become({ ...floor, quietSinceMs: undefined, isThinking: true }, { kind: 'prompt' });
}

function beginSpeech(floor: Floor, atMs: number): Turned {
  const begun = { ...floor, quietSinceMs: undefined };
  const isOverVoice = floor.voice !== 'silent' || floor.isThinking;
  const isGreeting = floor.openedMs !== undefined && floor.voice !== 'silent' && atMs < floor.openedMs + pickUpMs;
  const talking = { ...begun, talk: { startMs: atMs, isOverVoice, isGreeting } };
  if (floor.isThinking) return become({ ...talking, isThinking: false }, { kind: 'cut' });
  if (floor.voice !== 'speaking' || floor.isLast || isGreeting) return become(talking);
  return become({ ...talking, voice: 'held' }, { kind: 'hold' });
}

function understand(
  floor: Floor,
  talk: Floor['talk'],
  { isAsking, ...heard }: Extract<TurnEvent, { kind: 'understood' }>,
): Turned {
  const { text } = heard;
  if (floor.isLast && floor.voice !== 'silent') return become(floor, { kind: 'reply', isInterruption: true });
  if (floor.voice === 'silent') {
    const isInterruption = talk?.isOverVoice ?? false;
    return become({ ...floor, isThinking: true }, { kind: 'reply', isInterruption });
  }
  const isPassing = talk?.isGreeting
    ? text.trim() === '' || isPickUp(text)
    : text.trim() === '' || (isAsking ? isBackChannel(text) && !isShortAnswer(text) : isAside(heard));
  if (!isPassing) {
    return become(
      { ...floor, voice: 'silent', isThinking: true },
      { kind: 'cut' },
      { kind: 'reply', isInterruption: true },
    );
  }
  return floor.voice === 'held' ? become({ ...floor, voice: 'speaking' }, { kind: 'resume' }) : become(floor);
}

function become(floor: Floor, ...effects: TurnEffect[]): Turned {
  return { floor, effects };
}

const backChannel =
  /^(?:m+|m+[- ]?h?m+|mhm|hm+|uh[- ]?huh|uhuh|aha|ah|oh|yeah|yep|yup|yes|okay|ok|right|sure|i see|all ?right|got it|really|exactly|of course)(?: (?:m+|yeah|yes|okay|ok|right|sure|i see|all ?right|got it))*$/;

const pickUp =
  /^(?:(?:hello|hallo|hi|hey|good|morning|afternoon|evening|day|there|yes|yeah|okay|well|speaking|here)\b ?)+$|^(?:hello |hi |yes |good \w+ )*(?:this is|it's|it is|my name is) [a-z' -]{1,40}$|^(?!.*\b(?:who|what|why|how)\b)[a-z' -]{1,40} (?:speaking|here)$/;

const meant = /\b(?:who|what|why|how|stop|wrong|not|don't|remove|busy|later|number)\b/;

/** What people say when they pick up, if they do not ask anything. A word alone is a hello, whatever it sounded like. */
function isPickUp(text: string): boolean {
  const said = plain(text);
  return pickUp.test(said) || isBackChannel(text) || (said.split(' ').length <= 2 && !meant.test(said));
}

/** What people say while they listen: it means go on. */
export function isBackChannel(text: string): boolean {
  return backChannel.test(plain(text));
}

function plain(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^a-z' -]/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
}

/** "Uh-huh" sounds like a no to a recogniser that hears it alone; it is surer of a real one. */
const sureNo = 0.85;
const stops =
  /\b(?:no|nope|nah|not|don't|do not|can't|never|stop|wait|hold|hang|moment|second|minute|what|who|why|how|where|sorry|excuse|pardon|hello|hey|hi|listen|help|repeat|again|slow|slower|bye|goodbye|wrong|busy|later|human|robot|person|machine|question|please|thanks|thank)\b/;

/** A grunt or a word that means go on, whatever a recogniser made of it; not one that wants something of us. */
function isAside({ text, confidence, lengthMs }: { text: string; confidence: number; lengthMs: number }): boolean {
  if (isBackChannel(text)) return true;
  const said = plain(text);
  if (/^no(?: no)*$/.test(said) && confidence < sureNo) return true;
  return lengthMs <= longestBackChannelMs && said.split(' ').length <= 2 && !stops.test(said) && !/\?\s*$/.test(text);
}

/** At the end of a question these are its answer. */
function isShortAnswer(text: string): boolean {
  return /\b(?:yes|yeah|yep|yup|sure|of course|okay|ok|right|exactly)\b/i.test(text);
}
