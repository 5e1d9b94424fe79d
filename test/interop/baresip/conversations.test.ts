import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import type { CallResource } from '../../../src/domain/call.ts';
import { joined } from '../../../src/rtp/pcm.ts';
import { resample } from '../../../src/rtp/resample.ts';
import { beep } from '../../../src/simulator/voice.ts';
import { runFlite } from '../../../src/speech/embedded/flite.ts';
import { WorkerPool } from '../../../src/speech/embedded/worker-pool.ts';
import { type CallCentre, startCallCentre } from '../../harness/call-centre.ts';
import { assertBegins, assertSounds, heardIn } from '../../harness/listening.ts';
import { quiet, wholeText } from '../../harness/speech.ts';
import { type Baresip, startBaresip } from './baresip.ts';

const number = '+12025550142';
const introMessage =
  'Hello Peter, this is Robin from the city library. I am calling about the visit to your house last week.';
const introVoicemail =
  'Hello Peter, this is Robin from the city library. Please call us back when you have a moment. Goodbye.';
const customQuestions = ['Were you happy with the visit?', 'How many people live in your house?'];

const pool = new WorkerPool({ workers: 1 });
after(() => pool.close());

function spoken(text: string): Int16Array {
  const { samples, sampleRate } = runFlite({ text, voice: 'rms', rate: 1 });
  return resample(samples, sampleRate, 8_000);
}

/** What it would hang up after is silence for as long as any call here takes. */
const recorded = (...sounds: Int16Array[]) => joined(quiet(300, 8_000), ...sounds, quiet(60_000, 8_000));

async function callTo(baresip: Baresip, customRules: string[] = []): Promise<{ centre: CallCentre; callId: string }> {
  const centre = await startCallCentre({
    PARLEY_SIP_TRUNK: `sip:127.0.0.1:${baresip.port}`,
    PARLEY_SPEECH_WORKERS: '1',
  });
  const callId = await centre.place(number, { introMessage, introVoicemail, customQuestions, customRules });
  return { centre, callId };
}

/** What it says after a thing that the assistant has said; nothing where it lets the assistant go on. */
type Reply = string | Int16Array | undefined;

/** Replies to the things that the assistant says, one after the other. */
async function converse(baresip: Baresip, replies: Reply[], customRules: string[] = []): Promise<CallResource> {
  const { centre, callId } = await callTo(baresip, customRules);
  const waiting = [...replies];
  for await (const event of centre.events(callId)) {
    const isOurs = event.type === 'utterance' && event.speaker === 'assistant';
    const reply = isOurs ? waiting.shift() : undefined;
    if (reply !== undefined) await baresip.say(recorded(typeof reply === 'string' ? spoken(reply) : reply));
  }
  return centre.ended(callId);
}

const lines = (call: CallResource) => call.transcript?.map(({ speaker, text }) => `${speaker}: ${text}`).join('\n');

