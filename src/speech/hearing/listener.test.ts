import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RecognisePurpose, RecogniserStream, Recognition, Transcript } from '../ports.ts';
import { UtteranceListener } from './listener.ts';

/**
 * A person's line, a letter for each 20 ms: capitals are speech, dots are silence. What is recognised is
 * what was given to the recogniser, so that nothing can be lost or doubled unseen.
 */
class Scene {
  readonly events: string[] = [];
  readonly asked: RecognisePurpose[] = [];
  readonly finals: Transcript[] = [];
  readonly listener: UtteranceListener;
  heard = '';
  /** What is understood of it. */
  understand: (heard: string) => Recognition = (heard) => ({ text: words(heard), confidence: 0.9 });
  #pending: (() => void)[] = [];
  isSlow = false;
  isIncremental = true;
  isClosed = false;

  constructor() {
    const scene = this;
    const stream: RecogniserStream = {
      get isIncremental() {
        return scene.isIncremental;
      },
      hear: (frame) => {
        this.heard += String.fromCharCode(frame[0] as number);
      },
      recognise: async (purpose) => {
        this.asked.push(purpose);
        const heard = this.heard;
        if (this.isSlow) await new Promise<void>((resolve) => this.#pending.push(resolve));
        return this.understand(heard);
      },
      next: () => {
        this.heard = '';
      },
      close: () => {
        this.isClosed = true;
      },
    };
    const vad = {
      hear: (frame: Int16Array) => /[A-Z]/.test(String.fromCharCode(frame[0] as number)),
      isClear: true,
      close: () => {},
    };
    this.listener = new UtteranceListener(
      { vad, stream },
      {
        sampleRate: 8_000,
        onSpeechStart: (startMs) => this.events.push(`start ${startMs}`),
        onPartial: ({ text }) => this.events.push(`partial ${text}`),
        onFinal: (transcript) => {
          this.finals.push(transcript);
          this.events.push(`final ${transcript.text}`);
        },
      },
    );
  }

  async play(line: string): Promise<void> {
    for (const letter of line) {
      this.listener.hear(new Int16Array(160).fill(letter.charCodeAt(0)));
      await settle(this);
    }
  }

  async answerAll(): Promise<void> {
    for (const resolve of this.#pending.splice(0)) resolve();
    await new Promise((resolve) => setImmediate(resolve));
  }

  get isWaiting(): boolean {
    return this.#pending.length > 0;
  }
}

async function settle(scene: Scene): Promise<void> {
  if (scene.isSlow) await new Promise((resolve) => setImmediate(resolve));
  else await scene.listener.settled();
}

const words = (heard: string) => `${heard.replaceAll('.', '')}.`;
const silence = (ms: number) => '.'.repeat(ms / 20);
const speech = (letter: string, ms: number) => letter.repeat(ms / 20);

test('an utterance is heard whole, with what came before and after it', async () => {
  const scene = new Scene();
  await scene.play(silence(1_000) + speech('A', 400) + silence(1_000));
  const [final, ...others] = scene.finals;
  assert.deepEqual(others, []);
  assert.equal(final?.text, words(speech('A', 400)));
  assert.equal(final?.startMs, 1_000);
  assert.equal(final?.endMs, 1_400);
});

test('the recogniser gets the silence before the first sound and little of the silence behind', async () => {
  const scene = new Scene();
  let given = '';
  scene.understand = (heard) => {
    given = heard;
    return { text: 'Yes.', confidence: 0.9 };
  };
  await scene.play(silence(1_000) + speech('A', 400) + silence(1_000));
  assert.match(given, /^\.{13}A{20}\.{1,10}$/);
});

test('a click is no utterance', async () => {
  const scene = new Scene();
  await scene.play(`${silence(500)}A${silence(300)}A${silence(500)}`);
  assert.deepEqual(scene.events, []);
});

test('the start is told before anything is understood', async () => {
  const scene = new Scene();
  scene.isSlow = true;
  await scene.play(silence(200) + speech('A', 100));
  assert.deepEqual(scene.events, ['start 200']);
});

test('what is said is told while it is said', async () => {
  const scene = new Scene();
  await scene.play(silence(200) + speech('A', 2_000));
  assert.ok(scene.events.filter((event) => event.startsWith('partial')).length >= 2, scene.events.join('\n'));
  assert.ok(scene.asked.every((purpose) => purpose === 'partial'));
});

test('an engine that has no time is not asked while somebody speaks', async () => {
  const scene = new Scene();
  scene.isIncremental = false;
  await scene.play(silence(200) + speech('A', 2_000));
  assert.deepEqual(scene.asked, []);
});

test('a finished sentence ends after a short pause, an unfinished one goes on', async () => {
  const finished = new Scene();
  finished.understand = () => ({ text: 'On Tuesday.', confidence: 0.9 });
  await finished.play(speech('A', 600) + silence(300));
  assert.equal(finished.finals.length, 1);

  const unfinished = new Scene();
  unfinished.understand = (heard) => ({
    text: heard.includes('B') ? 'On Tuesday and Friday.' : 'On Tuesday and',
    confidence: 0.9,
  });
  await unfinished.play(speech('A', 600) + silence(700) + speech('B', 600) + silence(300));
  assert.deepEqual(
    unfinished.finals.map(({ text }) => text),
    ['On Tuesday and Friday.'],
  );
});

test('nothing of an utterance that goes on after a pause is lost', async () => {
  const scene = new Scene();
  let given = '';
  scene.understand = (heard) => {
    given = heard;
    return { text: 'and', confidence: 0.9 };
  };
  await scene.play(speech('A', 600) + silence(700) + speech('B', 600) + silence(1_600));
  assert.match(given, /^A{30}\.{35}B{30}\.{1,10}$/);
  assert.equal(scene.finals.length, 1);
});

test('the next utterance may begin right behind the last', async () => {
  const scene = new Scene();
  await scene.play(speech('A', 600) + silence(240) + speech('B', 400) + silence(500));
  assert.deepEqual(
    scene.finals.map(({ text }) => text),
    [words(speech('A', 600)), words(speech('B', 400))],
  );
});

test('a late text ends the utterance when it comes', async () => {
  const scene = new Scene();
  scene.isSlow = true;
  scene.isIncremental = false;
  await scene.play(speech('A', 600) + silence(600));
  assert.deepEqual(scene.finals, []);
  await scene.answerAll();
  assert.equal(scene.finals.length, 1);
});

test('a text that is late because somebody went on speaking ends nothing', async () => {
  const scene = new Scene();
  scene.isSlow = true;
  scene.isIncremental = false;
  await scene.play(speech('A', 600) + silence(300) + speech('B', 100));
  await scene.answerAll();
  assert.deepEqual(scene.finals, []);
  await scene.play(silence(600));
  await scene.answerAll();
  assert.deepEqual(
    scene.finals.map(({ text }) => text),
    [words(speech('A', 600) + speech('B', 100))],
  );
});

test('one pause is recognised once', async () => {
  const scene = new Scene();
  scene.isIncremental = false;
  await scene.play(speech('A', 600) + silence(2_000));
  assert.deepEqual(scene.asked, ['final']);
});

test('an utterance that never pauses is cut before it becomes too long for the engine', async () => {
  const scene = new Scene();
  await scene.play(speech('A', 40_000));
  assert.ok(scene.finals.length >= 1);
  assert.ok(scene.finals.every(({ startMs, endMs }) => endMs - startMs <= 28_000));
});

test('an engine that fails yields an empty text, and the next utterance is heard', async () => {
  const scene = new Scene();
  scene.isIncremental = false;
  scene.understand = (heard) => {
    if (heard.includes('A')) throw new Error('broken');
    return { text: 'Yes.', confidence: 0.9 };
  };
  await scene.play(speech('A', 600) + silence(1_600) + speech('B', 600) + silence(600));
  assert.deepEqual(
    scene.finals.map(({ text }) => text),
    ['', 'Yes.'],
  );
});

test('the end of the sound is the end of the utterance', async () => {
  const scene = new Scene();
  await scene.play(speech('A', 600));
  await scene.listener.end();
  assert.equal(scene.finals.length, 1);
  assert.ok(scene.isClosed);
});

test('after closing nothing is told any more', async () => {
  const scene = new Scene();
  scene.isSlow = true;
  await scene.play(speech('A', 600) + silence(600));
  scene.listener.close();
  await scene.answerAll();
  assert.ok(scene.events.every((event) => event.startsWith('start')));
  assert.ok(scene.isClosed);
});
