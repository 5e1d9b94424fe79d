import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { freePort } from '../../src/free-port.ts';

export const host = '127.0.0.1';

/** A folder that is gone after the test. */
export async function temporaryFolder(name: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), `parley-${name}-`));
  after(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** A port for SIP; the one above is free for TLS. */
export async function freePortPair(): Promise<number> {
  for (;;) {
    const port = await freePort();
    const server = createServer().listen(port + 1, host);
    const isFree = await once(server, 'listening').then(
      () => true,
      () => false,
    );
    server.close();
    if (isFree) return port;
  }
}

export type PeerProcess = {
  /** All that it has written so far. */
  output: () => string;
  /** Waits until it has written something that matches. */
  says: (pattern: RegExp) => Promise<void>;
  /** Waits until it listens; it does not say when, but the kernel does. */
  listens: (protocol: 'tcp' | 'udp', port: number) => Promise<void>;
};

/** Starts a program that is killed after the test, with its children in a group of their own if it has any. */
export function startPeer(command: string, args: string[], options: { hasChildren?: boolean } = {}): PeerProcess {
  const { hasChildren = false } = options;
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], detached: hasChildren });
  after(() => {
    if (hasChildren && child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGKILL');
    else child.kill('SIGKILL');
  });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (part) => {
      text += part;
      child.emit('said');
    });
  }
  const failed = once(child, 'close').then(([code]) => `${command} ended with ${code}:\n${text}`);
  return {
    output: () => text,
    async says(pattern) {
      while (!pattern.test(text)) {
        const failure = await Promise.race([once(child, 'said'), failed]);
        if (typeof failure === 'string' && !pattern.test(text)) throw new Error(failure);
      }
    },
    async listens(protocol, port) {
      while (!(await isBound(protocol, port))) {
        if (child.exitCode !== null) throw new Error(await failed);
        await sleep(10);
      }
    },
  };
}

async function isBound(protocol: 'tcp' | 'udp', port: number): Promise<boolean> {
  const sockets = await readFile(`/proc/net/${protocol}`, 'utf8');
  return sockets.includes(`0100007F:${port.toString(16).toUpperCase().padStart(4, '0')} 00000000:0000`);
}

export type Certificate = { keyFile: string; certFile: string; key: string; cert: string };

/** A certificate of 127.0.0.1 that vouches for itself. */
export async function makeCertificate(folder: string): Promise<Certificate> {
  const [keyFile, certFile] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  const subject = ['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1'];
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1'];
  const files = ['-keyout', keyFile, '-out', certFile];
  await promisify(execFile)('openssl', ['req', '-x509', '-nodes', '-days', '1', ...curve, ...subject, ...files]);
  return { keyFile, certFile, key: await readFile(keyFile, 'utf8'), cert: await readFile(certFile, 'utf8') };
}
