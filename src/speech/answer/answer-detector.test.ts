import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { AnswerDetector, type AnswerDetectorOptions, type Beep, type Verdict } from './answer-detector.ts';

type Part =
  | { silentMs: number }
  /** What is said, and how long it takes; the text is understood in pieces, as recognisers do it. */
  | { says: string; ms: number; level?: number; lateMs?: number }
  | { toneHz: number; ms: number };

interface Heard {
  verdicts: Verdict[];
  beeps: Beep[];
  greetingEnds: number[];
}

const partialMs = 560;
const recognitionMs = 120;
const pauseLookMs = 80;
const finalMs = 300;

/** Plays a call: frames of 20 ms, and texts as late as they come in life. */
function play(parts: Part[], options: Partial<AnswerDetectorOptions> = {}): Heard {
  const heard: Heard = { verdicts: [], beeps: [], greetingEnds: [] };
  const detector = new AnswerDetector({
    sampleRate: 8_000,
    onVerdict: (verdict) => heard.verdicts.push(verdict),
    onBeep: (beep) => heard.beeps.push(beep),
    onGreetingEnd: (atMs) => heard.greetingEnds.push(atMs),
    ...options,
  });
  const texts: { dueMs: number; text: string; isFinal: boolean; startMs: number; endMs: number }[] = [];
  let nowMs = 0;
  let state = 1;
  const random = () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return state / 2 ** 32 - 0.5;
  };
  for (const part of parts) {
    const ms = 'silentMs' in part ? part.silentMs : part.ms;
    const startMs = nowMs;
    if ('says' in part && part.says !== '') {
      const words = part.says.split(' ');
      for (let at = partialMs; at < ms; at += partialMs) {
        const text = words.slice(0, Math.floor((words.length * at) / ms)).join(' ');
        if (text)
          texts.push({ dueMs: startMs + at + recognitionMs, text, isFinal: false, startMs, endMs: startMs + at });
      }
      const lateMs = part.lateMs ?? 0;
      const whole = { text: part.says, startMs, endMs: startMs + ms };
      texts.push({ dueMs: startMs + ms + pauseLookMs + recognitionMs + lateMs, isFinal: false, ...whole });
      texts.push({ dueMs: startMs + ms + finalMs + lateMs, isFinal: true, ...whole });
    }
    for (let at = 0; at < ms; at += 20) {
      const frame = Int16Array.from({ length: 160 }, (_, index) => {
        if ('silentMs' in part) return 4 * random();
        if ('toneHz' in part)
          return 4_000 * Math.sin((2 * Math.PI * part.toneHz * ((at / 1_000) * 8_000 + index)) / 8_000);
        return (part.level ?? 6_000) * random();
      });
      nowMs += 20;
      detector.hear(frame, 'says' in part || 'toneHz' in part);
      for (const { text, isFinal, startMs: from, endMs } of texts.filter(
        ({ dueMs }) => dueMs <= nowMs && dueMs > nowMs - 20,
      )) {
        detector.understand(text, isFinal, from, endMs);
      }
    }
  }
  return heard;
}

const silence = (silentMs: number): Part => ({ silentMs });
const say = (says: string, ms: number): Part => ({ says, ms });
const beep = (ms = 300, toneHz = 1_000): Part => ({ toneHz, ms });

describe('people', () => {
  const sayings: [string, number, number][] = [
    ['Hello?', 400, 450],
    ['Hello.', 400, 450],
    ['Yes?', 260, 450],
    ['Good morning.', 700, 450],
    ['Anna speaking.', 900, 400],
    ['This is Ben.', 800, 700],
    ['Oak Farm, good morning, how can I help you?', 2_400, 400],
    ['Thank you for calling Oak Farm, this is Ann, how may I help you?', 3_600, 400],
    ["You've reached Oak Farm, Ann speaking, what can I do for you?", 3_600, 400],
    ['Hello, one moment please, I have to close the window.', 2_800, 400],
    ['He is out, would you like to leave a message?', 2_600, 700],
  ];
  for (const [text, ms, atMostMs] of sayings) {
    it(`knows a person who says "${text}" within ${atMostMs} ms`, () => {
      const { verdicts } = play([silence(600), say(text, ms), silence(3_000)]);
      assert.deepEqual(
        verdicts.map(({ kind }) => kind),
        ['person'],
      );
      const lateMs = (verdicts[0]?.atMs ?? 0) - 600 - ms;
      assert.ok(lateMs <= atMostMs, `${lateMs} ms after the last word`);
    });
  }

  it('knows a person who says one short word before that word is understood', () => {
    const { verdicts } = play([silence(500), say('', 380), silence(1_500)]);
    assert.equal(verdicts[0]?.kind, 'person');
    assert.ok((verdicts[0]?.atMs ?? 0) <= 500 + 380 + 460);
  });

  it('waits for the rest of a longer sentence that is not understood', () => {
    const { verdicts } = play([silence(500), say('', 1_800), silence(560), say('', 400), silence(1_500)]);
    assert.ok((verdicts[0]?.atMs ?? 0) > 500 + 1_800 + 560 + 400);
  });

  it('hears the end of a person before voices that go on in the background', () => {
    const parts: Part[] = [silence(500), say('Hello?', 500), { says: '', ms: 4_000, level: 900 }];
    const { verdicts } = play(parts);
    assert.equal(verdicts[0]?.kind, 'person');
    assert.ok((verdicts[0]?.atMs ?? 0) <= 2_000, `at ${verdicts[0]?.atMs}`);
  });

  it('takes the crackle of picking up for nobody', () => {
    const { verdicts } = play([say('', 120), silence(1_000)]);
    assert.deepEqual(verdicts, []);
  });

  it('does not turn a person into a machine for what is said later in the talk', () => {
    const { verdicts } = play([
      silence(500),
      say('Hello?', 400),
      silence(16_000),
      say('Please leave a message.', 1_500),
      silence(1_000),
    ]);
    assert.deepEqual(
      verdicts.map(({ kind }) => kind),
      ['person'],
    );
  });
});

