import type { Answer, RuleVerdict } from '../../domain/call-result.ts';
import { sentences } from '../../speech/text/sentences.ts';
import type { SpokenDateTime } from '../../speech/text/spoken-date-time.ts';
import { parseSpokenYesNo } from '../../speech/text/spoken-yes-no.ts';
import type { Brief, Ending, Fact, Heard, Mind, Move, Turn } from '../mind.ts';
import { isPressedForTime, refuses, wantsCallback } from './callback.ts';
import { type Introductions, introductionsOf } from './introduction.ts';
import { type Meaning, meaningOf } from './meaning.ts';
import { keysFor } from './menu.ts';
import { type Mood, moodOf, rephrased } from './phrases.ts';
import { fillPlaceholders, type Placeholders, placeholdersOf } from './placeholders.ts';
import { type Clock, type Reading, readAnswer, round } from './questions.ts';
import { readRule } from './read-rule.ts';
import { type Ground, replyTo, shortIntroduction, smallReplyTo } from './replies.ts';
import { type Order, type Rule, sets } from './rules.ts';
import { callbackTime, sayWhen } from './say-when.ts';
import { type Question, Script } from './script.ts';
import { newState, type State } from './state.ts';
import { summarise } from './summary.ts';
import { judge } from './verdicts.ts';
import { Wording } from './wording.ts';
import { joined, shortName, withoutBraces } from './words.ts';

/** The endings that whoever leads a call may choose. */
export type AgreedEnding = 'completed' | 'opted_out' | 'wrong_person' | 'callback_requested';

// Questions back, repetitions and small talk in one call; after that a side-step costs the question it avoids.
const mostSideSteps = 8;
const mostMenus = 3;
// How fast people speak, and how long they think before: reckons the length of a call where nobody measures it.
const wordMs = 400;
const pauseMs = 800;
const wrapUpMs = 15_000;

const aboutInterest =
  /\b(?:interest\w*|like|want|need|buy|consider\w*|participate|take part|continue|subscribe|renew)\b/i;

/** Needs nothing but what it was given: the same words heard give the same words said. */
export class ScriptedMind implements Mind {
  readonly notes: readonly string[] = [];
  readonly #brief: Brief;
  readonly #clock: Clock;
  readonly #known: Placeholders;
  readonly #rules: Rule[];
  readonly #texts: Introductions;
  readonly #ground: Ground;
  readonly #script: Script;
  readonly #wording: Wording;
  readonly #setOff = new Map<Rule, number>();
  #state: State = { ...newState };
  /** What was heard last, and the way back to before it. */
  #last: { text: string; takeBack(): void } | undefined;

  constructor(brief: Brief, own: Partial<Pick<Introductions, 'introduction' | 'voicemail'>> = {}) {
    this.#brief = brief;
    this.#clock = { now: brief.now, timeZone: brief.timeZone };
    this.#known = placeholdersOf(brief);
    this.#rules = brief.rules.map((text) => readRule(text));
    const forbidden = this.#orders('forbid').flatMap(({ topics }) => topics);
    const unasked = this.#orders('no-question').flatMap(({ topics }) => topics);
    this.#wording = new Wording(forbidden);
    this.#script = new Script(
      brief.questions.map((question) => fillPlaceholders(question, this.#known)),
      [...forbidden, ...unasked],
    );
    this.#texts = { ...introductionsOf(brief, (text) => this.#wording.isAllowed(text)), ...own };
    this.#ground = {
      brief,
      texts: this.#texts,
      known: this.#known,
      rules: this.#rules,
      wording: this.#wording,
    };
    this.#state.pace = this.#orders('pace')[0]?.pace ?? 1;
  }

  get pace(): number {
    return this.#state.pace;
  }

  /** For a mind that leads the call in this one's place: what replies are made of. */
  get ground(): Ground {
    return this.#ground;
  }

  /** For the same: it keeps its answers here, so that this mind can go on at any moment. */
  get script(): Script {
    return this.#script;
  }

