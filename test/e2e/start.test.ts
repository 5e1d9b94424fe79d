import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { chmod, chown, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { createServer, request as httpRequest } from 'node:http';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';
import { freePort } from '../../src/free-port.ts';
import {
  postmasterPid,
  readCredentialsOf,
  spawnParley,
  startParley,
  temporaryDataDir,
  until,
} from '../harness/process.ts';
import { createDatabase, send } from '../harness/service.ts';

const run = promisify(execFile);

async function contactsOf(dataDir: string) {
  const { baseUrl, apiKey, campaignId } = await readCredentialsOf(dataDir);
  const url = `${baseUrl}/api/v1/campaigns/${campaignId}/contacts`;
  return {
    url,
    apiKey,
    add: (phone: string) => send('POST', url, { headers: { 'x-api-key': apiKey }, json: { contacts: [{ phone }] } }),
    list: async () => {
      const { body } = await send('GET', url, { headers: { 'x-api-key': apiKey } });
      return body.data.map((contact: { phone: string }) => contact.phone);
    },
  };
}

describe('the first start on an empty data directory', () => {
  it('shows progress, makes credentials.json for its owner only, and prints a first call that works', async () => {
    const dataDir = await temporaryDataDir();
    const parley = await startParley(dataDir);
    assert.match(parley.output(), /Creating the database[\s\S]*Starting the database[\s\S]*Parley is ready at http/);
    assert.equal((await stat(join(dataDir, 'credentials.json'))).mode & 0o777, 0o600);
    const credentials = await readCredentialsOf(dataDir);
    assert.deepEqual(Object.keys(credentials).sort(), [
      'adminToken',
      'apiKey',
      'baseUrl',
      'campaignId',
      'clientId',
      'clientSecret',
      'fromPhoneNumber',
    ]);
    assert.equal(credentials.baseUrl, parley.url);
    for (const secret of [credentials.clientSecret, credentials.apiKey, credentials.adminToken]) {
      assert.equal(parley.output().includes(secret), false, 'secrets stay in the file');
    }
    const [, commands] = /A first call:\n\n([\s\S]+?)\n\n/.exec(parley.output()) ?? [];
    const { stdout } = await run('bash', ['-c', commands as string]);
    const answer = JSON.parse(stdout);
    assert.equal(answer.status, 'queued');
    const { body } = await send('GET', `${parley.url}/api/v1/calls/${answer.callId}`, {
      headers: { 'x-api-key': credentials.apiKey },
    });
    assert.equal(body.name, 'Ada');
    assert.deepEqual((await send('GET', `${parley.url}/health`)).body, { status: 'ok' });
    assert.equal(await parley.stop(), 0);
  });

  it('interrupted in the middle leaves nothing running, and the next start succeeds', async () => {
    const dataDir = await temporaryDataDir();
    const first = await spawnParley(dataDir);
    await first.says(/Creating the database/);
    await first.stop('SIGINT');
    assert.equal(await postmasterPid(dataDir), undefined);
    const second = await startParley(dataDir);
    assert.equal(await second.stop(), 0);
    assert.deepEqual((await readdir(dataDir)).sort(), ['credentials.json', 'postgres', 'postgres.log']);
  });

  it('killed in the middle is made good by the next start', async () => {
    const dataDir = await temporaryDataDir();
    const first = await spawnParley(dataDir);
    await first.says(/Creating the database/);
    await first.stop('SIGKILL');
    const second = await startParley(dataDir);
    assert.equal((await send('GET', `${second.url}/health`)).status, 200);
    await second.stop();
  });
});

describe('a later start', () => {
  it('keeps data and credentials, and follows a new port', async () => {
    const dataDir = await temporaryDataDir();
    const first = await startParley(dataDir);
    await (await contactsOf(dataDir)).add('12025550100');
    const before = await readCredentialsOf(dataDir);
    await first.stop();
    const second = await startParley(dataDir);
    const after = await readCredentialsOf(dataDir);
    assert.deepEqual(after, { ...before, baseUrl: second.url });
    assert.doesNotMatch(second.output(), /Creating the database/);
    assert.deepEqual(await (await contactsOf(dataDir)).list(), ['12025550100']);
    await second.stop();
  });

  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    it(`after ${signal} the process ends with 0 and PostgreSQL is stopped cleanly`, async () => {
      const dataDir = await temporaryDataDir();
      const parley = await startParley(dataDir);
      assert.equal(await parley.stop(signal), 0);
      assert.equal(await postmasterPid(dataDir), undefined);
      assert.match(await readFile(join(dataDir, 'postgres.log'), 'utf8'), /database system is shut down\n$/);
    });
  }

  it('adopts the PostgreSQL that a killed process left running', async () => {
    const dataDir = await temporaryDataDir();
    const first = await startParley(dataDir);
    await (await contactsOf(dataDir)).add('12025550100');
    const pid = await postmasterPid(dataDir);
    await first.stop('SIGKILL');
    assert.ok(pid && (await postmasterPid(dataDir)) === pid, 'it is left running');
    const second = await startParley(dataDir);
    assert.equal(await postmasterPid(dataDir), pid);
    assert.deepEqual(await (await contactsOf(dataDir)).list(), ['12025550100']);
    assert.equal(await second.stop(), 0);
    assert.equal(await postmasterPid(dataDir), undefined);
  });

  it('recovers when both were killed', async () => {
    const dataDir = await temporaryDataDir();
    const first = await startParley(dataDir);
    await (await contactsOf(dataDir)).add('12025550100');
    const pid = (await postmasterPid(dataDir)) as number;
    await first.stop('SIGKILL');
    process.kill(pid, 'SIGKILL');
    await until(async () => (await postmasterPid(dataDir)) !== pid);
    const second = await startParley(dataDir);
    assert.deepEqual(await (await contactsOf(dataDir)).list(), ['12025550100']);
    await second.stop();
  });

  it('is not misled by a stale postmaster.pid whose number belongs to another process', async () => {
    const dataDir = await temporaryDataDir();
    await (await startParley(dataDir)).stop();
    const stale = [
      process.pid,
      join(dataDir, 'postgres'),
      1_700_000_000,
      5432,
      '',
      '127.0.0.1',
      '  1234  5678',
      'ready   ',
      '',
    ];
    await writeFile(join(dataDir, 'postgres', 'postmaster.pid'), stale.join('\n'));
    const parley = await startParley(dataDir);
    assert.equal((await send('GET', `${parley.url}/health`)).status, 200);
    await parley.stop();
  });

  it('brings PostgreSQL back when it crashes under a running service', async () => {
    const dataDir = await temporaryDataDir();
    const parley = await startParley(dataDir);
    const contacts = await contactsOf(dataDir);
    await contacts.add('12025550100');
    const pid = (await postmasterPid(dataDir)) as number;
    process.kill(pid, 'SIGKILL');
    await until(async () => (await postmasterPid(dataDir)) !== pid);
    await until(async () => (await send('GET', `${parley.url}/health`)).status === 200);
    assert.deepEqual(await contacts.list(), ['12025550100']);
    assert.equal(await parley.stop(), 0);
    assert.equal(await postmasterPid(dataDir), undefined);
  });
});

