import assert from 'node:assert/strict';
import { resolve } from 'node:path';
import { describe, it } from 'node:test';
import { ConfigError, loadConfig, settingsHelp, unknownSettings } from './config.ts';

describe('the settings', () => {
  it('have the defaults of the getting started contract', () => {
    const config = loadConfig({});
    assert.equal(config.port, 8080);
    assert.equal(config.host, '127.0.0.1');
    assert.equal(config.databaseUrl, undefined);
    assert.equal(config.dataDir, resolve('./data'));
    assert.equal(config.tokenSeconds, 3600);
    assert.equal(config.maxContacts, 10_000);
    assert.equal(config.maxContactsBytes, 10 * 1024 * 1024);
  });

  it('name every fault at once', () => {
    const env = {
      PORT: '99999',
      DATABASE_URL: 'mysql://x',
      PARLEY_LOG_LEVEL: 'loud',
      PARLEY_TRUST_PROXY: 'maybe',
      PARLEY_TOKEN_SECONDS: '1e3',
    };
    assert.throws(
      () => loadConfig(env),
      (error) => {
        assert.ok(error instanceof ConfigError);
        for (const name of Object.keys(env)) assert.match(error.message, new RegExp(name));
        return true;
      },
    );
  });

  it('set to nothing are not set', () => {
    assert.equal(loadConfig({ DATABASE_URL: '', PORT: '' }).port, 8080);
  });

  it('cannot be changed afterwards', () => {
    assert.throws(() => Object.assign(loadConfig({}), { port: 1 }), TypeError);
  });

  it('are all listed with their defaults', () => {
    assert.match(settingsHelp(), /PORT .*\(8080\)/);
    assert.match(settingsHelp(), /PARLEY_DATA_DIR .*\(\.\/data\)/);
  });

  it('that are misspelt are found', () => {
    assert.deepEqual(unknownSettings({ PARLEY_DATADIR: 'x', PARLEY_DATA_DIR: 'x', HOME: 'x' }), ['PARLEY_DATADIR']);
  });

  it('choose the embedded engines unless others are named', () => {
    const { tts, stt, llm } = loadConfig({}).speech;
    assert.deepEqual({ tts, stt, llm }, { tts: 'embedded', stt: 'embedded', llm: undefined });
  });

  it('name engines of vendors with their models and keys', () => {
    const { tts, vendors } = loadConfig({
      PARLEY_TTS: 'openai-compatible/kokoro',
      PARLEY_OPENAI_COMPATIBLE_URL: 'http://127.0.0.1:8880/v1/',
    }).speech;
    assert.deepEqual(tts, { vendor: 'openai-compatible', model: 'kokoro' });
    assert.equal(vendors['openai-compatible']?.baseUrl, 'http://127.0.0.1:8880/v1');
  });

  it('say what an engine still needs', () => {
    assert.throws(
      () => loadConfig({ PARLEY_STT: 'deepgram/nova-3', PARLEY_LLM: 'openai/gpt-5-mini' }),
      /PARLEY_STT: deepgram\/nova-3 needs DEEPGRAM_API_KEY\n.*PARLEY_LLM: openai\/gpt-5-mini needs OPENAI_API_KEY/,
    );
  });

  it('refuse vendors that nobody knows, and a mind that is not there', () => {
    assert.throws(() => loadConfig({ PARLEY_TTS: 'acme/voice' }), /PARLEY_TTS: must be embedded, or vendor\/model/);
    assert.throws(() => loadConfig({ PARLEY_LLM: 'embedded' }), /PARLEY_LLM: .*none embedded/);
  });
});
