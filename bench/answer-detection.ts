import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { AnswerDetector, type Beep, type Verdict } from '../src/speech/answer/answer-detector.ts';
import { embeddedRecogniser } from '../src/speech/embedded/embedded-recogniser.ts';
import { WorkerPool } from '../src/speech/embedded/worker-pool.ts';
import { UtteranceListener } from '../src/speech/hearing/listener.ts';
import { openVad } from '../src/speech/hearing/vad.ts';
import type { Recogniser } from '../src/speech/ports.ts';
import { type AmdVerdict, judgeByAmdRules } from './amd-reference.ts';
import { type AnswerItem, type AnswerSplit, answerSetRate, describeAnswers, renderAnswer } from './answer-set.ts';
import { type Figure, toSample, toTable } from './figure.ts';

const frameMs = 20;
const frameLength = (answerSetRate * frameMs) / 1_000;
const linesAtOnce = 6;
/** From the sound to its text, when the sound comes faster than it was spoken. */
const modelledDelayMs = 130;
const beepToleranceMs = 150;

interface Outcome {
  item: AnswerItem;
  verdicts: Verdict[];
  beeps: (Beep & { reportedMs: number })[];
  greetingEndMs?: number;
  texts: string[];
  amd: AmdVerdict;
}

interface RunOptions {
  split: AnswerSplit;
  /** In real time recognition is as late as it is; else its delay is the modelled one, and the run is faster. */
  isRealTime: boolean;
  signal: AbortSignal;
  onOutcome?(outcome: Outcome): void;
}

/** The greetings of the test set, played as calls; Asterisk's rules judge the same sound. */
export async function measureAnswerDetection({ signal }: { signal: AbortSignal }): Promise<Figure[]> {
  return [...toFigures(await run({ split: 'test', isRealTime: true, signal })), cpuFigure()];
}

async function run({ split, isRealTime, signal, onOutcome }: RunOptions): Promise<Outcome[]> {
  // All of it before: speaking would take the time that listening needs.
  const items = describeAnswers(split).map((spec) => renderAnswer(spec, split));
  const pool = new WorkerPool();
  const recogniser = embeddedRecogniser(pool);
  const outcomes: Outcome[] = [];
  const left = items.values();
  try {
    await pool.ready;
    await Promise.all(
      Array.from({ length: isRealTime ? linesAtOnce : 2 }, async () => {
        for (const item of left) {
          signal.throwIfAborted();
          const outcome = await answer(item, recogniser, isRealTime);
          outcomes.push(outcome);
          onOutcome?.(outcome);
        }
      }),
    );
  } finally {
    await recogniser.close();
    await pool.close();
  }
  return outcomes;
}

async function answer(item: AnswerItem, recogniser: Recogniser, isRealTime: boolean): Promise<Outcome> {
  const outcome: Outcome = { item, verdicts: [], beeps: [], texts: [], amd: judgeByAmdRules(item.samples) };
  let nowMs = 0;
  const detector = new AnswerDetector({
    sampleRate: answerSetRate,
    onVerdict: (verdict) => outcome.verdicts.push(verdict),
    onBeep: (beep) => outcome.beeps.push({ ...beep, reportedMs: nowMs }),
    onGreetingEnd: (atMs) => {
      outcome.greetingEndMs = atMs;
    },
  });
  const understood: { dueMs: number; tell: () => void }[] = [];
  const onText = (text: string, isFinal: boolean, startMs: number, endMs: number) => {
    outcome.texts.push(`${nowMs}${isFinal ? ' final' : ''}: ${text}`);
    const tell = () => detector.understand(text, isFinal, startMs, endMs);
    if (isRealTime) tell();
    else understood.push({ dueMs: nowMs + (isFinal ? frameMs : modelledDelayMs), tell });
  };
  const stream = recogniser.open({ sampleRate: answerSetRate });
  const listener = new UtteranceListener(
    { vad: openVad(answerSetRate), stream },
    {
      sampleRate: answerSetRate,
      onPartial: ({ text, startMs, endMs }) => onText(text, false, startMs, endMs),
      onFinal: ({ text, startMs, endMs }) => onText(text, true, startMs, endMs),
    },
  );
  const vad = openVad(answerSetRate);
  const startedAt = performance.now();
  try {
    for (let at = 0; at + frameLength <= item.samples.length; at += frameLength) {
      if (isRealTime) await sleep(Math.max(0, startedAt + nowMs + frameMs - performance.now()));
      nowMs += frameMs;
      const frame = item.samples.slice(at, at + frameLength);
      listener.hear(frame);
      detector.hear(frame, vad.hear(frame));
      if (isRealTime) continue;
      await listener.settled();
      while (understood[0] && understood[0].dueMs <= nowMs) understood.shift()?.tell();
    }
  } finally {
    listener.close();
    vad.close();
  }
  return outcome;
}

