import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { describeEngine, engineName, missingSetting } from './engine-name.ts';

const problems = (kind: 'tts' | 'stt' | 'llm', text: string) =>
  engineName(kind)
    .safeParse(text)
    .error?.issues.map(({ message }) => message);

describe('the name of an engine', () => {
  it('is a vendor and a model, which may have slashes itself', () => {
    assert.deepEqual(engineName('tts').parse('elevenlabs/eleven_flash_v2_5'), {
      vendor: 'elevenlabs',
      model: 'eleven_flash_v2_5',
    });
    const groq = engineName('tts').parse('groq/canopylabs/orpheus-v1-english');
    assert.deepEqual(groq, { vendor: 'groq', model: 'canopylabs/orpheus-v1-english' });
    assert.equal(describeEngine(groq), 'groq/canopylabs/orpheus-v1-english');
    assert.equal(engineName('llm').parse('embedded'), 'embedded');
  });

  it('must be known for what it is wanted for, and the message lists who is', () => {
    assert.deepEqual(problems('stt', 'acme/x'), [
      'must be embedded, or vendor/model with one of openai, openai-compatible, elevenlabs, deepgram, groq, mistral',
    ]);
    assert.deepEqual(problems('llm', 'deepgram/nova-3'), [
      'must be embedded, or vendor/model with one of openai, openai-compatible, groq, mistral, google, anthropic',
    ]);
    assert.deepEqual(problems('tts', 'anthropic/claude')?.length, 1);
    assert.deepEqual(problems('tts', 'constructor/x')?.length, 1);
  });

  it('must have a model', () => {
    for (const text of ['openai', 'openai/', 'openai/a model', 'openai/x?y']) {
      assert.deepEqual(problems('tts', text), ['must name a model, as in openai/model']);
    }
    assert.match(problems('stt', 'deepgram/flux-general-en')?.[0] ?? '', /Nova/);
  });

  it('tells which setting is missing', () => {
    const openai = { vendor: 'openai', model: 'tts-1' } as const;
    assert.equal(missingSetting(openai, {}), 'OPENAI_API_KEY');
    assert.equal(missingSetting(openai, { openai: { apiKey: 'k' } }), undefined);
    assert.equal(missingSetting(openai, { openai: { baseUrl: 'http://own' } }), undefined);
    const compatible = { vendor: 'openai-compatible', model: 'kokoro' } as const;
    assert.equal(missingSetting(compatible, { 'openai-compatible': { apiKey: 'k' } }), 'PARLEY_OPENAI_COMPATIBLE_URL');
    assert.equal(missingSetting('embedded', {}), undefined);
  });
});
