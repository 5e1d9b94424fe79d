import { join } from 'node:path';
import type { Clock } from '../clock.ts';
import { Conversation } from '../conversation/conversation.ts';
import type { Brief, Fact, Mind } from '../conversation/mind.ts';
import { formEntries } from '../domain/call.ts';
import type { CallEvent } from '../domain/call-event.ts';
import type { Quality } from '../domain/call-result.ts';
import type { DueCall } from '../domain/due-call.ts';
import type { Speech } from '../speech/open-speech.ts';
import type { LineRate, Tts } from '../speech/ports.ts';
import { sentences } from '../speech/text/sentences.ts';
import { addCallEvent } from '../store/call-events.ts';
import type { DatabasePool } from '../store/database.ts';
import { beginDialling, finishCall, markAnswered, markRinging } from '../store/dialing.ts';
import { recordOptOut } from '../store/opt-outs.ts';
import type { Telephone } from '../telephone/telephone.ts';
import type { Voice, VoiceCallEnd } from '../telephone/voice-call.ts';
import type { CallControl } from './call-control.ts';
import { outcomeOf } from './outcome-of.ts';
import { summaryOf } from './summary-of.ts';

export interface PlaceCallDeps {
  db: DatabasePool;
  nodeId: string;
  clock: Clock;
  telephone: Telephone;
  /** The rates that the other side may choose, the likeliest first. */
  lineRates: readonly LineRate[];
  speech: Speech;
  openMind(brief: Brief): Mind;
  recordingsFolder: string;
  timeZoneOf(phoneNumber: string): string;
  /** How long it may ring. */
  ringMs: number;
  /** A fault that costs the call something, but not everything. */
  onFault(error: unknown): void;
}

/** So long may it take to think and to render before the number is dialled. */
const prepareMs = 8_000;
/** A database that is away for a moment must not cost a result. */
const finishRetryMs = [100, 500, 2_000, 5_000, 10_000, 20_000];

/** The story of one call, from its claim to its result. */
export async function placeCall(call: DueCall, control: CallControl, deps: PlaceCallDeps): Promise<void> {
  const { db, nodeId, telephone } = deps;
  const log = serialLog(call, deps);
  const notes: string[] = [];
  const note = (text: string) => {
    notes.push(text);
    log.event({ type: 'note', text });
  };
  const { tts, stt } = deps.speech.forCall(({ engine, detail }) => note(`${engine}: ${detail}`));
  const mind = deps.openMind(briefOf(call, deps));
  await mind.prepare(AbortSignal.any([control.signal, AbortSignal.timeout(prepareMs)]));
  await renderFirstWords(mind, tts, call, deps);

  if (control.signal.aborted) return;
  if ((await beginDialling(db, nodeId, call.id)) !== 'dial') return;

  let conversation: Conversation | undefined;
  let voice: Voice | undefined;
  let hasRecording = true;
  let callbackAt: Date | null = null;
  const keep = async (fact: Fact) => {
    if (fact.kind === 'callback') callbackAt = fact.at ?? null;
    if (fact.kind === 'opted-out') await optOut(call, deps);
  };

  // A fault in one call must not reach the others.
  const guarded = (work: () => void) => {
    try {
      work();
    } catch (error) {
      deps.onFault(error);
      phoneCall.hangUp();
    }
  };

  const phoneCall = telephone.call(call.request.toPhoneNumber, call.request.fromPhoneNumber, {
    signal: control.signal,
    ringMs: deps.ringMs,
    recordTo: join(deps.recordingsFolder, `${call.id}.wav`),
    onRinging: () => log.add(() => markRinging(db, nodeId, call.id)),
    onAnswered: (answered) =>
      guarded(() => {
        voice = answered;
        conversation = new Conversation({
          mind,
          line: lineOf(answered),
          tts,
          stt,
          voice: call.agent.voice,
          language: call.agent.language,
          onEvent: log.event,
          onFact: keep,
          onFault: deps.onFault,
        });
        conversation.begin();
        conversation.ended.then(() => phoneCall.hangUp());
        const answeredAt = deps.clock.now();
        log.add(() => markAnswered(db, nodeId, call.id, answeredAt));
      }),
    onHeard: (frame) => guarded(() => conversation?.hear(frame)),
    onDigit: (digit) => conversation?.digit(digit),
    onRecordingFailed: (reason) => {
      hasRecording = false;
      note(`The recording failed: ${reason}`);
    },
  });
  control.onSay = (text) => conversation?.say(text);

  const end = await phoneCall.ended;
  const ending = conversation?.close();
  await conversation?.settled();
  await log.written();
  if (ending?.kind === 'opted_out') await optOut(call, deps);
  const outcome = outcomeOf(end, ending, control.stopReason);
  const { answers, rules, summary } = mind.result(conversation?.record.turns ?? []);
  await finish(call, deps, {
    outcome,
    answeredAt: end.answeredAt,
    endedAt: end.endedAt,
    transcript: conversation?.record.turns ?? [],
    answers,
    rules,
    summary: summaryOf(outcome, {
      name: call.request.name,
      wasAnswered: conversation !== undefined,
      ofConversation: summary,
    }),
    hasRecording: conversation !== undefined && hasRecording,
    latency: conversation?.record.latency ?? null,
    quality: voice ? qualityOf(voice, end) : null,
    callbackAt,
    notes: [...mind.notes, ...notes],
  });
}

