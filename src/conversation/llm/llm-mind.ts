import type { LanguageModel } from 'ai';
import type { Answer, RuleVerdict } from '../../domain/call-result.ts';
import { EngineError } from '../../speech/cloud/engine-error.ts';
import { linkedAbort } from '../../speech/cloud/linked-abort.ts';
import { asSdkError } from '../../speech/cloud/sdk-error.ts';
import type { SpokenDateTime } from '../../speech/text/spoken-date-time.ts';
import type { Aloud, Brief, Heard, Mind, Move, Turn } from '../mind.ts';
import { type Intent, meaningOf } from '../scripted/meaning.ts';
import { fillPlaceholders } from '../scripted/placeholders.ts';
import { readAnswer } from '../scripted/questions.ts';
import { callbackTime } from '../scripted/say-when.ts';
import type { Question } from '../scripted/script.ts';
import { type AgreedEnding, ScriptedMind } from '../scripted/scripted-mind.ts';
import { hasRun, joined, stemsIn } from '../scripted/words.ts';
import { askModel } from './ask-model.ts';
import { type Exchange, History } from './history.ts';
import { instructionsFor } from './prompt.ts';
import { askedIn, isAskedFor, Reply } from './reply.ts';
import { SentenceStream } from './sentence-stream.ts';
import { type AssistantEnd, softened } from './soft-verdicts.ts';
import { type Deeds, noDeeds, optOut, toolsFor } from './tools.ts';
import { writeIntroductions } from './write-introductions.ts';

export interface LlmOptions {
  model: LanguageModel;
  /** How long the person waits for the first sentence, a second try included, before the script goes on. */
  timeoutMs?: number;
  /** How long the introduction may take to be written before the call is dialled. */
  prepareMs?: number;
}

/** One turn that the model leads. */
interface Led {
  utterance: Heard;
  /** What was being asked when it was heard. */
  pending: Question | undefined;
  aloud: Aloud;
  exchange: Exchange;
  reply: Reply;
  deeds: Deeds;
}

const goodbye =
  /\b(?:good ?bye|bye(?:-bye)?)\b|\bhave an? (?:\w+ )?\w+ (?:day|evening|afternoon|morning|weekend|night|one|time)\b|\btake care[.!]?$/i;
const listening: Move['next'] = { kind: 'listen' };

/** A language model leads the conversation; the scripted mind beside it keeps the books and can take over at any time. */
export class LlmMind implements Mind {
  readonly notes: string[] = [];
  readonly #brief: Brief;
  readonly #model: LanguageModel;
  readonly #timeoutMs: number;
  readonly #prepareMs: number;
  readonly #history = new History();
  readonly #unasked: string[][];
  #script: ScriptedMind;
  #isIntroduced = false;
  #isBroken = false;
  #hasOptedOut = false;
  #ended: AssistantEnd;
  #callback: SpokenDateTime | undefined;

