import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Chat, chatServer } from '../../src/conversation/llm/testing/chat-server.ts';
import type { CallEvent } from '../../src/domain/call-event.ts';
import { freePort } from '../../src/free-port.ts';
import { startCallCentre } from '../harness/call-centre.ts';

const introMessage = 'Hello Ada, this is Robin from Acme. I am calling about the visit to your house last week.';
const asked = { introMessage, customQuestions: ['Were you happy with the visit?'], customRules: [] };

describe('calls with engines of others', { concurrency: 2, timeout: 150_000 }, () => {
  it('a language model leads the conversation', async (t) => {
    let turns = 0;
    const lead = (chat: Chat) => {
      // It is asked again after its tools were used.
      const isAnswered = chat.messages.at(-1)?.role === 'tool';
      if (!isAnswered && ++turns === 1) {
        chat.use('next_question', { question: 1 });
        chat.text('How lovely to reach you. Were you happy with the visit?');
      } else if (!isAnswered) {
        chat.use('record_answer', { question: 1, status: 'answered', words: 'Yes.', value: true });
        chat.use('hang_up', { ending: 'completed' });
        chat.text('That is wonderful to hear. Goodbye.');
      }
      chat.end();
    };
    const model = await chatServer(t, ...Array.from({ length: 10 }, () => lead));
    const centre = await startCallCentre({
      PARLEY_LLM: 'openai-compatible/some-model',
      PARLEY_OPENAI_COMPATIBLE_URL: model.url,
      PARLEY_SPEECH_WORKERS: '1',
    });
    const call = await centre.ended(await centre.place('+12025550100', asked));
    const said = call.transcript?.map(({ speaker, text }) => `${speaker}: ${text}`).join('\n');
    assert.equal(call.outcome?.kind, 'completed', said);
    assert.match(said ?? '', /assistant: How lovely to reach you\. Were you happy with the visit\?/);
    assert.deepEqual(
      call.answers?.map(({ status, value }) => [status, value]),
      [['answered', true]],
    );
    assert.deepEqual(call.notes, []);
  });

  it('a voice and a mind that cannot be reached are made up for, and the call notes it', async (t) => {
    const model = await chatServer(t);
    const centre = await startCallCentre({
      PARLEY_LLM: 'openai-compatible/some-model',
      PARLEY_OPENAI_COMPATIBLE_URL: model.url,
      PARLEY_TTS: 'elevenlabs/some-voice',
      ELEVENLABS_API_KEY: 'none',
      PARLEY_ELEVENLABS_URL: `http://127.0.0.1:${await freePort()}`,
      PARLEY_SPEECH_WORKERS: '1',
    });
    const callId = await centre.place('+12025550100', asked);
    const events: CallEvent[] = [];
    for await (const event of centre.events(callId)) events.push(event);
    const call = await centre.ended(callId);
    assert.equal(call.outcome?.kind, 'completed', JSON.stringify(call.transcript));
    assert.equal(call.transcript?.[0]?.text, introMessage);
    assert.deepEqual(
      call.answers?.map(({ status }) => status),
      ['answered'],
    );
    assert.ok(
      call.notes?.some((note) => note.startsWith('elevenlabs/some-voice: ')),
      JSON.stringify(call.notes),
    );
    assert.ok((call.notes?.length ?? 0) >= 2, JSON.stringify(call.notes));
    assert.ok(events.some(({ type }) => type === 'note'));
  });
});