function briefOf({ request, questions, rules, agent }: DueCall, { clock, timeZoneOf }: PlaceCallDeps): Brief {
  const { introMessage, introNotes, introVoicemail } = request;
  return {
    agent: { name: agent.name, company: agent.company },
    calleeName: request.name,
    ...(introMessage && { introMessage }),
    ...(introNotes && { introNotes }),
    ...(introVoicemail && { introVoicemail }),
    questions,
    rules,
    form: formEntries(request.formInfo),
    now: clock.now(),
    timeZone: timeZoneOf(request.toPhoneNumber),
  };
}

/** What is said straight after the answer must be there before it. */
async function renderFirstWords(mind: Mind, tts: Tts, call: DueCall, { lineRates }: PlaceCallDeps): Promise<void> {
  const [introduction = ''] = mind.likely();
  const [first = '', ...rest] = sentences(introduction);
  const { pace } = mind;
  const { voice } = call.agent;
  const signal = AbortSignal.timeout(prepareMs);
  const render = (text: string) =>
    lineRates.map((sampleRate) => tts.prepare({ text, voice, pace, sampleRate, signal }));
  // Without its first words a call can still be held: they come a little later then.
  await Promise.all(render(first)).catch(() => {});
  for (const text of rest) void Promise.all(render(text)).catch(() => {});
}

function lineOf(voice: Voice): ConstructorParameters<typeof Conversation>[0]['line'] {
  return {
    sampleRate: voice.sampleRate as LineRate,
    play: voice.play,
    stopPlaying: voice.stopPlaying,
    sendDigits: voice.sendDigits,
    transfer: (to) => voice.transfer(/^\+\d/.test(to) ? `tel:${to}` : to),
  };
}

/** What happens is written in its order, and nobody waits for it. */
function serialLog(call: DueCall, { db, onFault }: PlaceCallDeps) {
  let last: Promise<unknown> = Promise.resolve();
  const add = (write: () => Promise<unknown>) => {
    last = last.then(write).catch(onFault);
  };
  const { id: callId, accountId } = call;
  return {
    add,
    event: (event: CallEvent) => add(() => addCallEvent(db, { accountId, callId, event })),
    written: () => last,
  };
}

/** Before the person hears that it was noted. A database that cannot take it gets it again with the result. */
async function optOut({ id, accountId, campaignId, request }: DueCall, { db, onFault }: PlaceCallDeps): Promise<void> {
  const { toPhoneNumber: phoneNumber } = request;
  await recordOptOut(db, { accountId, callId: id, campaignId, phoneNumber }).catch(onFault);
}

async function finish(call: DueCall, deps: PlaceCallDeps, result: Parameters<typeof finishCall>[3]): Promise<void> {
  for (const retryMs of finishRetryMs) {
    try {
      await finishCall(deps.db, deps.nodeId, call.id, result);
      return;
    } catch (error) {
      deps.onFault(error);
      await deps.clock.sleep(retryMs);
    }
  }
  await finishCall(deps.db, deps.nodeId, call.id, result);
}

function qualityOf({ codec, isEncrypted }: Voice, { media }: VoiceCallEnd): Quality {
  const percent = (lost: number, all: number) => (all === 0 ? 0 : Math.round((10_000 * lost) / all) / 100);
  return {
    codec,
    encrypted: isEncrypted,
    lossPercent: percent(media.lostPackets, media.lostPackets + media.receivedPackets),
    jitterMs: Math.round(media.jitterMs * 10) / 10,
    roundTripMs: media.roundTripMs === null ? null : Math.round(media.roundTripMs * 10) / 10,
    peerLossPercent: media.peerLostPackets === null ? null : percent(media.peerLostPackets, media.sentPackets),
    peerJitterMs: media.peerJitterMs === null ? null : Math.round(media.peerJitterMs * 10) / 10,
    concealedMs: media.concealedMs,
  };
}
