import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { openRecogniser } from './open-recogniser.ts';
import { type LiveServer, type LiveSocket, liveServer, sine, until } from './testing/vendor-server.ts';

type Message = Record<string, unknown> | number;
type Options = NonNullable<Parameters<typeof liveServer>[2]>;
type Hear = (message: Message, from: LiveSocket, server: LiveServer) => void;

const frame = sine(8_000, 0.02);

function results(transcript: string, [start, end]: [number, number], more: object = {}): object {
  return {
    type: 'Results',
    channel_index: [0, 1],
    start,
    duration: end - start,
    is_final: true,
    speech_final: false,
    channel: { alternatives: [{ transcript, confidence: 0.9, words: [] }] },
    metadata: { request_id: 'r' },
    from_finalize: false,
    ...more,
  };
}

/** Seconds of sound that a socket has heard. */
function heardSeconds({ said }: LiveSocket): number {
  return said.reduce<number>((sum, message) => sum + (typeof message === 'number' ? message : 0), 0) / 8_000;
}

/** As Deepgram does: the sound since the last answer, numbered, when it is told to finalize. */
function deepgram(): Hear {
  const answered = new Map<LiveSocket, number>();
  let count = 0;
  return (message, from) => {
    if (typeof message === 'number' || message['type'] !== 'Finalize') return;
    const start = answered.get(from) ?? 0;
    const end = heardSeconds(from);
    answered.set(from, end);
    from.say(results(`utterance ${++count}`, [start, end], { from_finalize: true }));
  };
}

async function serve(
  t: TestContext,
  hear: Hear,
  options: Options & { name?: 'deepgram' | 'elevenlabs'; connectMs?: number } = {},
) {
  const server = await liveServer(t, hear, options);
  const engine =
    options.name === 'elevenlabs'
      ? ({ vendor: 'elevenlabs', model: 'scribe_v2_realtime' } as const)
      : ({ vendor: 'deepgram', model: 'nova-3' } as const);
  const recogniser = openRecogniser(
    engine,
    { [engine.vendor]: { apiKey: 'secret', baseUrl: server.url } },
    { connectMs: options.connectMs ?? 10_000, keepAliveMs: 20 },
  );
  t.after(() => recogniser.close());
  const partials: string[] = [];
  const stream = recogniser.open({
    sampleRate: 8_000,
    language: 'en-US',
    onPartial: ({ text }) => partials.push(text),
  });
  const speak = (frames = 50) => {
    for (let n = 0; n < frames; n++) stream.hear(frame);
  };
  return { server, recogniser, stream, speak, partials };
}

