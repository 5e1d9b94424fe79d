import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import WebSocket from 'ws';

/** Has a process started with `--inspect` give back all that is out of use, in its main thread and in the others. */
export async function collectGarbage(inspectorUrl: string): Promise<void> {
  const socket = new WebSocket(inspectorUrl, { perMessageDeflate: false });
  await once(socket, 'open');
  const answers = new Map<number, (result: unknown) => void>();
  const threads: string[] = [];
  let lastId = 0;
  const ask = (method: string, params: object, send: (message: string) => void) =>
    new Promise((resolve) => {
      answers.set(++lastId, resolve);
      send(JSON.stringify({ id: lastId, method, params }));
    });
  const main = (method: string, params = {}) => ask(method, params, (message) => socket.send(message));
  const take = (text: string): void => {
    const { id, method, params } = JSON.parse(text);
    if (id) answers.get(id)?.(undefined);
    else if (method === 'NodeWorker.attachedToWorker') threads.push(params.sessionId);
    else if (method === 'NodeWorker.receivedMessageFromWorker') take(params.message);
  };
  socket.on('message', (data) => take(String(data)));
  await main('NodeWorker.enable', { waitForDebuggerOnStart: false });
  // What holds another thing in a closure of native code is let go in the second round.
  for (let round = 0; round < 2; round++) {
    await main('HeapProfiler.collectGarbage');
    for (const sessionId of threads) {
      await ask('HeapProfiler.collectGarbage', {}, (message) => {
        void main('NodeWorker.sendMessageToWorker', { sessionId, message });
      });
    }
  }
  await main('NodeWorker.disable');
  socket.close();
  await once(socket, 'close');
  await sleep(1_000); // freed pages go back to the system a moment later
}

/** Where a process with `--inspect` says that it listens. */
export function inspectorUrlIn(output: string): string {
  const url = /ws:\/\/\S+/.exec(output)?.[0];
  if (!url) throw new Error('The process was not started with --inspect');
  return url;
}
