import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ListenOptions, Stt } from '../speech/ports.ts';
import { Hearing } from './hearing.ts';
import type { Heard } from './person.ts';

const frameMs = 20;

/** Ears whose utterances are told by hand. */
function scene() {
  const told: ListenOptions[] = [];
  let isClosed = false;
  const stt: Stt = {
    listen(options) {
      told.push(options);
      return {
        hear: () => {},
        settled: async () => {},
        end: async () => {},
        close: () => {
          isClosed = true;
        },
      };
    },
    close: async () => {},
  };
  const hearing = new Hearing({ stt, sampleRate: 8_000 });
  const [ears] = told;
  assert.ok(ears);
  let nowMs = 0;
  const pass = (ms: number) => {
    for (const endMs = nowMs + ms; nowMs < endMs; nowMs += frameMs) hearing.hear(new Int16Array(160));
  };
  /** Somebody begins to speak; what is returned tells the end and the words. */
  const begin = () => {
    const startMs = nowMs;
    ears.onSpeechStart?.(startMs);
    return (text: string, endMs: number) => ears.onFinal?.({ text, startMs, endMs, confidence: 0.9 });
  };
  return {
    hearing,
    pass,
    begin,
    /** An utterance of a second; what it means is known only after `thinkingMs`. */
    utter(text: string, thinkingMs = 200) {
      const end = begin();
      pass(1_000);
      const endMs = nowMs;
      pass(thinkingMs);
      end(text, endMs);
    },
    isClosed: () => isClosed,
    wantsPartials: () => ears.onPartial !== undefined,
  };
}

/** What it came to so far. */
async function stateOf(heard: Promise<Heard>): Promise<Heard | 'nothing yet'> {
  return Promise.race([heard, new Promise<'nothing yet'>((resolve) => setImmediate(resolve, 'nothing yet'))]);
}

describe('hearing words', () => {
  it('joins sentences with small pauses between them, and is done after a long one', async () => {
    const { hearing, pass, utter } = scene();
    const heard = hearing.next(12_000);
    utter('Hello Ada.');
    pass(400);
    utter('Do you have a minute?');
    pass(500);
    assert.equal(await stateOf(heard), 'nothing yet');
    pass(200);
    assert.deepEqual(await stateOf(heard), { kind: 'spoke', ms: 2_000, text: 'Hello Ada. Do you have a minute?' });
  });

  it('waits for a recogniser that is slower than the pause', async () => {
    const { hearing, pass, utter } = scene();
    const heard = hearing.next(1_000);
    utter('Hello?', 3_000);
    assert.equal(await stateOf(heard), 'nothing yet');
    pass(20);
    assert.deepEqual(await stateOf(heard), { kind: 'spoke', ms: 1_000, text: 'Hello?' });
  });

  it('says nothing of what was said to somebody who did not listen', async () => {
    const { hearing, pass, utter } = scene();
    utter('This is the introduction that is inter');
    const heard = hearing.next(2_000);
    pass(1_900);
    assert.equal(await stateOf(heard), 'nothing yet');
    pass(100);
    assert.deepEqual(await stateOf(heard), { kind: 'silence' });
  });

  it('says nothing either of words that are understood too late', async () => {
    const { hearing, pass, begin } = scene();
    const end = begin();
    pass(400);
    const heard = hearing.next(1_500);
    pass(200);
    end('This was over.', 400);
    pass(1_280);
    assert.equal(await stateOf(heard), 'nothing yet');
    pass(20);
    assert.deepEqual(await stateOf(heard), { kind: 'silence' });
  });

  it('keeps all of what is still being said when the listening begins', async () => {
    const { hearing, pass, begin, utter } = scene();
    utter('Hello.');
    const end = begin();
    pass(300);
    const heard = hearing.next(100);
    pass(700);
    assert.equal(await stateOf(heard), 'nothing yet');
    end('How are you?', 2_200);
    pass(800);
    assert.deepEqual(await stateOf(heard), { kind: 'spoke', ms: 2_000, text: 'Hello. How are you?' });
  });

  it('tells when somebody has been speaking for a while, across sentences', async () => {
    const { hearing, pass, begin, utter } = scene();
    const heard = hearing.next(12_000, 1_500);
    utter('Hello Ada.');
    pass(100);
    begin();
    pass(180);
    assert.equal(await stateOf(heard), 'nothing yet');
    pass(20);
    assert.deepEqual(await stateOf(heard), { kind: 'speaking' });
  });

  it('tells what was said when it was too short to get into', async () => {
    const { hearing, pass, utter } = scene();
    const heard = hearing.next(12_000, 1_500);
    utter('Hello.');
    pass(800);
    assert.deepEqual(await stateOf(heard), { kind: 'spoke', ms: 1_000, text: 'Hello.' });
  });

  it('remembers keys that were pressed before anybody listened', async () => {
    const { hearing } = scene();
    hearing.digit('4');
    hearing.digit('2');
    assert.deepEqual(await stateOf(hearing.next(1_000)), { kind: 'digit', digit: '4' });
    assert.deepEqual(await stateOf(hearing.next(1_000)), { kind: 'digit', digit: '2' });
  });

  it('asks for no partial texts, and closes its listener', () => {
    const { hearing, isClosed, wantsPartials } = scene();
    assert.equal(wantsPartials(), false);
    hearing.close();
    assert.equal(isClosed(), true);
  });
});