describe('ears over a WebSocket', () => {
  it('speak the protocol of Deepgram', async (t) => {
    const { server, stream, speak } = await serve(t, deepgram());
    speak();
    assert.deepEqual(await stream.recognise('final'), { text: 'utterance 1', confidence: 0.9 });
    const [socket] = server.sockets;
    assert.ok(socket);
    assert.equal(socket.url.pathname, '/v1/listen');
    assert.deepEqual(Object.fromEntries(socket.url.searchParams), {
      model: 'nova-3',
      encoding: 'linear16',
      sample_rate: '8000',
      channels: '1',
      interim_results: 'true',
      punctuate: 'true',
      endpointing: '300',
      language: 'en-US',
    });
    assert.equal(socket.request.headers.authorization, 'Token secret');
    assert.equal(heardSeconds(socket), 1);
    stream.close();
    await until(() => server.connections.open === 0);
    assert.deepEqual(socket.said.at(-1), { type: 'CloseStream' });
  });

  it('speak the protocol of ElevenLabs', async (t) => {
    const { server, stream, speak, partials } = await serve(
      t,
      (message, { say }) => {
        if (typeof message === 'number') return;
        if (message['commit'] === true) say({ message_type: 'committed_transcript', text: 'Yes, please.' });
        else if (message['audio_base_64'] !== '') say({ message_type: 'partial_transcript', text: 'Yes' });
      },
      { name: 'elevenlabs', greet: ({ say }) => say({ message_type: 'session_started', session_id: 's', config: {} }) },
    );
    speak(2);
    const { text, confidence } = await stream.recognise('final');
    assert.equal(text, 'Yes, please.');
    assert.ok(Math.abs(confidence - 0.8) < 1e-9);
    assert.ok(partials.includes('Yes'));
    const [socket] = server.sockets;
    assert.ok(socket);
    assert.equal(socket.url.pathname, '/v1/speech-to-text/realtime');
    assert.deepEqual(Object.fromEntries(socket.url.searchParams), {
      model_id: 'scribe_v2_realtime',
      audio_format: 'pcm_8000',
      commit_strategy: 'manual',
      language_code: 'en',
    });
    assert.equal(socket.request.headers['xi-api-key'], 'secret');
    const chunk = { message_type: 'input_audio_chunk', audio_base_64: Buffer.from(frame.buffer).toString('base64') };
    assert.deepEqual(socket.said, [
      { ...chunk, commit: false },
      { ...chunk, commit: false },
      { ...chunk, audio_base_64: '', commit: true },
    ]);
  });

  it('take it for an answer when ElevenLabs heard too little to commit', async (t) => {
    const { stream, speak } = await serve(
      t,
      (message, { say }) => {
        if (typeof message !== 'number' && message['commit'] === true) {
          say({ message_type: 'insufficient_audio_activity', error: 'quiet' });
        }
      },
      { name: 'elevenlabs', greet: ({ say }) => say({ message_type: 'session_started' }) },
    );
    speak(2);
    assert.deepEqual(await stream.recognise('final'), { text: '', confidence: 0 });
  });

  it('tell what they understand while it is said, and join what is settled', async (t) => {
    const { stream, speak, partials } = await serve(t, (message, from) => {
      const seconds = heardSeconds(from);
      if (message === 160 && seconds === 0.4) from.say(results('Yes', [0, 0.4], { is_final: false }));
      if (message === 160 && seconds === 0.6) from.say(results('Yes,', [0, 0.6]));
      if (message === 160 && seconds === 0.8) from.say(results('plea', [0.6, 0.8], { is_final: false }));
      if (typeof message === 'number' || message['type'] !== 'Finalize') return;
      from.say(results('please.', [0.6, 1], { from_finalize: true }));
    });
    assert.ok(stream.isIncremental);
    speak();
    await until(() => partials.length === 3);
    assert.deepEqual(partials, ['Yes', 'Yes,', 'Yes, plea']);
    assert.equal((await stream.recognise('partial')).text, 'Yes, plea');
    assert.equal((await stream.recognise('final')).text, 'Yes, please.');
  });

  it('use one connection for all utterances and keep it alive in between', async (t) => {
    const { server, stream, speak } = await serve(t, deepgram());
    for (let n = 1; n <= 200; n++) {
      speak(5);
      assert.equal((await stream.recognise('final')).text, `utterance ${n}`);
      stream.next();
    }
    const isKeepAlive = (message: Message) => typeof message !== 'number' && message['type'] === 'KeepAlive';
    const before = server.sockets[0]?.said.filter(isKeepAlive).length ?? 0;
    await until(() => (server.sockets[0]?.said.filter(isKeepAlive).length ?? 0) >= before + 2);
    assert.equal(server.connections.total, 1);
  });

  it('answer at once when nothing was said since the last answer', async (t) => {
    const { server, stream, speak } = await serve(t, deepgram());
    assert.deepEqual(await stream.recognise('final'), { text: '', confidence: 0 });
    speak();
    await stream.recognise('final');
    assert.equal((await stream.recognise('final')).text, 'utterance 1');
    const finalizes = server.sockets[0]?.said.filter(
      (message) => typeof message !== 'number' && message['type'] === 'Finalize',
    );
    assert.equal(finalizes?.length, 1);
  });

  it('hear more of an utterance after an answer', async (t) => {
    const { stream, speak } = await serve(t, deepgram());
    speak();
    await stream.recognise('final');
    speak();
    assert.equal((await stream.recognise('final')).text, 'utterance 1 utterance 2');
  });

  it('do not take the rest of an utterance that was dropped for the next one', async (t) => {
    const { server, stream, speak } = await serve(t, deepgram());
    speak();
    await until(() => server.sockets[0] !== undefined && heardSeconds(server.sockets[0]) === 1);
    stream.next();
    speak();
    assert.equal((await stream.recognise('final')).text, 'utterance 2');
  });

  it('do not wait for the confirmation that Deepgram leaves out when all is settled', async (t) => {
    const { stream, speak, partials } = await serve(t, (message, from) => {
      if (message === 160 && heardSeconds(from) === 0.8) from.say(results('Yes.', [0, 0.8]));
    });
    speak();
    await until(() => partials.length === 1);
    assert.equal((await stream.recognise('final')).text, 'Yes.');
  });

  it('are not fooled by a late confirmation', async (t) => {
    const { stream, speak } = await serve(t, (message, from) => {
      if (typeof message === 'number' || message['type'] !== 'Finalize') return;
      const count = from.said.filter((each) => typeof each !== 'number' && each['type'] === 'Finalize').length;
      if (count === 1) from.say(results('One', [0, 1]));
      if (count === 2) {
        from.say(results('', [1, 1], { from_finalize: true }));
        setTimeout(() => from.say(results('two.', [1, 2], { from_finalize: true })), 20);
      }
    });
    speak();
    assert.equal((await stream.recognise('final')).text, 'One');
    speak();
    assert.equal((await stream.recognise('final')).text, 'One two.');
  });
});