describe('two processes on one data directory', () => {
  it('the second refuses and says who is there; the first goes on', async () => {
    const dataDir = await temporaryDataDir();
    const first = await startParley(dataDir);
    const second = await spawnParley(dataDir);
    assert.equal(await second.exited, 1);
    assert.match(
      second.output(),
      new RegExp(`Another Parley is running on the data directory .*process ${first.child.pid}`),
    );
    assert.equal((await send('GET', `${first.url}/health`)).status, 200);
    assert.equal(await first.stop(), 0);
  });

  it('started at the same moment on an empty directory: one serves, the other refuses', async () => {
    const dataDir = await temporaryDataDir();
    const both = await Promise.all([spawnParley(dataDir), spawnParley(dataDir)]);
    const ends = await Promise.all(both.map((one) => Promise.race([one.ready().then(() => 'ready'), one.exited])));
    assert.deepEqual(ends.map(String).sort(), ['1', 'ready']);
    const winner = both[ends.indexOf('ready')] as (typeof both)[0];
    await (await contactsOf(dataDir)).add('12025550100');
    assert.equal(await winner.stop(), 0);
  });
});

describe('stopping', () => {
  it('lets a request that is under way finish', async () => {
    const dataDir = await temporaryDataDir();
    const parley = await startParley(dataDir);
    const { url, apiKey } = await contactsOf(dataDir);
    const body = JSON.stringify({ contacts: [{ phone: '12025550100' }] });
    const request = httpRequest(url, {
      method: 'POST',
      headers: {
        'x-api-key': apiKey,
        'content-type': 'application/json',
        'content-length': body.length,
        expect: '100-continue',
      },
    });
    const response = new Promise<number | undefined>((resolve, reject) => {
      request.on('response', (answer) => resolve(answer.resume().statusCode)).on('error', reject);
    });
    await new Promise((resolve) => request.on('continue', resolve).flushHeaders());
    request.write(body.slice(0, 10));
    const exited = parley.stop();
    await parley.says(/"msg":"stopping"/);
    request.end(body.slice(10));
    assert.equal(await response, 200);
    assert.equal(await exited, 0);
  });
});

