import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { generateText } from 'ai';
import type { Vendor } from './engine-name.ts';
import { openLanguageModel } from './language-model.ts';
import { httpServer } from './testing/vendor-server.ts';

const chat = {
  id: 'c',
  object: 'chat.completion',
  created: 1,
  model: 'm',
  choices: [{ index: 0, message: { role: 'assistant', content: 'Good morning.' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
};

const answers: [Vendor, string, object][] = [
  ['openai-compatible', '/v1/chat/completions', chat],
  ['groq', '/v1/chat/completions', chat],
  ['mistral', '/v1/chat/completions', chat],
  [
    'anthropic',
    '/v1/messages',
    {
      type: 'message',
      id: 'm',
      role: 'assistant',
      model: 'm',
      content: [{ type: 'text', text: 'Good morning.' }],
      stop_reason: 'end_turn',
      stop_sequence: null,
      usage: { input_tokens: 1, output_tokens: 1 },
    },
  ],
  [
    'google',
    '/v1/models/some-model:generateContent',
    { candidates: [{ content: { role: 'model', parts: [{ text: 'Good morning.' }] }, finishReason: 'STOP' }] },
  ],
  [
    'openai',
    '/v1/responses',
    {
      id: 'r',
      created_at: 1,
      model: 'm',
      output: [
        {
          type: 'message',
          role: 'assistant',
          id: 'm',
          content: [{ type: 'output_text', text: 'Good morning.', annotations: [] }],
        },
      ],
      usage: { input_tokens: 1, output_tokens: 1 },
    },
  ],
];

describe('a language model', () => {
  for (const [vendor, path, answer] of answers) {
    it(`is asked where ${vendor} has it`, async (t) => {
      const server = await httpServer(t, ({ response }) =>
        response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer)),
      );
      const settings = { [vendor]: { apiKey: 'secret', baseUrl: `${server.url}/v1/` } };
      const { text } = await generateText({
        model: openLanguageModel({ vendor, model: 'some-model' }, settings),
        prompt: 'Greet.',
        maxOutputTokens: 100,
        maxRetries: 0,
      });
      assert.equal(text, 'Good morning.');
      assert.equal(server.asked[0]?.url.pathname, path);
      assert.match(JSON.stringify(server.asked[0]?.request.headers), /secret/);
    });
  }

  it('needs its settings', () => {
    assert.throws(() => openLanguageModel({ vendor: 'openai', model: 'm' }, {}), /openai\/m needs OPENAI_API_KEY/);
  });
});
