import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

type Load = {
  port: number;
  connections: number;
  /** The bytes of the next request; undefined when no more shall be sent. */
  next: () => Buffer | undefined;
  signal: AbortSignal;
};

/**
 * Answers a second over keep-alive connections, each of which sends its next request when the answer
 * to the last has come. Ready-made bytes and hardly any parsing: autocannon takes several times the
 * CPU for each request, on cores that the measured processes need.
 */
export async function loadHttp({ port, connections, next, signal }: Load): Promise<number> {
  const sockets = await Promise.all(Array.from({ length: connections }, () => open(port, signal)));
  try {
    const startedAt = performance.now();
    const answers = await Promise.all(sockets.map((socket) => exchange(socket, next)));
    return answers.reduce((sum, count) => sum + count, 0) / ((performance.now() - startedAt) / 1000);
  } finally {
    for (const socket of sockets) socket.destroy();
  }
}

async function open(port: number, signal: AbortSignal): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true, signal });
  await once(socket, 'connect');
  return socket;
}

function exchange(socket: Socket, next: Load['next']): Promise<number> {
  return new Promise((resolve, reject) => {
    let answers = 0;
    let received: Buffer | undefined;
    let missing = 0;

    function send(): void {
      const request = next();
      if (request) socket.write(request);
      else resolve(answers);
    }

    socket.on('data', (chunk) => {
      if (missing > 0) {
        missing -= chunk.length;
      } else {
        received = received ? Buffer.concat([received, chunk]) : chunk;
        const headersEnd = received.indexOf('\r\n\r\n');
        if (headersEnd === -1) return;
        try {
          missing = bodyLength(received, headersEnd) - (received.length - headersEnd - 4);
        } catch (error) {
          reject(error);
          return;
        }
        received = undefined;
      }
      if (missing > 0) return;
      answers++;
      send();
    });
    socket.once('error', reject);
    socket.once('close', () => reject(new Error('The server closed a connection under load')));
    send();
  });
}

function bodyLength(answer: Buffer, headersEnd: number): number {
  const headers = answer.toString('latin1', 0, headersEnd);
  const [, length] = /\r\ncontent-length: *(\d+)/i.exec(headers) ?? [];
  // Only success counts: what fails quickly would look fast.
  if (!headers.startsWith('HTTP/1.1 200 ') || length === undefined) {
    throw new Error(`Unexpected answer under load: ${answer.toString().slice(0, 2_000)}`);
  }
  return Number(length);
}

/** The bytes of a POST. */
export function postRequest(path: string, headers: Record<string, string>, body: string): Buffer {
  const lines = Object.entries({ host: '127.0.0.1', ...headers, 'content-length': String(Buffer.byteLength(body)) });
  return Buffer.from(
    `POST ${path} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${body}`,
  );
}

/** Gives what `make` makes until the time is over. */
export function during<T>(ms: number, make: () => T): () => T | undefined {
  const deadline = performance.now() + ms;
  return () => (performance.now() < deadline ? make() : undefined);
}

/** Gives each element once. */
export function eachOf<T>(elements: T[]): () => T | undefined {
  let position = 0;
  return () => elements[position++];
}