function toFigures(outcomes: Outcome[]): Figure[] {
  const labelled = (isPerson: boolean) => outcomes.filter(({ item }) => (item.label === 'person') === isPerson);
  const [people, machines] = [labelled(true), labelled(false)];
  const lasts = (outcome: Outcome) => outcome.verdicts.at(-1)?.kind;
  const isMachine = (outcome: Outcome) => !['person', 'silence', undefined].includes(lasts(outcome));
  const isAmdMachine = ({ amd }: Outcome) => amd.status === 'MACHINE';
  const firstAt = ({ verdicts }: Outcome) => verdicts[0]?.atMs ?? Number.POSITIVE_INFINITY;
  const fromSpeech = people.map((outcome) => firstAt(outcome) - outcome.item.speechStartMs);
  const withBeep = outcomes.filter(({ item }) => item.beepEndMs !== undefined);
  const withoutBeep = outcomes.filter(({ item }) => item.label === 'voicemail' && item.beepEndMs === undefined);
  const figures = [
    percent('verdicts that are right, of seven kinds', outcomes, (one) => lasts(one) === one.item.label),
    percent('right at once, without a revision', outcomes, (one) => one.verdicts[0]?.kind === one.item.label),
    beside(
      percent(
        'person told from anything else',
        outcomes,
        (one) => (lasts(one) === 'person') === (one.item.label === 'person'),
      ),
      percent('', outcomes, (one) => isAmdMachine(one) === (one.item.label !== 'person')),
    ),
    beside(percent('people taken for machines', people, isMachine), percent('', people, isAmdMachine)),
    percent('people taken for machines at any moment', people, ({ verdicts }) =>
      verdicts.some(({ kind }) => kind !== 'person' && kind !== 'silence'),
    ),
    beside(
      percent('machines taken for people', machines, (one) => lasts(one) === 'person'),
      percent('', machines, (one) => !isAmdMachine(one)),
    ),
    beside(
      duration('verdict on people, from the start of their speech, p50', fromSpeech, 0.5),
      duration(
        '',
        people.map(({ amd, item }) => amd.atMs - item.speechStartMs),
        0.5,
      ),
    ),
    beside(
      duration('the same, p95', fromSpeech, 0.95),
      duration(
        '',
        people.map(({ amd, item }) => amd.atMs - item.speechStartMs),
        0.95,
      ),
    ),
    duration(
      'from the end of what they said, p50',
      people.map((one) => firstAt(one) - one.item.firstEndMs),
      0.5,
    ),
    duration(
      'the same, p95',
      people.map((one) => firstAt(one) - one.item.firstEndMs),
      0.95,
    ),
    duration('from the answer, p50', people.map(firstAt), 0.5),
    duration('the same, p95', people.map(firstAt), 0.95),
    percent(`end of the beep within ${beepToleranceMs} ms, and known within that time`, withBeep, isBeepFound),
    percent('we may speak within 500 ms after the beep, not before', withBeep, ({ item, greetingEndMs = 0 }) => {
      const lateMs = greetingEndMs - (item.beepEndMs ?? 0);
      return lateMs >= -frameMs && lateMs <= 500;
    }),
    percent('greetings without a beep whose end was found', withoutBeep, (one) => one.greetingEndMs !== undefined),
  ];
  return [...figures, ...groupFigures(people, firstAt), ...confusions(outcomes)];
}