describe('machines', () => {
  const greetings: [Verdict['kind'], string, number][] = [
    ['voicemail', "Hi, this is Ben. I can't come to the phone right now, please leave a message.", 5_000],
    ['voicemail', 'Leave a message.', 900],
    ['voicemail', 'Thank you for calling Oak Farm. Our office is closed. Please leave your name and number.', 6_000],
    ['voicemail', 'Your call has been forwarded. At the tone record your message, or press 1 for more options.', 7_000],
    ['screener', "Hi, if you record your name and reason for calling, I'll see if this person is available.", 5_500],
    ['screener', "Hi, the person you're calling is using a screening service from Google.", 4_500],
    ['menu', 'Thank you for calling Oak Farm. For sales, press 1.', 3_500],
    ['menu', 'Welcome to Oak Farm. Please listen carefully as our options have changed.', 4_500],
    ['intercept', 'The number you have dialed is not in service.', 3_000],
  ];
  for (const [kind, text, ms] of greetings) {
    it(`hears a ${kind} in "${text}" at once`, () => {
      const { verdicts } = play([silence(500), say(text, ms), silence(2_000)]);
      assert.deepEqual(
        verdicts.map((verdict) => verdict.kind),
        [kind],
      );
    });
  }

  it('does not wait for the end of a machine', () => {
    const text = 'Please leave a message after the tone and we will call you back as soon as somebody is in again.';
    const { verdicts } = play([silence(500), say(text, 7_000), silence(1_000)]);
    assert.ok((verdicts[0]?.atMs ?? 0) < 4_000);
  });

  it('corrects itself once when a greeting pauses after its first word', () => {
    const parts = [
      silence(500),
      say('Hello.', 400),
      silence(900),
      say('You have reached the voicemail of Ben.', 2_500),
    ];
    const { verdicts } = play([...parts, say('Press 1 for sales.', 1_500), silence(1_000)]);
    assert.deepEqual(
      verdicts.map(({ kind, isRevision }) => [kind, isRevision]),
      [
        ['person', false],
        ['voicemail', true],
      ],
    );
  });

  it('waits for the last words of a long sentence when they are understood late', () => {
    const says = 'Good day to you all, I am driving through the mountains with my old car, so drop me a message';
    const { verdicts } = play([silence(500), { says, ms: 4_800, lateMs: 600 }, silence(2_000)]);
    assert.deepEqual(
      verdicts.map(({ kind }) => kind),
      ['voicemail'],
    );
  });

  it('takes a long speech without a word to the caller for a recording', () => {
    const says = 'Green apples and yellow pears are lying on the long table under the old tree this fine day';
    const { verdicts } = play([silence(500), say(says, 6_500), silence(2_000)]);
    assert.equal(verdicts[0]?.kind, 'voicemail');
    assert.ok((verdicts[0]?.confidence ?? 1) <= 0.6);
  });

  it('does not hear a mailbox in something that beeps beside a person', () => {
    const { verdicts } = play([silence(500), say('Hello?', 500), silence(1_500), beep(), silence(1_000)]);
    assert.deepEqual(
      verdicts.map(({ kind }) => kind),
      ['person'],
    );
  });

  it('takes a beep after a bare name for a mailbox', () => {
    const { verdicts } = play([silence(500), say('Ben Miller.', 900), silence(1_200), beep(), silence(1_000)]);
    assert.deepEqual(
      verdicts.map(({ kind }) => kind),
      ['person', 'voicemail'],
    );
  });

  it('takes endless talk for a recording', () => {
    const text = Array.from({ length: 40 }, (_, at) => `word${at}`).join(' ');
    const { verdicts } = play([silence(500), say(text, 14_000), silence(1_000)]);
    assert.equal(verdicts[0]?.kind, 'voicemail');
    assert.ok((verdicts[0]?.confidence ?? 1) < 0.7);
  });

  it('does not doubt special information tones for the words after them', () => {
    const sit = [silence(400), beep(330, 950), beep(330, 1_400), beep(380, 1_800), silence(300)];
    const { verdicts } = play([...sit, say('Please try your call again later.', 1_800), silence(1_000)]);
    assert.deepEqual(
      verdicts.map(({ kind }) => kind),
      ['intercept'],
    );
  });

  it('counts no words that come again and again', () => {
    const { verdicts } = play([silence(500), say('I was, '.repeat(20).trim(), 6_500), silence(2_000)]);
    assert.equal(verdicts[0]?.kind, 'person');
  });

  it('knows special information tones and fax machines by their sound alone', () => {
    const sit = [silence(400), beep(330, 950), beep(330, 1_400), beep(380, 1_800), silence(500)];
    assert.deepEqual(
      play(sit).verdicts.map(({ kind }) => kind),
      ['intercept'],
    );
    assert.deepEqual(
      play([silence(400), beep(3_000, 2_100), silence(500)]).verdicts.map(({ kind }) => kind),
      ['fax'],
    );
  });
});

