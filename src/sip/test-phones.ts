import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { after } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { IncomingCall } from './incoming-call.ts';
import type { OutgoingCall, OutgoingCallOptions } from './outgoing-call.ts';
import { UserAgent, type UserAgentOptions } from './user-agent.ts';

/** A fiftieth of the standard: a transaction gives up after 640 ms. */
export const quick = { t1: 10, t2: 80, t4: 100 };

export const sdp = (name: string) =>
  `v=0\r\no=- 1 1 IN IP4 127.0.0.1\r\ns=${name}\r\nc=IN IP4 127.0.0.1\r\nt=0 0\r\nm=audio 40000 RTP/AVP 0\r\n`;

export async function phone(options: Partial<UserAgentOptions> = {}): Promise<UserAgent> {
  const agent = new UserAgent({ host: '127.0.0.1', port: 0, timers: quick, ...options });
  await agent.listen();
  after(() => agent.close());
  return agent;
}

export const uriOf = (agent: UserAgent) => `sip:bob@127.0.0.1:${agent.localPort('udp')}`;

export const call = (agent: UserAgent, uri: string, options: Partial<OutgoingCallOptions> = {}): OutgoingCall =>
  agent.invite(uri, { from: 'sip:ada@127.0.0.1', offer: sdp('caller'), ...options });

/** A phone that others call, and its calls one after the other. */
export async function callee(
  options: Partial<UserAgentOptions> = {},
): Promise<{ agent: UserAgent; uri: string; next: () => Promise<IncomingCall> }> {
  const arrived: IncomingCall[] = [];
  const awaited: ((call: IncomingCall) => void)[] = [];
  const onInvite = (call: IncomingCall) => {
    const waiter = awaited.shift();
    if (waiter) waiter(call);
    else arrived.push(call);
  };
  const agent = await phone({ onInvite, ...options });
  const next = async () => arrived.shift() ?? new Promise<IncomingCall>((resolve) => awaited.push(resolve));
  return { agent, uri: uriOf(agent), next };
}

/** Timers and sockets run out by themselves; whatever waits for that looks again and again. */
export async function until(isSo: () => boolean, what: string, withinMs = 5_000): Promise<void> {
  const deadline = Date.now() + withinMs;
  while (!isSo()) {
    if (Date.now() > deadline) throw new Error(`In time it did not come to: ${what}`);
    await sleep(5);
  }
}

export const isIdle = ({ counts }: UserAgent) => counts.calls + counts.dialogs + counts.transactions === 0;

/** Delays in ms of the copies that a datagram goes on as; none: it is lost. */
export type Fate = (message: string, to: 'caller' | 'callee') => number[];

/** A network between two phones: also their Contacts lead through it. Gives the callee's URI. */
export async function network(
  caller: Pick<UserAgent, 'localPort'>,
  callee: Pick<UserAgent, 'localPort'>,
  fate: Fate,
): Promise<string> {
  const ports = { caller: caller.localPort('udp'), callee: callee.localPort('udp') };
  const fronts = { caller: await openSocket(), callee: await openSocket() };
  const carry = (from: 'caller' | 'callee', to: 'caller' | 'callee') => {
    const contact = `@127.0.0.1:${ports[from]}`;
    fronts[to].on('message', (data) => {
      const message = data.toString().replace(contact, `@127.0.0.1:${fronts[from].address().port}`);
      for (const delayMs of fate(message, to)) {
        const forward = () => isOpen && fronts[from].send(message, ports[to], '127.0.0.1');
        if (delayMs === 0) forward();
        else setTimeout(forward, delayMs);
      }
    });
  };
  let isOpen = true;
  after(() => {
    isOpen = false;
    fronts.caller.close();
    fronts.callee.close();
  });
  carry('caller', 'callee');
  carry('callee', 'caller');
  return `sip:bob@127.0.0.1:${fronts.callee.address().port}`;
}

async function openSocket(): Promise<Socket> {
  const socket = createSocket({ type: 'udp4', recvBufferSize: 4 * 1024 * 1024 });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return socket;
}
