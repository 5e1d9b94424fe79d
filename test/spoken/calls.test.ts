import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import type { CallResource } from '../../src/domain/call.ts';
import { WorkerPool } from '../../src/speech/embedded/worker-pool.ts';
import type { Transcript } from '../../src/speech/ports.ts';
import { startCallCentre } from '../harness/call-centre.ts';
import { assertBegins, assertSounds, heardIn } from '../harness/listening.ts';
import { until } from '../harness/process.ts';
import { wholeText } from '../harness/speech.ts';

const introMessage =
  'Hello Peter, this is Robin from the city library. I am calling about the visit to your house last week.';
const customQuestions = ['Were you happy with the visit?', 'How many people live in your house?'];
const introVoicemail =
  'Hello Peter, this is Robin from the city library. Please call us back when you have a moment. Goodbye.';
const asked = { introMessage, customQuestions, introVoicemail, customRules: [] };

const pool = new WorkerPool({ workers: 1 });
const centre = await startCallCentre();
after(() => pool.close());

/** Places a call and waits for its end; whatever came of it, its parts fit together. */
async function call(number: string, changes: Record<string, unknown> = {}): Promise<CallResource> {
  const result = await centre.ended(await centre.place(number, { ...asked, ...changes }));
  const told = result.attempts === 0 ? ['call.ended'] : ['call.started', 'call.ended'];
  if (result.answeredAt) told.push('call.answered');
  if (result.outcome?.kind === 'opted_out') told.push('contact.opted_out');
  await assertTold(result, told);
  if (result.attempts > 0) assert.ok(result.summary);
  assert.deepEqual(
    result.answers?.map(({ question }) => question),
    customQuestions,
  );
  if (result.answeredAt) await assertWholeRecording(result);
  else assert.deepEqual([result.transcript ?? [], result.recordingUrl], [[], null]);
  return result;
}

async function assertTold({ callId }: CallResource, types: string[]): Promise<void> {
  await until(() => centre.told(callId).length >= types.length);
  assert.deepEqual(centre.told(callId).sort(), types.sort());
}

async function assertWholeRecording(call: CallResource): Promise<void> {
  const { sampleRate, channels } = await centre.recording(call);
  assert.equal(channels.length, 2);
  const lastMs = Math.max(0, ...(call.transcript ?? []).map(({ endMs }) => endMs));
  const lengthMs = ((channels[0]?.length ?? 0) * 1_000) / sampleRate;
  assert.ok(lastMs > 0 && lengthMs >= lastMs - 500, `${lengthMs} ms recorded, ${lastMs} ms said`);
}

/** Each turn in one line, for assertions that say what was said. */
function lines(call: CallResource): string[] {
  return (call.transcript ?? []).map(({ speaker, text }) => `${speaker}: ${text}`);
}

/** What is in the recording is what the transcript says. */
async function assertRecorded(call: CallResource): Promise<Transcript[]> {
  const { sampleRate, channels } = await centre.recording(call);
  const heard = await heardIn(pool, channels[0] ?? new Int16Array(), sampleRate);
  const said = (call.transcript ?? []).filter(({ speaker }) => speaker === 'assistant').map(({ text }) => text);
  assertSounds(said.join(' '), wholeText(heard));
  return heard;
}