  get isTimeUp(): boolean {
    const minutes = Math.min(...this.#orders('minutes').map((order) => order.minutes));
    return this.#state.elapsedMs > minutes * 60_000 - wrapUpMs;
  }

  async prepare(): Promise<void> {}

  likely(): string[] {
    const { ahead } = this.#script;
    // A question stands behind an acknowledgement, the first one perhaps alone.
    const questions = ahead.map((question) => joined(this.#wording.allowed('Thank you.'), question));
    const opening = this.#state.stage === 'before' ? [this.#texts.introduction, this.#texts.voicemail] : [];
    const goodbye = this.#wording.allowed('Have a good day. Goodbye.');
    return [...opening, ...ahead.slice(0, 1), ...questions, goodbye].filter((text) => text !== '');
  }

  introduction(): Move {
    if (this.#state.stage === 'before') this.#state.stage = 'introduced';
    return this.#spoken(this.#texts.introduction);
  }

  voicemail(): string {
    return this.#texts.voicemail;
  }

  screener(): string {
    return this.#texts.screener;
  }

  menu(heard: string): Move {
    const keys = this.#state.menus < mostMenus ? keysFor(this.#rules, heard, this.#state.menus) : undefined;
    this.#state.menus++;
    if (keys === undefined) {
      const reason =
        this.#state.keys === '' ? 'A menu answered, and no rule says which key to press.' : 'A menu led to no person.';
      return this.#hangUp('', { kind: 'machine_no_message', reason });
    }
    this.#state.keys += keys;
    return { ...moving('', { kind: 'listen' }), keys };
  }

  async heard(heard: Heard): Promise<Move> {
    const utterance = heard.isContinuation ? this.#takenBack(heard) : heard;
    this.#last = { text: utterance.text, takeBack: this.#wayBack() };
    this.#state.silences = 0;
    this.#passTime(utterance);
    const meaning = meaningOf(utterance.text, this.#brief.calleeName);
    return this.#urgent(utterance, meaning) ?? this.#answered(utterance, meaning);
  }

  async silence(): Promise<Move> {
    if (this.#state.ending) return this.#hangUp('', this.#state.ending);
    this.#state.silences++;
    this.#state.elapsedMs += this.#state.isMeasured ? 0 : 4_000;
    const name = shortName(this.#brief.calleeName);
    if (this.#state.silences >= 3)
      return this.#hangUp(
        this.#wording.allowed('I cannot hear you, so I will end the call here. Goodbye.', 'Goodbye.'),
        {
          kind: 'silent',
          reason: 'Nobody spoke.',
        },
      );
    if (this.#state.stage === 'before') return this.introduction();
    const question = this.#script.current;
    if (
      this.#state.stage === 'introduced' &&
      this.#state.silences === 1 &&
      !endsWithQuestion(this.#texts.introduction)
    ) {
      return this.#next('');
    }
    const prompt = this.#state.silences === 1 ? 'Are you still there?' : `Hello ${name}, can you hear me?`;
    if (question) return this.#say(this.#wording.allowed(prompt), question.text);
    if (this.#state.stage === 'when') return this.#say(this.#wording.allowed(prompt, 'When may I call you?'));
    return this.#say(
      this.#wording.allowed(prompt),
      endsWithQuestion(this.#texts.introduction) ? lastSentence(this.#texts.introduction) : '',
    );
  }

  result(transcript: readonly Turn[]): { answers: Answer[]; rules: RuleVerdict[]; summary: string } {
    const answers = this.#script.answers();
    return {
      answers,
      rules: judge(this.#rules, transcript, {
        setOff: this.#setOff,
        isThrough: this.#state.isThrough,
        elapsedMs: this.#state.elapsedMs,
        isMeasured: this.#state.isMeasured,
        keys: this.#state.keys,
      }),
      summary: summarise(answers, transcript, {
        calleeName: withoutBraces(this.#brief.calleeName).trim(),
        ending: this.#state.ending,
        transferredTo: this.#state.transferredTo,
        brokenOff: this.#state.brokenOff,
        callbackAt: this.#state.callbackAt,
      }),
    };
  }

  /** Somebody else replies to this; what it means for the rules, the clock and the pace is kept here. */
  follow(utterance: Heard): void {
    this.#state.silences = 0;
    this.#passTime(utterance);
    const meaning = meaningOf(utterance.text, this.#brief.calleeName);
    for (const rule of this.#rules) {
      const isSetOff = rule.orders.some((order) =>
        'trigger' in order ? sets(order.trigger, meaning) : order.kind === 'refused' && meaning.intents.has('robot'),
      );
      if (isSetOff) this.#setOff.set(rule, utterance.turn);
    }
    this.#state.pace = smallReplyTo(meaning, this.#asked(utterance, meaning), this.#wording)?.pace ?? this.#state.pace;
  }

  /** Somebody else asked this. */
  ask(question: Question): void {
    if (this.#script.current !== question) this.#state.attempts = 0;
    this.#state.stage = 'asking';
    this.#script.ask(question);
  }

  /** Somebody else pressed these keys. */
  press(keys: string): void {
    this.#state.keys += keys;
  }

  /** Hands the call over because somebody else decided so. */
  handOver(to: string): Move {
    return this.#transfer(to);
  }

  /** Ends the call because somebody else decided so. */
  end(kind: AgreedEnding, utterance: Heard, when?: SpokenDateTime): Move {
    switch (kind) {
      case 'completed':
        return this.#close('', this.#script.hasNext ? 'The call ended before the last question.' : undefined);
      case 'opted_out':
        return this.#optOut(utterance);
      case 'wrong_person':
        return this.#wrongPerson(utterance.turn, 'I am sorry, then I have the wrong number. Please excuse the call.');
      case 'callback_requested':
        return {
          ...this.#promise(when, ''),
          facts: [{ kind: 'callback', at: when?.value, turn: utterance.turn }],
        };
    }
  }

  /** Our reply came in the middle of theirs, and nobody heard it: it was one utterance. */
  #takenBack(heard: Heard): Heard {
    const last = this.#last;
    if (!last || this.#state.stage === 'ended') return heard;
    last.takeBack();
    return { ...heard, text: `${last.text} ${heard.text}`, isInterruption: false };
  }

  #wayBack(): () => void {
    const [state, setOff, takeBackScript] = [{ ...this.#state }, new Map(this.#setOff), this.#script.wayBack()];
    return () => {
      this.#state = state;
      this.#setOff.clear();
      for (const [rule, turn] of setOff) this.#setOff.set(rule, turn);
      takeBackScript();
    };
  }

  /** What must never wait: the safeguards, and the rules that end or hand over the call. */
  #urgent(utterance: Heard, { intents }: Meaning): Move | undefined {
    const { turn } = utterance;
    if (intents.has('opt-out') && this.#state.ending?.kind !== 'opted_out') return this.#optOut(utterance);
    if (this.#state.ending) return this.#hangUp('', this.#state.ending);
    if (intents.has('bereaved'))
      return this.#wrongPerson(turn, 'I am very sorry to hear that. Please excuse the call.');
    if (intents.has('wrong-person'))
      return this.#wrongPerson(turn, 'I am sorry, then I have the wrong number. Please excuse the call.');
    return undefined;
  }

  #optOut({ turn }: Heard): Move {
    this.#script.refuseCurrent(turn);
    return {
      ...this.#hangUp(
        this.#wording.allowed('I understand. I have noted that, and we will not call you again. Goodbye.', 'Goodbye.'),
        {
          kind: 'opted_out',
          reason: 'The person asked not to be called again.',
        },
      ),
      facts: [{ kind: 'opted-out', turn }],
    };
  }

  #wrongPerson(turn: number, apology: string): Move {
    return {
      ...this.#hangUp(this.#wording.allowed(`${apology} Goodbye.`, 'Goodbye.'), {
        kind: 'wrong_person',
        reason: 'The person called is not at this number.',
      }),
      facts: [{ kind: 'wrong-person', turn }],
    };
  }

  #answered(utterance: Heard, meaning: Meaning): Move {
    const { intents } = meaning;
    const ruled = this.#ruledEnd(utterance, meaning);
    if (ruled) return ruled;
    if (this.#state.stage === 'when') return this.#callback(utterance, meaning, true);
    if (this.#state.stage === 'before') {
      if (intents.has('refuse-call')) return this.#refusal(utterance);
      return this.introduction();
    }
    const reply = replyTo(meaning, this.#ground);
    for (const rule of reply.setOff) this.#setOff.set(rule, utterance.turn);
    if (reply.say !== '') return this.#sideStep(reply.say, utterance);
    const asked = { question: this.#script.current, introduction: this.#openIntroduction() };
    if (wantsCallback(meaning, utterance.text, asked)) return this.#callback(utterance, meaning);
    const small = smallReplyTo(meaning, this.#asked(utterance, meaning), this.#wording);
    if (small) {
      this.#state.pace = small.pace ?? this.#state.pace;
      return this.#sideStep(small.say, utterance, small.isAgain);
    }
    return this.#state.stage === 'introduced' ? this.#reaction(utterance, meaning) : this.#reading(utterance, meaning);
  }

  #asked(utterance: Heard, meaning: Meaning): Parameters<typeof smallReplyTo>[1] {
    const question = this.#script.current;
    if (!question) return undefined;
    const reading = this.#read(question, utterance, meaning);
    return {
      kind: question.kind,
      isAnswered: reading.status === 'answered' && reading.value !== null,
      isYesOrNo: parseSpokenYesNo(utterance.text) !== undefined,
    };
  }

  #ruledEnd(utterance: Heard, meaning: Meaning): Move | undefined {
    for (const rule of this.#rules) {
      for (const order of rule.orders) {
        if ((order.kind !== 'end' && order.kind !== 'transfer') || !sets(order.trigger, meaning)) continue;
        this.#setOff.set(rule, utterance.turn);
        if (order.kind === 'transfer') return this.#transfer(order.to);
        this.#keepAnswer(utterance, meaning);
        return this.#close(this.#wording.allowed('I understand.'), 'A rule ended the call.');
      }
    }
    if (!meaning.intents.has('human')) return undefined;
    const company = withoutBraces(this.#brief.agent.company).trim();
    const somebody = company === '' ? 'Somebody' : `Somebody from ${company}`;
    const when = callbackTime(utterance.text, this.#clock);
    this.#state.callbackAt = when && sayWhen(when, this.#clock);
    return {
      ...this.#hangUp(
        joined(
          this.#wording.truth(),
          this.#wording.allowed(
            `${somebody} will call you back${this.#state.callbackAt ? ` ${this.#state.callbackAt}` : ''}. Goodbye.`,
          ),
        ),
        { kind: 'callback_requested', reason: 'The person asked to speak with somebody.' },
      ),
      facts: [{ kind: 'callback', at: when?.value, turn: utterance.turn }],
    };
  }

  #transfer(to: string): Move {
    this.#state.transferredTo = to;
    this.#state.stage = 'ended';
    this.#state.ending = { kind: 'transferred', reason: 'A rule hands the call over.' };
    return moving(this.#wording.allowed('One moment please, I will put you through.'), { kind: 'transfer', to });
  }

  /** Says it and comes back to where the call was; once too often, goes on instead. */
  #sideStep(reply: string, utterance: Heard, isAgain = false): Move {
    const question = this.#script.current;
    const isOver = ++this.#state.sideSteps > mostSideSteps;
    if (question && !isOver) return this.#say(reply, question.text);
    if (question) this.#script.record(question, { status: 'unclear' }, utterance);
    if (isAgain && !isOver) return this.#say(reply, shortIntroduction(this.#texts, this.#wording));
    return this.#next(reply);
  }

  /** The introduction, while what is said is still a reaction to it. */
  #openIntroduction(): string {
    return this.#state.stage === 'introduced' ? this.#texts.introduction : '';
  }

  #callback(utterance: Heard, { intents, plain }: Meaning, wasAsked = false): Move {
    const { turn } = utterance;
    const when = callbackTime(utterance.text, this.#clock);
    const facts: Fact[] = [{ kind: 'callback', at: when?.value, turn }];
    const isPressed = isPressedForTime({ intents, plain });
    if (!when && !wasAsked && !isPressed && !intents.has('goodbye') && this.#state.sideSteps < mostSideSteps) {
      this.#state.sideSteps++;
      this.#state.stage = 'when';
      this.#script.leave();
      return {
        ...this.#say(this.#wording.allowed('Of course. When would be a better time to call?', 'When may I call?')),
        facts,
      };
    }
    if (wasAsked && !when && (intents.has('refuse-call') || parseSpokenYesNo(utterance.text)?.value === 'no'))
      return this.#refusal(utterance);
    return { ...this.#promise(when, /\bdriving\b/.test(plain) ? 'Please drive safely.' : ''), facts };
  }

  #promise(when: SpokenDateTime | undefined, care: string): Move {
    this.#state.callbackAt = when && sayWhen(when, this.#clock);
    const promise =
      this.#state.callbackAt === undefined
        ? 'I will call you another time.'
        : `I will call you ${this.#state.callbackAt}.`;
    return this.#hangUp(
      joined(
        this.#wording.allowed('All right.'),
        this.#wording.allowed(promise),
        this.#wording.allowed(care),
        this.#wording.allowed('Goodbye.'),
      ),
      {
        kind: 'callback_requested',
        reason: 'The person asked to be called at another time.',
      },
    );
  }

  /** The first words after the introduction are a reaction to it, not an answer. */
  #reaction(utterance: Heard, { intents, plain }: Meaning): Move {
    if (refuses({ intents, plain })) return this.#refusal(utterance);
    if (intents.has('goodbye')) return this.#close('', 'The person said goodbye before the questions.');
    if (intents.has('hold')) return this.#wait(utterance);
    const isNo = parseSpokenYesNo(utterance.text)?.value === 'no';
    const asked = lastSentence(this.#texts.introduction);
    if (
      isNo &&
      /\b(?:speaking|talking) (?:to|with)\b|^is (?:this|that)\b|\bam i\b|\bare you\b/i.test(asked) &&
      asked.endsWith('?')
    )
      return this.#wrongPerson(utterance.turn, 'I am sorry, then I have the wrong number. Please excuse the call.');
    if (intents.has('greeting') && utterance.isInterruption && !this.#state.wasReintroduced) {
      this.#state.wasReintroduced = true;
      this.#state.sideSteps++;
      return this.#spoken(this.#texts.introduction);
    }
    const isGlad = parseSpokenYesNo(utterance.text)?.value === 'yes' && !intents.has('greeting');
    return this.#next(isGlad ? this.#wording.acknowledge('begin') : '');
  }

  #wait(utterance: Heard): Move {
    this.#state.sideSteps++;
    const question = this.#script.current;
    if (this.#state.sideSteps <= mostSideSteps)
      return this.#say(this.#wording.allowed('Of course, take your time.', 'Of course.'));
    if (question) this.#script.record(question, { status: 'unclear' }, utterance);
    return this.#next('');
  }

  #reading(utterance: Heard, meaning: Meaning): Move {
    const question = this.#script.current;
    if (!question) return this.#next('');
    const { intents, plain } = meaning;
    const isNo = question.kind === 'yes-no' && aboutInterest.test(question.text);
    if (intents.has('refuse-call') && !isNo) return this.#refusal(utterance);
    if (intents.has('goodbye')) {
      this.#keepAnswer(utterance, meaning);
      return this.#close('', 'The person said goodbye before the last question.');
    }
    const reading = this.#read(question, utterance, meaning);
    const hasValue = reading.status === 'answered' && reading.value !== null;
    if (intents.has('hold') && !hasValue && plain.split(' ').length <= 7) return this.#wait(utterance);
    // Somebody who says "mm-hm" into a question listens to it.
    if (utterance.isInterruption && /^(?:mmhm|mm|okay|ok|right|i see|alright)$/.test(plain))
      return this.#sideStep('', utterance);
    if (reading.status === 'unclear' && this.#state.attempts === 0) {
      this.#state.attempts++;
      const wasHeard = plain !== '' && !intents.has('back-channel') && utterance.confidence >= 0.5;
      return this.#say(this.#wording.allowed(rephrased(question.kind, wasHeard), 'Once more:'), question.text);
    }
    this.#script.record(question, reading, utterance);
    if (reading.status === 'answered') this.#script.answerOthers(question, utterance, this.#clock);
    return this.#next(this.#wording.acknowledge(moodFor(reading, utterance.text)));
  }

  #read(question: Question, utterance: Heard, meaning: Meaning): Reading {
    const isNo = meaning.intents.has('refuse-call') && question.kind === 'yes-no';
    if (isNo) return { status: 'answered', value: false, confidence: round(0.9 * utterance.confidence) };
    return readAnswer(question, utterance.text, meaning, utterance.confidence, this.#clock);
  }

  #refusal({ turn }: Heard): Move {
    this.#script.refuseCurrent(turn);
    return this.#close(this.#wording.allowed('I understand.'), 'The person did not want to go on.');
  }

  /** The last words of somebody who leaves may still answer what was asked. */
  #keepAnswer(utterance: Heard, meaning: Meaning): void {
    const question = this.#script.current;
    if (!question) return;
    const text = utterance.text.replace(
      /[,.!;]?\s*\b(?:but |and |so |sorry )*(?:good ?bye|bye(?: bye)?|i (?:have|need|must|'ve got|got)(?: to)? (?:go|run|leave)\b.*|have a (?:nice|good|great)\b.*|thank you|thanks)\b.*$/i,
      '',
    );
    const reading = this.#read(question, { ...utterance, text }, meaningOf(text, this.#brief.calleeName));
    const isPlain = reading.status === 'answered' && (reading.value !== null || meaning.plain.split(' ').length > 5);
    if (text.trim() !== '' && isPlain) this.#script.record(question, reading, { ...utterance, text: text.trim() });
  }

  /** The next question that is still open, or the end. */
  #next(lead: string): Move {
    if (!this.#script.hasNext) return this.#close(lead, undefined);
    if (this.isTimeUp) return this.#close(lead, 'The time that the rules allow was over.', true);
    const question = this.#script.advance();
    this.#state.stage = 'asking';
    this.#state.attempts = 0;
    const start = this.#state.saidStart ? [] : this.#orders('say').filter(({ at }) => at === 'start');
    this.#state.saidStart = true;
    return this.#say(
      lead,
      ...start.map(({ text }) => this.#wording.allowed(fillPlaceholders(text, this.#known))),
      question?.text ?? '',
    );
  }

  /** Thanks and goodbye; words that a rule wants at the end belong to a call that came to one. */
  #close(lead: string, brokenOff: string | undefined, isThrough = brokenOff === undefined): Move {
    this.#state.brokenOff = brokenOff;
    this.#state.isThrough = isThrough;
    const due = this.#orders('say').filter(({ at }) => at === 'end' || !this.#state.saidStart);
    const closing = isThrough ? due.map(({ text }) => this.#wording.allowed(fillPlaceholders(text, this.#known))) : [];
    const name = isThrough && !this.#script.isEmpty ? `, ${shortName(this.#brief.calleeName)}` : '';
    const thanks = this.#wording.allowed(`Thank you for your time${name}.`, 'Thank you for your time.');
    const goodbye = this.#wording.allowed('Have a good day. Goodbye.');
    return this.#hangUp(joined(lead === 'Thank you.' ? '' : lead, ...closing, thanks, goodbye), {
      kind: 'completed',
      reason: brokenOff ?? 'All questions were asked.',
    });
  }

  #orders<Kind extends Order['kind']>(kind: Kind): Extract<Order, { kind: Kind }>[] {
    return this.#rules.flatMap(({ orders }) =>
      orders.filter((order): order is Extract<Order, { kind: Kind }> => order.kind === kind),
    );
  }

  #say(...parts: readonly string[]): Move {
    return this.#spoken(joined(...parts));
  }

  #spoken(say: string): Move {
    this.#state.lastSaid = say;
    return moving(say, { kind: 'listen' });
  }

  #hangUp(say: string, ending: Ending): Move {
    this.#state.stage = 'ended';
    this.#script.leave();
    this.#state.ending = ending;
    this.#state.lastSaid = say;
    return moving(say, { kind: 'hang-up', ending });
  }

  #passTime({ text, elapsedMs }: Heard): void {
    if (elapsedMs !== undefined) {
      this.#state.isMeasured = true;
      this.#state.elapsedMs = elapsedMs;
      return;
    }
    const words = text.split(/\s+/).length + this.#state.lastSaid.split(/\s+/).length;
    this.#state.elapsedMs += words * wordMs + pauseMs;
  }
}

function moving(say: string, after: Move['next']): Move {
  return { say, next: after };
}

function moodFor(reading: Reading, text: string): Mood {
  return reading.status === 'answered' ? moodOf(text, reading.value) : reading.status;
}

function endsWithQuestion(text: string): boolean {
  return /\?["')\]]*\s*$/.test(text);
}

function lastSentence(text: string): string {
  return sentences(text).at(-1) ?? '';
}