describe('silence', () => {
  it('gives up after the time that was asked for', () => {
    const { verdicts } = play([silence(6_000)], { silenceMs: 3_000 });
    assert.deepEqual(
      verdicts.map(({ kind, atMs }) => [kind, atMs]),
      [['silence', 3_000]],
    );
  });

  it('gives up after 4 s by itself, and takes it back when somebody speaks', () => {
    const { verdicts } = play([silence(5_000), say('Hello?', 400), silence(1_000)]);
    assert.deepEqual(
      verdicts.map(({ kind, isRevision }) => [kind, isRevision]),
      [
        ['silence', false],
        ['person', true],
      ],
    );
    assert.equal(verdicts[0]?.atMs, 4_000);
  });
});

describe('the end of a voicemail greeting', () => {
  const greeting = [silence(500), say('Please leave a message after the tone.', 2_500)];

  it('is soon after the beep', () => {
    const { greetingEnds, beeps } = play([...greeting, silence(700), beep(300), silence(3_000)]);
    assert.equal(beeps.length, 1);
    assert.ok(Math.abs((beeps[0]?.endMs ?? 0) - 4_000) <= 40);
    assert.equal(greetingEnds.length, 1);
    const lateMs = (greetingEnds[0] ?? 0) - 4_000;
    assert.ok(lateMs > 0 && lateMs <= 350, `${lateMs} ms after the beep`);
  });

  it('is after the second of two beeps', () => {
    const { greetingEnds } = play([...greeting, silence(700), beep(200), silence(160), beep(200), silence(3_000)]);
    assert.equal(greetingEnds.length, 1);
    assert.ok((greetingEnds[0] ?? 0) > 4_260);
  });

  it('is assumed after a silence when no beep comes', () => {
    const { greetingEnds } = play([...greeting, silence(4_000)], { noBeepMs: 1_500 });
    assert.equal(greetingEnds.length, 1);
    assert.ok(Math.abs((greetingEnds[0] ?? 0) - 4_500) <= 40);
  });

  it('is not in a pause of the greeting', () => {
    const parts = [...greeting, silence(1_500), say('Thank you.', 600), silence(400), beep(400), silence(2_000)];
    const { greetingEnds } = play(parts);
    assert.equal(greetingEnds.length, 1);
    assert.ok((greetingEnds[0] ?? 0) > 5_900);
  });

  it('is never told of a person, a menu or a screener', () => {
    for (const text of ['Hello?', 'For sales press one.', 'Please state your name and why you are calling.']) {
      const { greetingEnds } = play([silence(500), say(text, 1_500), silence(5_000)]);
      assert.deepEqual(greetingEnds, [], text);
    }
  });
});

describe('whatever is heard', () => {
  const parts = fc.array(
    fc.oneof(
      fc.record({ silentMs: fc.integer({ min: 1, max: 150 }).map((count) => 20 * count) }),
      fc.record({
        says: fc.constantFrom(
          '',
          'Hello?',
          'This is Ben.',
          'Leave a message',
          'press one',
          'say your name',
          'not in service',
        ),
        ms: fc.integer({ min: 1, max: 100 }).map((count) => 20 * count),
      }),
      fc.record({
        toneHz: fc.integer({ min: 300, max: 2_600 }),
        ms: fc.integer({ min: 1, max: 60 }).map((count) => 20 * count),
      }),
    ),
    { maxLength: 8 },
  );

  it('there is a verdict in the end, at most one revision of it, and time never runs backwards', () => {
    fc.assert(
      fc.property(parts, (some) => {
        const { verdicts, greetingEnds } = play([...some, silence(13_000)]);
        assert.ok(verdicts.length >= 1);
        const spoken = verdicts.filter(({ kind }) => kind !== 'silence');
        assert.ok(spoken.length <= 2);
        assert.ok(verdicts.every(({ confidence }) => confidence > 0 && confidence <= 1));
        assert.ok(verdicts.every(({ isRevision }, index) => isRevision === index > 0));
        for (const [index, { atMs }] of verdicts.entries()) assert.ok(atMs >= (verdicts[index - 1]?.atMs ?? 0));
        assert.ok(greetingEnds.length <= 1);
      }),
      { numRuns: 60 },
    );
  });

  it('the same sound and words give the same verdicts', () => {
    fc.assert(
      fc.property(parts, (some) => assert.deepEqual(play(some), play(some))),
      { numRuns: 20 },
    );
  });
});