describe('calls to the simulated numbers', { concurrency: 3 }, () => {
  it('0100: a friendly person answers every question', async () => {
    const result = await call('+12025550100');
    assert.equal(result.outcome?.kind, 'completed', lines(result).join('\n'));
    assert.equal(result.outcome?.endedBy, 'assistant');
    assert.equal(result.attempts, 1);
    assert.equal(result.transcript?.[0]?.text, introMessage);
    assert.deepEqual(
      result.answers?.map(({ question, status }) => ({ question, status })),
      customQuestions.map((question) => ({ question, status: 'answered' })),
      lines(result).join('\n'),
    );
    assert.equal(result.answers?.[0]?.value, true);
    assert.equal(typeof result.answers?.[1]?.value, 'number');
    for (const { turn } of result.answers ?? []) {
      assert.equal(result.transcript?.[turn ?? -1]?.speaker, 'callee');
    }
    assert.ok((result.latency?.introductionMs ?? 1_000) <= 100);
    assert.ok((result.latency?.turns.length ?? 0) >= 2);
    assert.equal(result.quality?.lossPercent, 0);
    const heard = await assertRecorded(result);
    assertBegins(introMessage, wholeText(heard));
  });

  it('0101: busy', async () => {
    const result = await call('+12025550101');
    assert.deepEqual([result.outcome?.kind, result.outcome?.sipStatus, result.outcome?.side], ['busy', 486, 'callee']);
    assert.deepEqual(result.transcript, []);
    assert.equal(result.recordingUrl, null);
    assert.ok(result.answers?.every(({ status }) => status === 'not_asked'));
  });

  it('0102: nobody answers', async () => {
    const result = await call('+12025550102');
    assert.deepEqual([result.outcome?.kind, result.outcome?.retryable], ['no_answer', true]);
    assert.equal(result.answeredAt, null);
  });

  it('0103: declines', async () => {
    const result = await call('+12025550103');
    assert.deepEqual([result.outcome?.kind, result.outcome?.retryable], ['declined', false]);
  });

  it('0104: leaves the voicemail word for word after the beep', async () => {
    const result = await call('+12025550104');
    assert.equal(result.outcome?.kind, 'voicemail_left', lines(result).join('\n'));
    const message = result.transcript?.at(-1);
    assert.equal(message?.text, introVoicemail);
    const { sampleRate, channels } = await centre.recording(result);
    const [ours = new Int16Array(), theirs = new Int16Array()] = channels;
    const beepEndMs = lastSoundMs(theirs, sampleRate);
    const startMs = firstSoundMs(ours, sampleRate, beepEndMs - 2_000);
    assert.ok(startMs >= beepEndMs && startMs - beepEndMs < 1_500, `beep until ${beepEndMs}, message at ${startMs}`);
    const left = await heardIn(pool, ours.slice((beepEndMs * sampleRate) / 1_000), sampleRate);
    assertSounds(introVoicemail, wholeText(left));
  });

  it('0105: leaves the voicemail when no beep comes', async () => {
    const result = await call('+12025550105');
    assert.equal(result.outcome?.kind, 'voicemail_left', lines(result).join('\n'));
    assert.equal(result.transcript?.at(-1)?.text, introVoicemail);
  });

  it('0106: the person hangs up during the introduction', async () => {
    const result = await call('+12025550106');
    assert.deepEqual([result.outcome?.kind, result.outcome?.endedBy], ['hung_up', 'callee']);
    const [first] = result.transcript ?? [];
    assert.ok(first?.interrupted && introMessage.startsWith(first.text) && first.text.length < introMessage.length);
    assert.ok(result.answers?.every(({ status }) => status === 'not_asked'));
  });

  it('0107: is interrupted, answers the question and goes on', async () => {
    const result = await call('+12025550107');
    assert.equal(result.outcome?.kind, 'completed', lines(result).join('\n'));
    assert.equal(result.transcript?.[0]?.interrupted, true);
    assert.ok(
      result.answers?.every(({ status }) => status === 'answered'),
      lines(result).join('\n'),
    );
    await assertRecorded(result);
  });

  it('0108: asks not to be called again, and is not', async () => {
    const number = '+12025550108';
    const result = await call(number);
    assert.equal(result.outcome?.kind, 'opted_out', lines(result).join('\n'));
    const again = await call(number);
    assert.deepEqual([again.outcome?.kind, again.outcome?.side, again.attempts], ['blocked', 'policy', 0]);
  });

  it('0109: repeats when asked, rephrases once and leaves unclear what is unclear', async () => {
    const result = await call('+12025550109');
    assert.equal(result.outcome?.kind, 'completed', lines(result).join('\n'));
    assert.ok(
      result.answers?.some(({ status }) => status === 'unclear'),
      JSON.stringify(result.answers),
    );
  });

  it('0110: nobody speaks', async () => {
    const result = await call('+12025550110');
    assert.equal(result.outcome?.kind, 'silent', lines(result).join('\n'));
    assert.equal(result.outcome?.endedBy, 'assistant');
  });

  it('0111: tells the screener who calls and why, then talks to the person', async () => {
    const result = await call('+12025550111');
    assert.equal(result.outcome?.kind, 'completed', lines(result).join('\n'));
    assert.ok(lines(result).some((line) => /^assistant: .*Robin/.test(line) && !line.includes(introMessage)));
  });

  it('0112: presses the key that a rule names and talks to whoever answers', async () => {
    const result = await call('+12025550112', { customRules: ['If a menu answers, press 2.'] });
    assert.equal(result.outcome?.kind, 'completed', lines(result).join('\n'));
    assert.deepEqual(
      result.rules?.map(({ kept }) => kept),
      [true],
    );
  });

  it('0112: hangs up on a menu that no rule knows', async () => {
    const result = await call('+12025550112');
    assert.equal(result.outcome?.kind, 'machine_no_message', lines(result).join('\n'));
  });

  it('0113: the number does not exist', async () => {
    const result = await call('+12025550113');
    assert.deepEqual([result.outcome?.kind, result.outcome?.sipStatus], ['invalid_number', 404]);
  });

  it('0114: the carrier fails', async () => {
    const result = await call('+12025550114');
    assert.deepEqual([result.outcome?.kind, result.outcome?.side], ['carrier_failed', 'carrier']);
  });

  it('0115: a wrong person', async () => {
    const result = await call('+12025550115');
    assert.equal(result.outcome?.kind, 'wrong_person', lines(result).join('\n'));
  });

  it('0116: says who it is and that it is no person', async () => {
    const result = await call('+12025550116');
    assert.equal(result.outcome?.kind, 'completed', lines(result).join('\n'));
    assert.ok(
      lines(result).some((line) => /^assistant: .*automated assistant/.test(line)),
      lines(result).join('\n'),
    );
    assert.ok(
      result.answers?.every(({ status }) => status === 'answered'),
      lines(result).join('\n'),
    );
  });

  it('0199: no browser phone is open', async () => {
    const result = await call('+12025550199');
    assert.equal(result.outcome?.kind, 'no_answer');
  });
});

const loud = 600;

function firstSoundMs(samples: Int16Array, sampleRate: number, fromMs: number): number {
  const from = Math.max(0, Math.round((fromMs * sampleRate) / 1_000));
  const found = samples.subarray(from).findIndex((sample) => Math.abs(sample) > loud);
  return ((found + from) * 1_000) / sampleRate;
}

function lastSoundMs(samples: Int16Array, sampleRate: number): number {
  return (samples.findLastIndex((sample) => Math.abs(sample) > loud) * 1_000) / sampleRate;
}