describe('ears whose connection fails', () => {
  it('tell a broken utterance once more to a new connection', async (t) => {
    const hear = deepgram();
    const { server, stream, speak } = await serve(t, (message, from, { sockets }) => {
      if (sockets.length === 1 && heardSeconds(from) >= 0.5) from.socket.close(1011, 'NET-0000');
      else hear(message, from, server);
    });
    speak();
    assert.equal((await stream.recognise('final')).text, 'utterance 1');
    assert.equal(server.sockets.length, 2);
    assert.equal(server.sockets[1] && heardSeconds(server.sockets[1]), 1);
  });

  for (const [what, end] of [
    ['reset', ({ request }: LiveSocket) => request.socket.resetAndDestroy()],
    ['half closed', ({ request }: LiveSocket) => request.socket.end()],
    ['closed for its error', ({ socket }: LiveSocket) => socket.close(1011)],
  ] as const) {
    it(`give an utterance up when the second one is ${what} too`, async (t) => {
      const { server, stream, speak } = await serve(t, (_, from) => end(from));
      speak();
      await assert.rejects(stream.recognise('final'), { name: 'EngineError', code: 'broken' });
      assert.equal(server.sockets.length, 2);
      speak();
      await assert.rejects(stream.recognise('partial'), { code: 'broken' });
      assert.equal(server.sockets.length, 2);
    });
  }

  it('try again with the next utterance', async (t) => {
    const hear = deepgram();
    const { server, stream, speak } = await serve(t, (message, from, { sockets }) => {
      if (sockets.length <= 2) from.socket.terminate();
      else hear(message, from, server);
    });
    speak();
    await assert.rejects(stream.recognise('final'), { code: 'broken' });
    stream.next();
    speak();
    assert.equal((await stream.recognise('final')).text, 'utterance 1');
  });

  it('open a connection that was closed in a pause with the next word', async (t) => {
    const { server, stream, speak } = await serve(t, deepgram());
    speak();
    await stream.recognise('final');
    stream.next();
    server.sockets[0]?.socket.close(1011);
    await until(() => server.connections.open === 0);
    assert.equal(server.connections.total, 1);
    speak();
    assert.equal((await stream.recognise('final')).text, 'utterance 2');
  });

  for (const [status, code] of [
    [401, 'unauthorised'],
    [403, 'unauthorised'],
    [429, 'rate-limited'],
    [500, 'failed'],
  ] as const) {
    it(`say what the handshake said: ${status}`, async (t) => {
      const { stream, speak } = await serve(t, () => {}, { refuse: () => status });
      speak();
      await assert.rejects(stream.recognise('final'), { code, message: `HTTP ${status}` });
    });
  }

  it('do not wait for a connection that never opens', async (t) => {
    const { stream, speak } = await serve(t, () => {}, { refuse: () => 'silence', connectMs: 50 });
    speak();
    await assert.rejects(stream.recognise('final'), { code: 'timeout' });
  });

  it('do not wait for a session that never begins', async (t) => {
    const { stream, speak } = await serve(t, () => {}, { name: 'elevenlabs', connectMs: 50 });
    speak();
    await assert.rejects(stream.recognise('final'), { code: 'timeout' });
  });

  it('understand the errors of ElevenLabs', async (t) => {
    const { stream, speak } = await serve(t, () => {}, {
      name: 'elevenlabs',
      greet: ({ say }) => say({ message_type: 'auth_error', error: 'key secret' }),
    });
    speak();
    await assert.rejects(stream.recognise('final'), { code: 'unauthorised', message: 'auth_error' });
  });

  it('pass over what they do not understand', async (t) => {
    const hear = deepgram();
    const { server, stream, speak } = await serve(t, (message, from) => {
      from.socket.send('garbage');
      from.socket.send('{"type":"Results"}');
      from.socket.send(Buffer.of(1, 2, 3));
      hear(message, from, server);
    });
    speak();
    assert.equal((await stream.recognise('final')).text, 'utterance 1');
  });

  it('leave a connection that does not answer when the utterance is over', async (t) => {
    const hear = deepgram();
    const { server, stream, speak } = await serve(t, (message, from, { sockets }) => {
      if (sockets.length > 1) hear(message, from, server);
    });
    speak();
    const recognised = stream.recognise('final');
    await until(() => server.sockets[0]?.said.some((message) => typeof message !== 'number') === true);
    stream.next();
    await assert.rejects(recognised, { code: 'broken' });
    speak();
    assert.equal((await stream.recognise('final')).text, 'utterance 1');
    await until(() => server.connections.open === 1);
  });

  for (const when of ['while connecting', 'while an answer is waited for'] as const) {
    it(`end at once: ${when}`, async (t) => {
      const { server, stream, speak } = await serve(t, () => {}, {
        ...(when === 'while connecting' && { refuse: () => 'silence' }),
      });
      speak();
      const recognised = stream.recognise('final');
      await until(() => server.connections.open === 1);
      stream.close();
      await assert.rejects(recognised, { message: 'closed' });
      await until(() => server.connections.open === 0);
      speak();
      stream.next();
      await assert.rejects(stream.recognise('final'), { message: 'closed' });
      assert.equal(server.connections.total, 1);
    });
  }
});