function isBeepFound({ item, beeps }: Outcome): boolean {
  const { beepStartMs = 0, beepEndMs = 0 } = item;
  const last = beeps.findLast(({ startMs, endMs }) => endMs > beepStartMs && startMs < beepEndMs);
  if (!last) return false;
  return Math.abs(last.endMs - beepEndMs) <= beepToleranceMs && last.reportedMs - beepEndMs <= beepToleranceMs;
}

function groupFigures(people: Outcome[], firstAt: (outcome: Outcome) => number): Figure[] {
  return [...Map.groupBy(people, ({ item }) => item.group)].map(([group, some]) =>
    duration(
      `${group} (${some.length}), p50 from the start`,
      some.map((one) => firstAt(one) - one.item.speechStartMs),
      0.5,
    ),
  );
}

function confusions(outcomes: Outcome[]): Figure[] {
  const cells = Map.groupBy(
    outcomes,
    ({ item, verdicts }) => `${item.label} heard as ${verdicts.at(-1)?.kind ?? 'nothing'}`,
  );
  return [...cells].map(([name, some]) => single(name, 'greetings', some.length));
}

function percent(name: string, outcomes: Outcome[], isCounted: (outcome: Outcome) => boolean): Figure {
  const share = outcomes.filter(isCounted).length / Math.max(1, outcomes.length);
  return single(name === '' ? '' : `${name} (${outcomes.length})`, '%', 100 * share);
}

function duration(name: string, values: number[], share: number): Figure {
  const sorted = values.toSorted((a, b) => a - b);
  return single(name, 'ms', sorted[Math.floor(share * (sorted.length - 1))] ?? Number.NaN);
}

function single(name: string, unit: string, value: number): Figure {
  return { name, unit, ours: toSample([value]) };
}

function beside(figure: Figure, { ours }: Figure): Figure {
  return { ...figure, reference: { name: "Asterisk's AMD rules", ...ours } };
}

/** The detector alone, without recognition. */
function cpuFigure(): Figure {
  const items = describeAnswers('test')
    .slice(-80, -60)
    .map((spec) => renderAnswer(spec, 'test'));
  const before = process.cpuUsage();
  let soundMs = 0;
  for (const { samples } of items) {
    const detector = new AnswerDetector({ sampleRate: answerSetRate, onVerdict: () => {} });
    for (let at = 0; at + frameLength <= samples.length; at += frameLength) {
      detector.hear(samples.subarray(at, at + frameLength), at % 3 === 0);
      soundMs += frameMs;
    }
  }
  const { user, system } = process.cpuUsage(before);
  return single('CPU of the detector for a call, without recognition', '% of a core', (user + system) / 10 / soundMs);
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: { tuning: { type: 'boolean' }, 'real-time': { type: 'boolean' }, details: { type: 'boolean' } },
  });
  const outcomes = await run({
    split: values.tuning ? 'tuning' : 'test',
    isRealTime: values['real-time'] === true,
    signal: new AbortController().signal,
    onOutcome: (outcome) => values.details && printMistake(outcome),
  });
  console.log(toTable([...toFigures(outcomes), cpuFigure()]));
}

function printMistake({ item, verdicts, beeps, greetingEndMs, texts }: Outcome): void {
  const isBeepMissed = item.beepEndMs !== undefined && !isBeepFound({ item, beeps } as Outcome);
  if (verdicts.length === 1 && verdicts[0]?.kind === item.label && !isBeepMissed) return;
  const { samples: _, ...about } = item;
  console.log(JSON.stringify({ ...about, verdicts, beeps, greetingEndMs, texts }));
}