describe('npm start', () => {
  it('passes SIGTERM on: nothing is left running', async () => {
    const dataDir = await temporaryDataDir();
    const port = await freePort();
    const env = { PATH: process.env['PATH'], HOME: dataDir, PORT: String(port), PARLEY_DATA_DIR: dataDir };
    const npm = spawn('npm', ['start'], { env, stdio: ['ignore', 'pipe', 'ignore'] });
    let output = '';
    for await (const part of npm.stdout) {
      output += part;
      if (/Parley is ready/.test(output)) npm.kill('SIGTERM');
    }
    assert.match(output, /"msg":"stopping"/);
    assert.equal(await postmasterPid(dataDir), undefined);
  });
});

describe('a start that cannot succeed says why', () => {
  it('a port in use', async () => {
    const dataDir = await temporaryDataDir();
    const server = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as { port: number };
    const parley = await spawnParley(dataDir, { port });
    assert.equal(await parley.exited, 1);
    assert.match(parley.output(), new RegExp(`Port ${port} is already in use`));
    assert.equal(await postmasterPid(dataDir), undefined, 'and leaves no PostgreSQL behind');
    server.close();
  });

  it('bad settings, all of them, with exit code 2', async () => {
    const parley = await spawnParley(await temporaryDataDir(), { env: { PORT: 'x', PARLEY_LOG_LEVEL: 'loud' } });
    assert.equal(await parley.exited, 2);
    assert.match(parley.output(), /PORT: [\s\S]*PARLEY_LOG_LEVEL: /);
  });

  it('a database that cannot be reached, without its password', async () => {
    const env = { DATABASE_URL: 'postgres://parley:hunter2@127.0.0.1:9/parley' };
    const parley = await spawnParley(await temporaryDataDir(), { env });
    assert.equal(await parley.exited, 1);
    assert.match(parley.output(), /The database at DATABASE_URL cannot be used/);
    assert.doesNotMatch(parley.output(), /hunter2/);
  });
});

describe('with DATABASE_URL', () => {
  it('nothing is made unasked', async () => {
    const dataDir = await temporaryDataDir();
    const parley = await startParley(dataDir, { DATABASE_URL: await createDatabase() });
    assert.match(parley.output(), /npx parley --help/);
    assert.equal((await send('GET', `${parley.url}/health`)).status, 200);
    assert.equal(await parley.stop(), 0);
    assert.deepEqual(await readdir(dataDir), []);
  });
});

const isRoot = process.getuid?.() === 0;
const nobody = { uid: 65534, gid: 65534 };
const reachable =
  isRoot &&
  (await run('ls', [process.cwd()], nobody).then(
    () => true,
    () => false,
  ));

describe('the user who starts it', { skip: !isRoot && 'needs root to become others' }, () => {
  it('may be root in a folder that only root can enter', async () => {
    const dataDir = await temporaryDataDir();
    await chmod(dataDir, 0o700);
    const parley = await startParley(dataDir);
    assert.equal(await parley.stop(), 0);
  });

  it('may be root with a database that belongs to another user', {
    skip: !reachable && 'the checkout is not readable by others',
  }, async () => {
    const dataDir = await temporaryDataDir();
    await (await startParley(dataDir)).stop();
    await run('chown', ['-R', '65534:65534', join(dataDir, 'postgres')]);
    await chmod(dataDir, 0o711);
    const parley = await startParley(dataDir);
    const pid = await postmasterPid(dataDir);
    assert.match(await readFile(`/proc/${pid}/status`, 'utf8'), /Uid:\s+65534/);
    assert.equal(await parley.stop(), 0);
  });

  it('may be an ordinary user', { skip: !reachable && 'the checkout is not readable by others' }, async () => {
    const dataDir = await temporaryDataDir();
    await chown(dataDir, nobody.uid, nobody.gid);
    const parley = await (await spawnParley(dataDir, { user: nobody })).ready();
    assert.equal((await stat(join(dataDir, 'postgres'))).uid, nobody.uid);
    assert.equal(await parley.stop(), 0);
  });
});
