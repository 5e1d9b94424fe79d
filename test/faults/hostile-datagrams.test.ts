import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Worker } from 'node:worker_threads';
import { Media } from '../../src/rtp/media.ts';
import { readWav } from '../../src/rtp/wav.ts';
import { PhoneNetwork } from '../../src/simulator/phone-network.ts';
import { UserAgent } from '../../src/sip/user-agent.ts';
import { Telephone } from '../../src/telephone/telephone.ts';
import { babble, resemblance } from '../harness/audio.ts';
import type { Attack } from '../harness/hostile-sender.ts';

const host = '127.0.0.1';
// A million in the full run; twenty rounds are the default of all fault tests.
const datagrams = 50_000 * Number(process.env['FAULT_ROUNDS'] ?? 20);
const liveCalls = 5;
const mostGrowthBytes = 30 * 1024 * 1024;

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

function heapBytes(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

describe('strangers', () => {
  it(`${datagrams} mutated datagrams at the ports of live calls: nothing breaks, grows or is heard`, async (t) => {
    const folder = await mkdtemp(join(tmpdir(), 'parley-hostile-'));
    const said = babble(8, 8_000, 3);
    const media = new Media({ host, ports: { from: 32_000, to: 32_199 } });
    const network = new PhoneNetwork({ host, port: 0, media, voice: async () => said.slice() });
    await network.listen();
    const agent = new UserAgent({ host, port: 0 });
    await agent.listen();
    const telephone = new Telephone({ userAgent: agent, media, trunk: network.trunk });
    const stop = new AbortController();
    try {
      const answered: Promise<void>[] = [];
      const calls = Array.from({ length: liveCalls }, (_, i) => {
        const { promise, resolve } = Promise.withResolvers<void>();
        answered.push(promise);
        return telephone.call('+12025550100', '+12025550000', {
          signal: stop.signal,
          recordTo: join(folder, `${i}.wav`),
          onAnswered: async (voice) => {
            resolve();
            // The person answers each thing that is said: both are heard again and again.
            while (!stop.signal.aborted) {
              await voice.play(said.slice());
              await new Promise((passed) => setTimeout(passed, 10_000));
            }
          },
          onDigit: (digit) => assert.fail(`a stranger pressed ${digit}`),
        });
      });
      await Promise.all(answered);
      const before = heapBytes();
      await attack({ seed: 1, datagrams, sip: agent.localPort('udp'), media: openPorts(), seeds: messages() });
      const growth = heapBytes() - before;
      t.diagnostic(`heap grew by ${Math.round(growth / 1024)} KiB`);
      assert.ok(growth < mostGrowthBytes, `the heap grew by ${growth} bytes`);
      assert.equal(agent.counts.calls, liveCalls);
      assert.equal(agent.counts.dialogs, liveCalls);
      assert.equal(network.size, liveCalls);
      await new Promise((passed) => setTimeout(passed, 10_000)); // at least once heard as a whole
      stop.abort();
      for (const end of await Promise.all(calls.map((call) => call.ended))) {
        assert.equal(end.kind, 'answered');
        assert.equal(end.endedBy, 'us');
        assert.equal(end.media.lostPackets, 0);
        assert.equal(end.media.rejectedPackets, 0);
      }
      for (let i = 0; i < liveCalls; i++) {
        const [left, right] = readWav(await readFile(join(folder, `${i}.wav`))).channels;
        assert.ok(left && right);
        assert.ok(resemblance(said, left) > 0.99, 'what we said was disturbed');
        assert.ok(resemblance(said, right) > 0.98, 'what they said was disturbed');
      }
    } finally {
      stop.abort();
      await agent.close();
      await network.close();
      await media.close();
      await rm(folder, { recursive: true, force: true });
    }
  });
});

function openPorts(): number[] {
  return Array.from({ length: 4 * liveCalls }, (_, i) => 32_000 + i);
}

function attack(data: Attack): Promise<void> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL('../harness/hostile-sender.ts', import.meta.url), { workerData: data });
    worker.on('message', () => resolve());
    worker.on('error', reject);
    worker.on('exit', (code) => code !== 0 && reject(new Error(`the sender ended with ${code}`)));
  });
}

/** One of each kind, as a stranger would make them. */
function messages(): string[] {
  const message = (start: string, method: string, more: string[] = [], body = '') =>
    [
      start,
      'Via: SIP/2.0/UDP 127.0.0.2:5060;branch=z9hG4bKseed;rport',
      'Max-Forwards: 70',
      'From: "Stranger" <sip:+12025550100@127.0.0.1>;tag=abc',
      `To: <sip:parley@127.0.0.1>${method === 'INVITE' ? '' : ';tag=def'}`,
      'Call-ID: 0123456789@127.0.0.2',
      `CSeq: 1 ${method}`,
      'Contact: <sip:stranger@127.0.0.2:5060>',
      ...more,
      `Content-Length: ${body.length}`,
      '',
      body,
    ].join('\r\n');
  const sdp = 'v=0\r\no=- 1 1 IN IP4 127.0.0.2\r\ns=-\r\nc=IN IP4 127.0.0.2\r\nt=0 0\r\nm=audio 4000 RTP/AVP 0\r\n';
  const requests = [
    'INVITE',
    'OPTIONS',
    'BYE',
    'CANCEL',
    'ACK',
    'INFO',
    'UPDATE',
    'REFER',
    'NOTIFY',
    'PRACK',
    'REGISTER',
  ];
  return [
    ...requests.map((method) =>
      message(
        `${method} sip:parley@127.0.0.1 SIP/2.0`,
        method,
        ['Supported: timer, 100rel', 'Session-Expires: 90;refresher=uas', 'Content-Type: application/sdp'],
        method === 'INVITE' || method === 'UPDATE' ? sdp : '',
      ),
    ),
    message('SIP/2.0 200 OK', 'INVITE', ['Content-Type: application/sdp'], sdp),
    message('SIP/2.0 183 Session Progress', 'INVITE', ['Require: 100rel', 'RSeq: 1'], sdp),
    message('SIP/2.0 407 Proxy Authentication Required', 'INVITE', [
      'Proxy-Authenticate: Digest realm="x", nonce="y", qop="auth", algorithm=SHA-256',
    ]),
    message('SIP/2.0 302 Moved', 'INVITE', ['Contact: <sip:evil@127.0.0.2>;q=1']),
  ];
}
