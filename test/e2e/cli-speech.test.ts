import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { freePort } from '../../src/free-port.ts';
import { joined } from '../../src/rtp/pcm.ts';
import { readWav, wavHeader } from '../../src/rtp/wav.ts';
import { tone } from '../harness/audio.ts';
import { runCommand, scratchFolder } from '../harness/command.ts';
import { quiet } from '../harness/speech.ts';

const scratch = await scratchFolder();
const run = (args: string[], env: Record<string, string> = {}) => runCommand(args, { scratch, env });
const inScratch = (name: string) => join(scratch, name);

async function samplesOf(path: string): Promise<Int16Array> {
  return readWav(await readFile(path)).channels[0] as Int16Array;
}

async function wavFile(name: string, samples: Int16Array, sampleRate: number): Promise<string> {
  const header = wavHeader(sampleRate, 1, samples.byteLength);
  await writeFile(inScratch(name), Buffer.concat([header, new Uint8Array(samples.buffer)]));
  return inScratch(name);
}

async function say(text: string, name: string, voice = 'rms'): Promise<string> {
  const said = await run(['say', text, '--voice', voice, '--rate', '8000', '-o', inScratch(name)]);
  assert.equal(said.code, 0, said.stderr);
  return inScratch(name);
}

describe('parley say and transcribe', () => {
  it('understand one another', async () => {
    const path = await say('Please call me again on Thursday afternoon.', 'thursday.wav');
    const { code, stdout } = await run(['transcribe', path, '--json']);
    assert.equal(code, 0);
    const { text, segments, seconds } = JSON.parse(stdout);
    assert.equal(text, 'Please call me again on Thursday afternoon.');
    assert.ok(seconds > 2 && seconds < 5);
    for (const segment of segments) {
      assert.ok(segment.startMs >= 0 && segment.endMs > segment.startMs && segment.endMs <= seconds * 1_000 + 100);
      assert.ok(segment.confidence > 0 && segment.confidence <= 1);
    }
  });

  it('refuse to say nothing', async () => {
    const nothing = await run(['say', ' ', '-o', inScratch('nothing.wav')]);
    assert.deepEqual([nothing.code, nothing.stderr], [2, 'There is nothing to say.\n']);
    const unsayable = await run(['say', '🙂', '-o', inScratch('nothing.wav')]);
    assert.equal(unsayable.code, 2);
  });

  for (const [args, message] of [
    [['say', 'hi'], /--output/],
    [['say', 'hi', '-o', '/nowhere/x.wav'], /cannot be written/],
    [['say', 'hi', '-o', 'x.wav', '--pace', '9'], /0\.5 to 2/],
    [['say', 'hi', '-o', 'x.wav', '--rate', '44100'], /8000 or 16000/],
    [['transcribe', 'package.json'], /no WAV file/],
    [['transcribe', 'missing.wav'], /cannot be read/],
    [['detect', 'package.json'], /no WAV file/],
  ] as const) {
    it(`explain what is wrong with: ${args.join(' ')}`, async () => {
      const { code, stderr } = await run([...args]);
      assert.equal(code, 2);
      assert.match(stderr, message);
    });
  }

  it('use the voice of another vendor', async () => {
    const bodies: string[] = [];
    const server = createServer(async (request, response) => {
      let body = '';
      for await (const part of request) body += part;
      bodies.push(body);
      response.writeHead(200, { 'content-type': 'application/octet-stream' });
      response.end(new Uint8Array(tone(440, 1, 24_000).buffer));
    });
    const port = await freePort();
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
    after(() => server.close());
    const env = {
      PARLEY_TTS: 'openai-compatible/kokoro',
      PARLEY_OPENAI_COMPATIBLE_URL: `http://127.0.0.1:${port}/v1`,
      PARLEY_TTS_VOICE: 'bella',
    };
    const { code, stderr } = await run(['say', 'Hello.', '-o', inScratch('vendor.wav')], env);
    assert.deepEqual([code, stderr], [0, '']);
    assert.equal(JSON.parse(bodies[0] as string).voice, 'bella');
    assert.ok(Math.abs((await samplesOf(inScratch('vendor.wav'))).length - 16_000) < 200);
  });

  it('fall back to the embedded voice when the vendor cannot be reached, and say so', async () => {
    const env = { PARLEY_TTS: 'openai/tts-1', PARLEY_OPENAI_URL: 'http://127.0.0.1:1/v1', OPENAI_API_KEY: 'sk-secret' };
    const { code, stderr } = await run(['say', 'Hello there.', '-o', inScratch('fallback.wav')], env);
    assert.equal(code, 0);
    assert.match(stderr, /^openai\/tts-1: .*the embedded engine takes over\n$/);
    assert.doesNotMatch(stderr, /sk-secret/);
    assert.ok((await samplesOf(inScratch('fallback.wav'))).length > 8_000);
  });
});

describe('parley detect', () => {
  it('tells a person from the silence behind a hello', async () => {
    const hello = await samplesOf(await say('Hello?', 'hello.wav'));
    const path = await wavFile('person.wav', joined(quiet(500, 8_000), hello, quiet(3_000, 8_000)), 8_000);
    const { code, stdout } = await run(['detect', path, '--json']);
    assert.equal(code, 0);
    const { kind, atMs, confidence } = JSON.parse(stdout);
    assert.equal(kind, 'person');
    assert.ok(atMs < 2_000 && confidence > 0.5);
  });

  it('tells voicemail, its beep and the end of its greeting', async () => {
    const text = 'Hi, you have reached the voicemail of Peter Miller. Please leave a message after the tone.';
    const greeting = await samplesOf(await say(text, 'greeting.wav', 'slt'));
    const sound = joined(quiet(400, 8_000), greeting, quiet(500, 8_000), tone(1_000, 0.4), quiet(2_000, 8_000));
    const beepEndMs = 400 + 500 + 400 + greeting.length / 8;
    const { stdout } = await run(['detect', await wavFile('voicemail.wav', sound, 8_000), '--json']);
    const { kind, beeps, greetingEndMs } = JSON.parse(stdout);
    assert.equal(kind, 'voicemail');
    assert.equal(beeps.length, 1);
    assert.ok(Math.abs(beeps[0].endMs - beepEndMs) <= 150, `${beeps[0].endMs} of ${beepEndMs}`);
    assert.ok(Math.abs(beeps[0].frequency - 1_000) < 30);
    assert.ok(greetingEndMs >= beepEndMs - 50 && greetingEndMs < beepEndMs + 700, `${greetingEndMs} of ${beepEndMs}`);
  });

  it('shows a line for each thing it noticed', async () => {
    const { code, stdout } = await run(['detect', await wavFile('silence.wav', quiet(6_000, 8_000), 8_000)]);
    assert.equal(code, 0);
    assert.match(stdout, /^00:0\d\.\d {2}silence \(0\.\d\d\): /);
  });
});