describe('a conversation with baresip', { concurrency: 3, timeout: 240_000 }, () => {
  it('is held to its end: what it heard is the introduction word for word, what it said are the answers', async () => {
    const baresip = await startBaresip({ user: number, says: recorded(spoken('Hello?')) });
    const call = await converse(baresip, ['Yes, sure, go ahead.', 'Yes, I was very happy.', 'There are five of us.']);
    assert.equal(call.outcome?.kind, 'completed', lines(call));
    assert.deepEqual(
      call.answers?.map(({ status, value }) => [status, value]),
      [
        ['answered', true],
        ['answered', 5],
      ],
    );
    await baresip.event('CALL_CLOSED');
    const heard = wholeText(await heardIn(pool, await baresip.heard(), 8_000));
    assertBegins(introMessage, heard);
  });

  it('leaves its voicemail after the beep, word for word', async () => {
    const greeting = spoken('You have reached the voicemail of Peter. Please leave a message after the tone.');
    const sound = joined(greeting, quiet(400, 8_000), beep(8_000));
    const baresip = await startBaresip({ user: number, says: recorded(sound) });
    const { centre, callId } = await callTo(baresip);
    const call = await centre.ended(callId);
    assert.equal(call.outcome?.kind, 'voicemail_left', lines(call));
    const beepEndMs = 300 + (sound.length * 1_000) / 8_000;
    const startMs = call.transcript?.at(-1)?.startMs ?? 0;
    assert.ok(startMs > beepEndMs && startMs < beepEndMs + 1_500, `beep until ${beepEndMs}, message at ${startMs}`);
    await baresip.event('CALL_CLOSED');
    const left = (await baresip.heard()).slice(((beepEndMs - 200) * 8_000) / 1_000);
    assertSounds(introVoicemail, wholeText(await heardIn(pool, left, 8_000)));
  });

  it('apologises to a wrong person', async () => {
    const baresip = await startBaresip({ user: number, says: recorded(spoken('Hello?')) });
    const call = await converse(baresip, ['You have the wrong number. Nobody of that name lives here.']);
    assert.equal(call.outcome?.kind, 'wrong_person', lines(call));
  });

  it('says what it is when asked, and goes on', async () => {
    const baresip = await startBaresip({ user: number, says: recorded(spoken('Hello?')) });
    const answers = ['Are you a robot?', 'Yes, I was very happy.', 'There are five of us.'];
    const call = await converse(baresip, answers);
    assert.equal(call.outcome?.kind, 'completed', lines(call));
    assert.match(lines(call) ?? '', /assistant: .*automated assistant/);
    assert.ok(
      call.answers?.every(({ status }) => status === 'answered'),
      lines(call),
    );
  });

  it('ends politely when nobody speaks', async () => {
    const baresip = await startBaresip({ user: number, says: recorded() });
    const call = await converse(baresip, []);
    assert.deepEqual([call.outcome?.kind, call.outcome?.endedBy], ['silent', 'assistant'], lines(call));
  });

  it('knows that it was hung up on', async () => {
    const baresip = await startBaresip({ user: number, says: recorded(spoken('Hello?')) });
    const { centre, callId } = await callTo(baresip);
    for await (const event of centre.events(callId)) {
      if (event.type === 'answered_by') await baresip.command('hangup');
    }
    const call = await centre.ended(callId);
    assert.deepEqual([call.outcome?.kind, call.outcome?.endedBy], ['hung_up', 'callee'], lines(call));
    assert.ok(call.transcript?.[0]?.interrupted);
  });

  it('stops at once when asked not to call again', async () => {
    const baresip = await startBaresip({ user: number, says: recorded(spoken('Hello?')) });
    const call = await converse(baresip, ['Please do not call me again.']);
    assert.equal(call.outcome?.kind, 'opted_out', lines(call));
    assert.equal(call.outcome?.endedBy, 'assistant');
  });

  it('is interrupted, says what it is about and goes on', async () => {
    const baresip = await startBaresip({ user: number, says: recorded(spoken('Hello?')) });
    const { centre, callId } = await callTo(baresip);
    const waiting = ['Yes, I was very happy.', 'There are five of us.'];
    for await (const event of centre.events(callId)) {
      if (event.type === 'answered_by') await baresip.say(recorded(spoken('Sorry, one moment, what is this about?')));
      if (event.type !== 'utterance' || event.speaker !== 'assistant' || event.interrupted) continue;
      const answer = waiting.shift();
      if (answer !== undefined) await baresip.say(recorded(spoken(answer)));
    }
    const call = await centre.ended(callId);
    assert.equal(call.outcome?.kind, 'completed', lines(call));
    const [first] = call.transcript ?? [];
    assert.ok(first?.interrupted && introMessage.startsWith(first.text) && first.text !== introMessage, lines(call));
    assert.ok(
      call.answers?.every(({ status }) => status === 'answered'),
      lines(call),
    );
  });

  it('repeats when asked, rephrases once and leaves unclear what is unclear', async () => {
    const baresip = await startBaresip({ user: number, says: recorded(spoken('Hello?')) });
    const call = await converse(baresip, [
      'Sorry, could you repeat that?',
      'Yes, sure, go ahead.',
      'Hard to say.',
      'Well, it depends, I am not sure.',
      'There are five of us.',
    ]);
    assert.equal(call.outcome?.kind, 'completed', lines(call));
    assert.deepEqual(
      call.answers?.map(({ status }) => status),
      ['unclear', 'answered'],
      lines(call),
    );
  });

  it('tells a screener who calls and why, then talks to the person', async () => {
    const asked =
      'Hi. The person you are calling is using a screening service. Please say your name and why you are calling.';
    const takenUp = joined(
      spoken('Thank you. Please stay on the line.'),
      quiet(3_000, 8_000),
      spoken('Hello, this is Peter.'),
    );
    const baresip = await startBaresip({ user: number, says: recorded(spoken(asked)) });
    const call = await converse(baresip, [
      undefined,
      takenUp,
      'Yes, sure, go ahead.',
      'Yes, I was very happy.',
      'There are five of us.',
    ]);
    assert.equal(call.outcome?.kind, 'completed', lines(call));
    assert.ok(
      call.answers?.every(({ status }) => status === 'answered'),
      lines(call),
    );
  });

  it('presses the key that a rule names and talks to whoever answers', async () => {
    const menu = 'Thank you for calling Acme. Press one for sales. Press two for support.';
    const baresip = await startBaresip({ user: number, says: recorded(spoken(menu)) });
    const pressed = baresip.event('CALL_DTMF_START').then(async ({ param }) => {
      await baresip.say(recorded(spoken('Hello, this is support.')));
      return param;
    });
    const replies = [undefined, 'Yes, sure, go ahead.', 'Yes, I was very happy.', 'There are five of us.'];
    const call = await converse(baresip, replies, ['If a menu answers, press 2.']);
    assert.equal(await pressed, '2');
    assert.equal(call.outcome?.kind, 'completed', lines(call));
    assert.ok(
      call.answers?.every(({ status }) => status === 'answered'),
      lines(call),
    );
  });
});
