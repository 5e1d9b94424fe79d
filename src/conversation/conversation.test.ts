import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Brief } from './mind.ts';
import { ScriptedMind } from './scripted/scripted-mind.ts';
import { brief } from './scripted/test-call.ts';
import { type PersonLine, talk } from './test-telephone.ts';

const intro = 'Hello Ada, this is Robin from Acme. I have a few short questions about our last visit to your house.';
const hello: PersonLine = { atMs: 300, says: 'Hello?' };
const then = (says: string): PersonLine => ({ afterUsMs: 600, says });
const call = (changes: Partial<Brief>, person: PersonLine[]) =>
  talk(new ScriptedMind({ ...brief, introMessage: intro, ...changes }), person);

describe('a conversation', () => {
  it('asks all questions, hears the answers and says goodbye', async () => {
    const { ending, said, conversation } = await call({}, [
      hello,
      then('Yes, sure, go ahead.'),
      then('Yes, I did.'),
      then('Next Tuesday at ten.'),
      then('We are five.'),
    ]);
    assert.equal(ending.kind, 'completed');
    assert.equal(said[0], `A: ${intro}`);
    assert.deepEqual(conversation.record.turns.map(({ interrupted }) => interrupted).filter(Boolean), []);
    assert.ok(said.some((line) => line.includes('How many people live in your house?')));
  });

  it('speaks in the moment of the answer', async () => {
    const { soundingMs } = await call({}, [hello, { afterUsMs: 500, hangsUp: true }]);
    assert.ok((soundingMs[0] ?? 1_000) <= 20, String(soundingMs[0]));
  });

  it('falls silent within 200 ms of an interruption, and knows which words were heard', async () => {
    const { said, soundingMs, conversation } = await call({}, [
      hello,
      { intoOursMs: 3_000, says: 'Sorry, what is this about?' },
      { afterUsMs: 300, hangsUp: true },
    ]);
    const [first, , third] = conversation.record.turns;
    assert.ok(first?.interrupted);
    assert.ok(intro.startsWith(first.text) && first.text.length > 20 && first.text.length < 80, first.text);
    const began = conversation.record.turns.find(({ text }) => text.startsWith('Sorry'))?.startMs ?? 0;
    const stopped = soundingMs.find((ms, index) => (soundingMs[index + 1] ?? ms) - ms > 100) ?? 0;
    assert.ok(stopped - began <= 200, `${stopped} - ${began}`);
    assert.equal(third?.speaker, 'callee');
    assert.match(said.at(-1) ?? '', /^A: /);
  });

  it('goes on after a back-channel, with every word said', async () => {
    const { said, conversation } = await call({}, [
      hello,
      { intoOursMs: 3_000, says: 'Okay.' },
      { afterUsMs: 600, hangsUp: true },
    ]);
    assert.equal(said[0], `A: ${intro}`);
    assert.equal(conversation.record.turns[0]?.interrupted, false);
  });

  it('prompts twice into silence, then ends politely', async () => {
    const { ending, said } = await call({}, []);
    assert.equal(ending.kind, 'silent');
    assert.equal(said.length, 4);
    assert.match(said.at(-1) ?? '', /goodbye/i);
  });

  it('has an opt-out on record before it says so', async () => {
    const { ending, facts, events } = await call({}, [hello, then('Stop calling me, please.')]);
    assert.equal(ending.kind, 'opted_out');
    assert.deepEqual(facts, [{ kind: 'opted-out', turn: 2 }]);
    const last = events.at(-1);
    assert.ok(last?.type === 'utterance' && /not call you again/.test(last.text));
  });

  it('hears an opt-out that is said into its goodbye', async () => {
    const { ending, facts } = await call({ questions: [] }, [
      hello,
      then('Okay.'),
      { intoOursMs: 500, says: 'And do not call me again.' },
    ]);
    assert.equal(ending.kind, 'opted_out');
    assert.equal(facts.length, 1);
  });

  it('leaves the voicemail after the beep', async () => {
    const greeting = 'You have reached the voicemail of Ada. Please leave a message after the tone.';
    const { ending, said, soundingMs, conversation } = await call(
      { introVoicemail: 'Hello Ada, please call Acme back.' },
      [
        { atMs: 300, says: greeting },
        { afterUsMs: 500, sounds: beep() },
      ],
    );
    assert.equal(ending.kind, 'voicemail_left');
    assert.equal(said.at(-1), 'A: Hello Ada, please call Acme back.');
    const message = conversation.record.turns.at(-1);
    const beepMs = (conversation.record.turns.find(({ speaker }) => speaker === 'callee')?.endMs ?? 0) + 500;
    assert.ok(message && message.startMs > beepMs + 500, `${message?.startMs} ${beepMs}`);
    assert.ok(soundingMs.every((ms) => ms < beepMs - 500 || ms > beepMs + 500));
  });

  it('tells a screener who calls and why, and greets the person who comes', async () => {
    const { said, ending } = await call({}, [
      {
        atMs: 300,
        says: 'Hi. The person you are calling is using a screening service. Please say your name and why you are calling.',
      },
      { afterUsMs: 1_000, says: 'Thank you. Please stay on the line.' },
      { afterUsMs: 2_000, says: 'Hello, this is Ada.' },
      { afterUsMs: 600, hangsUp: true },
    ]);
    assert.equal(ending.kind, 'hung_up');
    const [told, introduced] = said.filter((line) => line.startsWith('A:')).slice(-2);
    assert.match(told ?? '', /Robin/);
    assert.equal(introduced, `A: ${intro}`);
  });

  it('ends as screened when the screener hangs up', async () => {
    const { ending } = await call({}, [
      {
        atMs: 300,
        says: 'The person you are calling is using a screening service. Please say your name and why you are calling.',
      },
      { afterUsMs: 2_000, hangsUp: true },
    ]);
    assert.equal(ending.kind, 'screened');
  });

  it('presses the key that a rule names, and greets whoever answers', async () => {
    const { line, said } = await call({ rules: ['If a menu answers, press 2.'] }, [
      { atMs: 300, says: 'Thank you for calling Acme. Press one for sales. Press two for support.' },
      { afterUsMs: 1_800, says: 'Support, hello?' },
      { afterUsMs: 600, hangsUp: true },
    ]);
    assert.deepEqual(line.digits, ['2']);
    assert.equal(said.at(-1), `A: ${intro}`);
  });

  it('hangs up on a menu when no rule knows the way', async () => {
    const { ending } = await call({}, [
      { atMs: 300, says: 'Thank you for calling Acme. Press one for sales. Press two for support.' },
    ]);
    assert.equal(ending.kind, 'machine_no_message');
  });

  it('ends as hung up when the person leaves in the middle', async () => {
    const { ending, conversation } = await call({}, [hello, { intoOursMs: 1_500, hangsUp: true }]);
    assert.equal(ending.kind, 'hung_up');
    assert.ok(conversation.record.turns[0]?.interrupted);
  });

  it('hands over to the number that a rule names', async () => {
    const { ending, line } = await call({ rules: ['If they ask for a human, transfer to +12025550142.'] }, [
      hello,
      then('Can I speak to a human?'),
    ]);
    assert.deepEqual(line.transfers, ['+12025550142']);
    assert.equal(ending.kind, 'transferred');
  });

  it('takes keys for an answer', async () => {
    const { conversation } = await call({ questions: ['How many people live in your house?'] }, [
      hello,
      then('Yes, go ahead.'),
      { afterUsMs: 600, keys: '5' },
    ]);
    assert.ok(conversation.record.turns.some(({ text }) => text === '5'));
  });

  it('takes an answer with a pause in it for one answer', async () => {
    const mind = new ScriptedMind({ ...brief, introMessage: intro });
    const { said, conversation } = await talk(mind, [
      hello,
      then('Yes, go ahead.'),
      then('Yes.'),
      { intoOursMs: 200, says: 'But not the second page.' },
      { afterUsMs: 600, hangsUp: true },
    ]);
    const { answers } = mind.result(conversation.record.turns);
    assert.equal(answers[0]?.answer, 'Yes. But not the second page.', said.join('\n'));
    assert.ok(answers.slice(1).every(({ status }) => status !== 'answered'));
    assert.match(said.at(-1) ?? '', /When would a visit suit you/);
  });

  it("says the operator's sentence after its own, also when that was interrupted", async () => {
    const { said } = await call({}, [
      hello,
      { intoOursMs: 2_000, whispers: 'We have a new offer for you.' },
      { intoOursMs: 1_000, says: 'Sorry, what is this about?' },
      { afterUsMs: 3_000, hangsUp: true },
    ]);
    assert.equal(said.at(-1), 'A: We have a new offer for you.', said.join('\n'));
  });

  it('ends politely when its mind fails', async () => {
    const mind = new ScriptedMind({ ...brief, introMessage: intro });
    mind.heard = () => Promise.reject(new Error('out of my mind'));
    const { ending, said, faults } = await talk(mind, [hello, then('Yes, go ahead.')]);
    assert.equal(ending.kind, 'failed');
    assert.match(said.at(-1) ?? '', /sorry/);
    assert.equal(faults.length, 1);
  });

  it('measures how long each reply took', async () => {
    const { conversation } = await call({}, [
      hello,
      then('Yes, go ahead.'),
      then('Yes.'),
      { afterUsMs: 600, hangsUp: true },
    ]);
    const { introductionMs, turns, audioMs } = conversation.record.latency;
    assert.ok(introductionMs !== null && introductionMs <= 20, String(introductionMs));
    assert.equal(turns.length, 2);
    assert.ok(turns.every((turn) => turn.audioMs >= 240 && turn.audioMs <= 320 && turn.textMs <= turn.audioMs));
    assert.ok(audioMs && audioMs.p95 >= audioMs.p50);
  });
});

function beep(): Int16Array {
  return Int16Array.from({ length: 4_000 }, (_, i) => 8_000 * Math.sin((2 * Math.PI * 1_000 * i) / 8_000));
}
