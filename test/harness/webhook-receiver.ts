import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after } from 'node:test';

export type Received = { headers: IncomingHttpHeaders; body: string; id: string };

export type Receiver = {
  url: string;
  received: Received[];
  /** Resolves once so many requests have come. */
  count(requests: number): Promise<Received[]>;
  /** How it answers from now on. */
  answer: (response: ServerResponse, request: Received) => void;
};

/** Somebody's server that takes webhooks. */
export async function startReceiver(
  answer: Receiver['answer'] = (response) => response.writeHead(204).end(),
): Promise<Receiver> {
  const waiting = new Set<() => void>();
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const received = { headers: request.headers, body, id: String(request.headers['webhook-id']) };
    receiver.received.push(received);
    for (const look of waiting) look();
    receiver.answer(response, received);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  after(() => {
    server.closeAllConnections();
    server.close();
  });
  const receiver: Receiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    received: [],
    count: (requests) =>
      new Promise((resolve) => {
        const look = () => {
          if (receiver.received.length < requests) return;
          waiting.delete(look);
          resolve(receiver.received);
        };
        waiting.add(look);
        look();
      }),
    answer,
  };
  return receiver;
}
