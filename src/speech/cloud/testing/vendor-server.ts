import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import { type WebSocket, WebSocketServer } from 'ws';

export interface Asked {
  request: IncomingMessage;
  url: URL;
  body: Buffer;
  response: ServerResponse;
  /** Ends when the client has gone away or the answer is complete. */
  closed: Promise<void>;
}

export interface LocalServer {
  url: string;
  asked: Asked[];
  /** Connections that are open now, and ever were. */
  connections: { open: number; total: number };
}

/** A server that speaks a vendor's protocol, as far as `answer` does. */
export async function httpServer(t: TestContext, answer: (asked: Asked) => unknown): Promise<LocalServer> {
  const asked: Asked[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    request.on('error', () => {});
    const { promise: closed, resolve } = Promise.withResolvers<void>();
    response.on('close', resolve);
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const one = { request, url: urlOf(request), body: Buffer.concat(chunks), response, closed };
    asked.push(one);
    await answer(one);
  });
  return { ...(await listening(t, server)), asked };
}

export interface LiveSocket {
  socket: WebSocket;
  request: IncomingMessage;
  url: URL;
  /** All that has come, sound as the number of its samples. */
  said: (Record<string, unknown> | number)[];
  say(message: object): void;
}

export interface LiveServer extends LocalServer {
  sockets: LiveSocket[];
}

/** A WebSocket server; `hear` is called for each message, `refuse` gives the status of a handshake that fails. */
export async function liveServer(
  t: TestContext,
  hear: (message: Record<string, unknown> | number, from: LiveSocket, server: LiveServer) => void,
  options: {
    refuse?: (attempt: number) => number | 'silence' | undefined;
    greet?: (socket: LiveSocket, server: LiveServer) => void;
  } = {},
): Promise<LiveServer> {
  const http = createServer();
  const sockets = new WebSocketServer({ noServer: true });
  let attempts = 0;
  const live: LiveServer = { ...(await listening(t, http)), asked: [], sockets: [] };
  http.on('upgrade', (request, socket, head) => {
    socket.on('error', () => {});
    const refused = options.refuse?.(++attempts);
    if (refused === 'silence') {
      socket.resume().on('end', () => socket.end());
      return;
    }
    if (refused !== undefined) {
      socket.end(`HTTP/1.1 ${refused} Refused\r\ncontent-length: 0\r\nconnection: close\r\n\r\n`);
      return;
    }
    sockets.handleUpgrade(request, socket, head, (webSocket) => {
      const one: LiveSocket = {
        socket: webSocket,
        request,
        url: urlOf(request),
        said: [],
        say: (message) => webSocket.send(JSON.stringify(message)),
      };
      live.sockets.push(one);
      webSocket.on('error', () => {});
      webSocket.on('message', (data, isBinary) => {
        const message = isBinary ? (data as Buffer).length / 2 : JSON.parse(String(data));
        one.said.push(message);
        hear(message, one, live);
      });
      options.greet?.(one, live);
    });
  });
  return live;
}

async function listening(t: TestContext, server: Server): Promise<Omit<LocalServer, 'asked'>> {
  const connections = { open: 0, total: 0 };
  const sockets = new Set<{ destroy(): void }>();
  server.on('connection', (socket) => {
    connections.open++;
    connections.total++;
    sockets.add(socket);
    socket.on('close', () => {
      connections.open--;
      sockets.delete(socket);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(async () => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, connections };
}

function urlOf(request: IncomingMessage): URL {
  return new URL(request.url ?? '', 'http://server');
}

/** Waits for something that a server or a socket brings about, never for a time. */
export async function until(isSo: () => boolean): Promise<void> {
  const giveUpAt = performance.now() + 10_000;
  while (!isSo()) {
    if (performance.now() > giveUpAt) throw new Error(`Never came true: ${isSo}`);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}

/** Opens when somebody says so. */
export function gate(): { open: () => void; opened: Promise<void> } {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { open: () => resolve(), opened: promise };
}

export function sine(sampleRate: number, seconds: number, frequency = 440): Int16Array {
  return Int16Array.from({ length: Math.round(sampleRate * seconds) }, (_, at) =>
    Math.round(12_000 * Math.sin((2 * Math.PI * frequency * at) / sampleRate)),
  );
}

export function bytesOf(pcm: Int16Array): Buffer {
  return Buffer.from(pcm.buffer, pcm.byteOffset, pcm.byteLength);
}

export async function collect(pieces: AsyncIterable<Int16Array>): Promise<Int16Array> {
  const samples: number[] = [];
  for await (const piece of pieces) for (const sample of piece) samples.push(sample);
  return Int16Array.from(samples);
}
