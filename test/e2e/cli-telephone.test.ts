import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { freePort } from '../../src/free-port.ts';
import { readWav, wavHeader } from '../../src/rtp/wav.ts';
import { babble, resemblance } from '../harness/audio.ts';
import { runCommand, scratchFolder } from '../harness/command.ts';

const scratch = await scratchFolder();
const run = (args: string[], env: Record<string, string> = {}) => runCommand(args, { scratch, env });

/** `parley simulator` as a process of its own. */
async function startSimulator(
  args: string[] = ['--hum'],
): Promise<{ trunk: string; said: () => string; stop: () => Promise<number> }> {
  const port = await freePort();
  const child = spawn(process.execPath, ['src/cli.ts', 'simulator', '--port', String(port), ...args], {
    env: { PATH: process.env['PATH'] },
  });
  after(() => void child.kill('SIGKILL'));
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (part) => (text += part));
  while (!text.includes('Ctrl-C ends it')) {
    const what = await Promise.race([once(child.stdout, 'data'), once(child, 'exit').then(() => 'exited')]);
    if (what === 'exited') throw new Error(text);
  }
  return {
    trunk: `sip:127.0.0.1:${port}`,
    said: () => text,
    async stop() {
      child.kill('SIGINT');
      const [code] = await once(child, 'exit');
      return code;
    },
  };
}

async function wavFile(name: string, pcm: Int16Array, sampleRate = 8_000): Promise<string> {
  const path = join(scratch, name);
  await writeFile(path, Buffer.concat([wavHeader(sampleRate, 1, pcm.byteLength), Buffer.from(pcm.buffer)]));
  return path;
}

describe('parley dial', { concurrency: 4 }, () => {
  it('plays a file to a simulated person, records both sides and hangs up after it', async () => {
    const said = babble(3);
    const record = join(scratch, 'call.wav');
    const dialled = await run(['dial', '+12025550110', '--play', await wavFile('said.wav', said), '--record', record]);
    assert.deepEqual([dialled.code, dialled.stdout.split('\n')[2]], [0, `Recorded to ${record}`]);
    assert.match(dialled.stderr, /Calling \+12025550110 [\s\S]* ringing [\s\S]* answered after .* PCMU, not encrypted/);
    assert.match(dialled.stdout, /lasted 3\.\d s\. We hung up\./);
    const [left, right] = readWav(await readFile(record)).channels;
    assert.ok(left && right);
    assert.ok(resemblance(said, left) > 0.999);
    assert.ok(Math.max(...right) < 200, 'the silent one was not silent');
  });

  it('tells how it ended as JSON, with times and quality, and exits 1 unless it was answered', async () => {
    const busy = await run(['dial', '+12025550101', '--json']);
    assert.equal(busy.code, 1);
    const { kind, sipStatus, q850Cause, answeredAt } = JSON.parse(busy.stdout);
    assert.deepEqual(
      { kind, sipStatus, q850Cause, answeredAt },
      { kind: 'busy', sipStatus: 486, q850Cause: 17, answeredAt: null },
    );
    const answered = await run(['dial', '+12025550100', '--seconds', '1.5', '--json']);
    assert.equal(answered.code, 0);
    const end = JSON.parse(answered.stdout);
    assert.equal(end.kind, 'answered');
    assert.ok(end.ringMs >= 900 && end.talkMs >= 1_400 && end.talkMs < 3_000, answered.stdout);
    assert.ok(end.media.receivedPackets > 50 && end.media.lostPackets === 0, answered.stdout);
  });

  it('says in words why nobody was reached', async () => {
    for (const [number, words] of [
      ['+12025550103', /^The call was declined \(Decline, SIP 603, Q.850 cause 21\)\.\n$/],
      ['+12025550113', /^The number does not exist or is not complete/],
      ['+12025550114', /^The carrier could not connect the call/],
    ] as const) {
      const dialled = await run(['dial', number]);
      assert.deepEqual([dialled.code, words.test(dialled.stdout)], [1, true], dialled.stdout);
    }
    const ringing = await run(['dial', '+12025550102', '--ring', '1']);
    assert.match(ringing.stdout, /^Nobody answered/);
  });

  it('refuses what cannot work before it calls', async () => {
    for (const [args, env, words] of [
      [['dial', '12025550100'], {}, /must be written like/],
      [['dial', '+12025550100', '--from', '5'], {}, /must be written like/],
      [['dial', '+12025550100', '--dtmf', '12x'], {}, /Keys are/],
      [['dial', '+12025550100', '--seconds', '-1'], {}, /number of seconds/],
      [['dial', '+12025550100', '--play', 'none.wav'], {}, /none\.wav cannot be read/],
      [['dial', '+12025550100', '--play', 'package.json'], {}, /package\.json cannot be used/],
      [['dial', '+12025550100', '--record', '/nowhere/x.wav'], {}, /there is no folder \/nowhere/],
      [['dial', '+12025550100'], { PARLEY_SIP_TRUNK: 'sip:127.0.0.1:9' }, /--from must say/],
      [['dial', '+12025550100'], { PARLEY_SIP_TRUNK: 'trunk.example.com' }, /PARLEY_SIP_TRUNK: must be like/],
      [
        ['dial', '+12025550100'],
        { PARLEY_RTP_PORTS: '30000-20000', PARLEY_CODECS: 'MP3' },
        /PARLEY_CODECS[\s\S]*PARLEY_RTP_PORTS/,
      ],
    ] as const) {
      const dialled = await run([...args], env);
      assert.deepEqual([dialled.code, words.test(dialled.stderr), dialled.stdout], [2, true, ''], dialled.stderr);
    }
  });

  it('hangs up on Ctrl-C and still tells how it went', async () => {
    const child = spawn(process.execPath, ['src/cli.ts', 'dial', '+12025550110', '--seconds', '60'], {
      env: { PATH: process.env['PATH'] },
    });
    after(() => void child.kill('SIGKILL'));
    let [stdout, stderr] = ['', ''];
    child.stdout.on('data', (part) => (stdout += part));
    child.stderr.on('data', (part) => (stderr += part));
    while (!stderr.includes('answered')) await once(child.stderr, 'data');
    child.kill('SIGINT');
    const [code] = await once(child, 'close');
    assert.equal(code, 130);
    assert.match(stdout, /^The call was answered .* We hung up\./);
  });
});