  constructor(brief: Brief, { model, timeoutMs = 6_000, prepareMs = 4_000 }: LlmOptions) {
    this.#brief = brief;
    this.#model = model;
    this.#timeoutMs = timeoutMs;
    this.#prepareMs = prepareMs;
    this.#script = new ScriptedMind(brief);
    this.#unasked = this.#script.ground.rules.flatMap(({ orders }) =>
      orders.flatMap((order) => (order.kind === 'no-question' ? order.topics : [])),
    );
  }

  get pace(): number {
    return this.#script.pace;
  }

  async prepare(signal: AbortSignal): Promise<void> {
    const { controller, unlink } = linkedAbort(signal);
    const timer = setTimeout(() => controller.abort(), this.#prepareMs);
    const { promise: late, resolve } = Promise.withResolvers<undefined>();
    controller.signal.addEventListener('abort', () => resolve(undefined), { once: true });
    try {
      const writing = writeIntroductions(this.#model, this.#script.ground, controller.signal);
      const written = await Promise.race([writing.catch(() => undefined), late]);
      this.#script = new ScriptedMind(this.#brief, written?.texts);
      if (!written?.isComplete && !signal.aborted)
        this.notes.push('The language model wrote no usable introduction; the script has one.');
    } finally {
      clearTimeout(timer);
      unlink();
    }
  }

  likely(): string[] {
    return this.#script.likely();
  }

  introduction(): Move {
    this.#isIntroduced = true;
    return this.#scriptedMove(this.#script.introduction());
  }

  voicemail(): string {
    return this.#script.voicemail();
  }

  screener(): string {
    return this.#script.screener();
  }

  menu(heard: string): Move {
    return this.#scriptedMove(this.#script.menu(heard));
  }

  async silence(): Promise<Move> {
    this.#isIntroduced = true;
    return this.#scriptedMove(await this.#script.silence());
  }

  async heard(utterance: Heard, aloud: Aloud): Promise<Move> {
    const exchange = this.#history.hear(utterance);
    const { intents } = meaningOf(utterance.text, this.#brief.calleeName);
    if (this.#hasOptedOut && !this.#ended) return this.#scriptedMove(this.#script.end('opted_out', utterance));
    if (this.#ended || this.#isBroken || !this.#isIntroduced || intents.has('opt-out'))
      return this.#scripted(utterance);
    this.#script.follow(utterance);
    if (this.#script.isTimeUp) return this.#scripted(utterance);
    return this.#lead(utterance, aloud, exchange, intents);
  }

  result(transcript: readonly Turn[]): { answers: Answer[]; rules: RuleVerdict[]; summary: string } {
    const result = this.#script.result(transcript);
    return { ...result, rules: softened(result.rules, transcript, this.#ended) };
  }

  async #lead(utterance: Heard, aloud: Aloud, exchange: Exchange, intents: ReadonlySet<Intent>): Promise<Move> {
    const led: Led = {
      utterance,
      pending: this.#script.script.current,
      aloud,
      exchange,
      reply: new Reply(this.#script.ground.wording, this.#unasked, intents.has('robot')),
      deeds: noDeeds(),
    };
    const { reply, deeds } = led;
    const deadlineAt = performance.now() + this.#timeoutMs;
    let failure: unknown;
    let rest = '';
    for (const isLast of [false, true]) {
      failure = undefined;
      try {
        rest = await this.#listen(led, deadlineAt, isLast);
      } catch (error) {
        failure = await asSdkError(error);
      }
      if (aloud.signal.aborted) return this.#brokenOff(deeds);
      const isSettled = reply.said.length > 0 || reply.hasDropped || deeds.end || deeds.keys !== '' || deeds.asked;
      if (isSettled || performance.now() >= deadlineAt) break;
      failure ??= new EngineError('empty', 'nothing was said');
    }
    if (failure !== undefined) this.#giveUp(failure);
    return this.#settle(led, rest);
  }

  /** One try at hearing the model out; what it said last without an end sign is the rest. */
  async #listen(
    { utterance, aloud, exchange, reply, deeds }: Led,
    deadlineAt: number,
    isLast: boolean,
  ): Promise<string> {
    const messages = this.#history.messages();
    const step = () => {
      const next = { said: [], uses: [] };
      exchange.steps.push(next);
      return next;
    };
    let current: Exchange['steps'][number] = step();
    let stream = new SentenceStream();
    const admit = (sentence: string) => {
      const admitted = reply.admit(sentence);
      current.said.push(...admitted);
      for (const one of admitted) this.#noteAsked(one);
      return admitted;
    };
    const say = (sentence: string) => {
      for (const one of admit(sentence)) aloud.say(one);
    };
    await askModel(
      {
        model: this.#model,
        instructions: instructionsFor({ ...this.#script.ground, questions: this.#script.script.questions }),
        messages,
        tools: toolsFor({
          brief: this.#brief,
          mind: this.#script,
          utterance,
          heard: this.#history.heard,
          deeds,
          isOver: () => aloud.signal.aborted,
        }),
        signal: aloud.signal,
        hasSpoken: () => reply.said.length > 0,
        deadlineAt,
        // A request that shows no sign of life is worth another one while there is time for it.
        aliveWithinMs: isLast ? this.#timeoutMs : this.#timeoutMs / 2,
        stallMs: this.#timeoutMs,
      },
      {
        onText: (text) => {
          if (!aloud.signal.aborted) for (const sentence of stream.push(text)) say(sentence);
        },
        onStep: () => {
          for (const sentence of stream.end()) say(sentence);
          stream = new SentenceStream();
          current = step();
        },
        onToolBegun: (name) => {
          // It must not be lost when the person speaks on before the model has finished.
          if (name === 'mark_do_not_call') optOut(deeds, utterance.turn);
        },
        onToolUse: (use) => current.uses.push(use),
        isDone: () => deeds.end !== undefined || deeds.keys !== '' || reply.hasAsked,
      },
    );
    return aloud.signal.aborted ? '' : stream.end().flatMap(admit).join(' ');
  }

  /** Keeps in step which question is being asked, whether or not the model says so. */
  #noteAsked(sentence: string): void {
    const open = this.#script.script.questions.filter(({ isDropped, answer }) => !isDropped && !answer);
    const asked = askedIn(sentence, open);
    if (asked) this.#script.ask(asked);
  }

  /** Nobody waits for this turn any more: nothing comes of it but what must be on record. */
  #brokenOff(deeds: Deeds): Move {
    this.#remember(deeds);
    return { facts: deeds.facts, say: '', next: listening };
  }

  #remember({ callback, facts }: Deeds): void {
    this.#callback = callback ?? this.#callback;
    this.#hasOptedOut ||= facts.some(({ kind }) => kind === 'opted-out');
  }

  #giveUp(failure: unknown): void {
    this.#isBroken = true;
    const what = failure instanceof EngineError ? `${failure.code}: ${failure.message}` : 'unexpected';
    this.notes.push(`The language model failed (${what}); the script went on.`);
  }

  async #settle(led: Led, rest: string): Promise<Move> {
    const { utterance, reply, deeds } = led;
    const isSilent = reply.said.length === 0;
    this.#remember(deeds);
    this.#script.press(deeds.keys);
    if (!isSilent) this.#keepForgotten(led);
    if (deeds.end) return this.#finish(led, rest);
    const move = { facts: deeds.facts, ...(deeds.keys !== '' && { keys: deeds.keys }), next: listening };
    const { asked } = deeds;
    const hasAsked = reply.hasAsked || (asked !== undefined && isAskedFor(asked, reply.said));
    if (deeds.keys !== '' || hasAsked) return this.#told({ ...move, say: rest });
    if (asked && !asked.answer) return this.#toldMore(move, rest, joined(reply.owed, asked.text));
    if (goodbye.test(reply.said.at(-1) ?? '')) {
      deeds.end = { kind: 'hang-up', ending: this.#callback ? 'callback_requested' : 'completed' };
      return this.#finish(led, rest);
    }
    if (isSilent || this.#isBroken) return this.#withScript(move, rest, utterance);
    if (!deeds.hasRecorded) return this.#told({ ...move, say: rest });
    // An answer was noted and nothing asked: nobody would know whose turn it is.
    const question = this.#script.script.advance();
    if (question) {
      this.#script.ask(question);
      return this.#toldMore(move, rest, question.text);
    }
    deeds.end = { kind: 'hang-up', ending: 'completed' };
    return this.#finish(led, rest);
  }

  /** A model that goes on without noting the answer has heard one nevertheless; the script says which. */
  #keepForgotten({ pending, utterance, deeds }: Led): void {
    const { script } = this.#script;
    if (!pending || pending.answer || (script.current === pending && !deeds.end)) return;
    const { calleeName, now, timeZone } = this.#brief;
    const meaning = meaningOf(utterance.text, calleeName);
    const reading = readAnswer(pending, utterance.text, meaning, utterance.confidence, { now, timeZone });
    const hasValue = reading.status === 'answered' && (reading.value !== null || !deeds.end);
    if (hasValue || reading.status === 'refused') script.record(pending, reading, utterance);
  }

  #toldMore(move: Omit<Move, 'say'>, rest: string, more: string): Move {
    this.#history.say(more);
    return this.#told({ ...move, say: joined(rest, more) });
  }

  async #withScript(move: Omit<Move, 'say'>, rest: string, utterance: Heard): Promise<Move> {
    const scripted = await this.#scripted(utterance);
    return { ...scripted, facts: [...(move.facts ?? []), ...(scripted.facts ?? [])], say: joined(rest, scripted.say) };
  }

  #finish({ utterance, reply, deeds }: Led, rest: string): Move {
    const { end } = deeds;
    const isHandedOver = end?.kind === 'transfer';
    const kind: AgreedEnding = end?.kind === 'hang-up' ? end.ending : 'completed';
    const { now, timeZone } = this.#brief;
    const when = this.#callback ?? callbackTime(utterance.text, { now, timeZone });
    const move = isHandedOver ? this.#script.handOver(end.to) : this.#script.end(kind, utterance, when);
    const known = deeds.facts.map((fact) => fact.kind);
    const facts = [...deeds.facts, ...(move.facts ?? []).filter((fact) => !known.includes(fact.kind))];
    const { wording } = this.#script.ground;
    const own = goodbye.test(reply.text) ? '' : wording.allowed('Goodbye.');
    const closing =
      reply.said.length === 0 ? joined(reply.owed, move.say) : isHandedOver ? '' : joined(...this.#dueWords(kind), own);
    this.#history.say(closing);
    return this.#told({ ...move, facts, say: joined(rest, closing) });
  }

  /** Words that a rule wants said in every call that comes to its end, as far as they were not. */
  #dueWords(kind: AgreedEnding): string[] {
    const { rules, known, wording } = this.#script.ground;
    if (kind !== 'completed' || this.#script.script.hasNext) return [];
    const said = this.#history.said.map(stemsIn);
    return rules
      .flatMap(({ orders }) => orders.flatMap((order) => (order.kind === 'say' ? [order.text] : [])))
      .map((text) => wording.allowed(fillPlaceholders(text, known)))
      .filter((text) => text !== '' && !said.some((sentence) => hasRun(sentence, stemsIn(text))));
  }

  async #scripted(utterance: Heard): Promise<Move> {
    this.#isIntroduced = true;
    return this.#scriptedMove(await this.#script.heard(utterance));
  }

  #scriptedMove(move: Move): Move {
    this.#history.say(move.say);
    return this.#told(move);
  }

  #told(move: Move): Move {
    if (move.next.kind !== 'listen') this.#ended = move.next.kind;
    return move;
  }
}