describe('parley simulator', { concurrency: true }, () => {
  it('is a trunk for others: keys, codecs, encryption, TCP and behind a proxy', async () => {
    const simulator = await startSimulator([]);
    const from = ['--from', '+12025550000', '--seconds', '2', '--json'];
    const calls = await Promise.all([
      run(['dial', '+12025550100', ...from], { PARLEY_SIP_TRUNK: simulator.trunk, PARLEY_CODECS: 'G722' }),
      run(['dial', '+12025550100', ...from], { PARLEY_SIP_TRUNK: simulator.trunk, PARLEY_SIP_SRTP: 'yes' }),
      run(['dial', '+12025550112', '--dtmf', '1', ...from], { PARLEY_SIP_TRUNK: `${simulator.trunk};transport=tcp` }),
      run(['dial', '+12025550100', ...from], {
        PARLEY_SIP_TRUNK: 'sip:carrier.invalid',
        PARLEY_SIP_PROXY: simulator.trunk,
      }),
    ]);
    for (const { code, stdout, stderr } of calls) {
      assert.equal(code, 0, stderr);
      assert.ok(JSON.parse(stdout).media.receivedPackets > 80, stdout);
    }
    assert.match(calls[0]?.stderr ?? '', /G722/);
    assert.match(calls[1]?.stderr ?? '', /, encrypted/);
    assert.match(simulator.said(), /\+12025550112 is called: a menu/);
    assert.equal(await simulator.stop(), 0);
  });

  it('says a given file in place of words', async () => {
    const said = babble(2, 16_000, 5);
    const simulator = await startSimulator(['--play', await wavFile('person.wav', said, 16_000)]);
    const record = join(scratch, 'heard.wav');
    const dialled = await run(
      ['dial', '+12025550100', '--from', '+12025550000', '--seconds', '4', '--record', record],
      {
        PARLEY_SIP_TRUNK: simulator.trunk,
        PARLEY_CODECS: 'G722',
      },
    );
    assert.equal(dialled.code, 0, dialled.stderr);
    const [, right] = readWav(await readFile(record)).channels;
    assert.ok(right);
    const alike = resemblance(said, right, 16_000);
    assert.ok(alike > 0.95, String(alike));
  });

  it('says which port is taken', async () => {
    const simulator = await startSimulator();
    const second = await run(['simulator', '--port', simulator.trunk.split(':')[2] ?? '']);
    assert.equal(second.code, 1);
    assert.match(second.stderr, /is already in use/);
  });
});

describe('parley trunk check', { concurrency: true }, () => {
  it('says that a good trunk is good, and which codec it speaks', async () => {
    const simulator = await startSimulator();
    const checked = await run(['trunk', 'check', '--number', '+12025550100', '--from', '+12025550000', '--json'], {
      PARLEY_SIP_TRUNK: simulator.trunk,
    });
    assert.equal(checked.code, 0, checked.stderr);
    const { isWell, findings } = JSON.parse(checked.stdout);
    assert.equal(isWell, true);
    assert.deepEqual(
      findings.map((each: { check: string; isWell: boolean | null }) => [each.check, each.isWell]),
      [
        ['address', true],
        ['reachable', true],
        ['authentication', null],
        ['codec', true],
      ],
    );
    assert.match(findings[3].text, /PCMU, not encrypted/);
  });

  it('says in plain words what is wrong', async () => {
    const dead = await freePort();
    const tcp = await run(['trunk', 'check'], { PARLEY_SIP_TRUNK: `sip:127.0.0.1:${dead};transport=tcp` });
    assert.equal(tcp.code, 1);
    assert.match(tcp.stderr, /WRONG +reachable .* cannot be connected to/);
    const name = await run(['trunk', 'check'], { PARLEY_SIP_TRUNK: 'sip:no-such-trunk.invalid' });
    assert.equal(name.code, 1);
    assert.match(name.stderr, /cannot be found: no-such-trunk\.invalid/);
    const none = await run(['trunk', 'check']);
    assert.equal(none.code, 2);
    assert.match(none.stderr, /No trunk is set/);
  });
});
