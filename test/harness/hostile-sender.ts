import { createSocket } from 'node:dgram';
import { parentPort, workerData } from 'node:worker_threads';
import { randomFrom } from './audio.ts';

/** What a stranger sends, from a thread of its own. */
export type Attack = {
  seed: number;
  datagrams: number;
  /** The SIP port of the victim, sent to and asked whether it still lives. */
  sip: number;
  /** RTP and RTCP ports. */
  media: number[];
  /** Whole messages to be mutated. */
  seeds: string[];
};

const { seed, datagrams, sip, media, seeds } = workerData as Attack;
const random = randomFrom(seed);
const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;
const batch = 100;

const from = createSocket('udp4');
await new Promise<void>((resolve) => from.bind(0, '127.0.0.2', resolve));

let answered: (() => void) | undefined;
from.on('message', (data) => {
  if (data.toString('latin1').includes('Call-ID: are-you-there')) answered?.();
});

const send = (data: Buffer, port: number) =>
  new Promise<void>((resolve, reject) =>
    from.send(data, port, '127.0.0.1', (error) => (error ? reject(error) : resolve())),
  );

for (let sent = 0; sent < datagrams; sent += batch) {
  const sending: Promise<void>[] = [];
  for (let i = 0; i < batch; i++) {
    const atMedia = media.length > 0 && i % 4 === 0;
    sending.push(atMedia ? send(rtp(), pick(media)) : send(mutated(pick(seeds)), sip));
  }
  await Promise.all(sending);
  await ask(sent);
}
from.close();
parentPort?.postMessage('done');

/** Waits until the victim has come to the end of what was sent; a lost question is asked again. */
async function ask(number: number): Promise<void> {
  const { port } = from.address();
  const question = [
    `OPTIONS sip:parley@127.0.0.1:${sip} SIP/2.0`,
    `Via: SIP/2.0/UDP 127.0.0.2:${port};rport;branch=z9hG4bKq${seed}x${number}`,
    'From: <sip:stranger@127.0.0.2>;tag=q',
    `To: <sip:parley@127.0.0.1:${sip}>`,
    'Call-ID: are-you-there',
    `CSeq: ${number + 1} OPTIONS`,
    'Max-Forwards: 70',
    'Content-Length: 0',
    '',
    '',
  ].join('\r\n');
  for (let attempt = 0; attempt < 50; attempt++) {
    const answer = new Promise<boolean>((resolve) => {
      answered = () => resolve(true);
    });
    await send(Buffer.from(question), sip);
    const timeout = new Promise<boolean>((resolve) => setTimeout(() => resolve(false), 200));
    if (await Promise.race([answer, timeout])) return;
  }
  throw new Error('The victim does not answer any more');
}

function mutated(text: string): Buffer {
  // Each is a transaction of its own, as far as the mutation leaves one.
  const unique = text.replace(/branch=z9hG4bK[^\r\n;]*/, `branch=z9hG4bK${Math.floor(random() * 2 ** 32)}`);
  const bytes = Buffer.from(unique, 'latin1');
  const kind = random();
  if (kind < 0.1) return bytes;
  if (kind < 0.2) return bytes.subarray(0, Math.floor(random() * bytes.length));
  if (kind < 0.3) return Buffer.from(Array.from({ length: Math.floor(random() * 600) }, () => random() * 256));
  if (kind < 0.45) {
    const lines = unique.split('\r\n');
    const [a, b] = [Math.floor(random() * lines.length), Math.floor(random() * lines.length)];
    lines.splice(a, 1, lines[b] ?? '', lines[a] ?? '');
    return Buffer.from(lines.join('\r\n'), 'latin1');
  }
  if (kind < 0.55) return Buffer.from(unique.replace(/[0-9]+/, '9'.repeat(1 + Math.floor(random() * 400))), 'latin1');
  if (kind < 0.65)
    return Buffer.from(unique.replace(/: /, `: ${'\t "<;,='.repeat(Math.floor(random() * 100))}`), 'latin1');
  for (let i = 0; i < 1 + random() * 12; i++) bytes[Math.floor(random() * bytes.length)] = random() * 256;
  return bytes;
}

/** Looks right but for where it comes from; now and then RTCP that says goodbye, or nonsense. */
function rtp(): Buffer {
  const kind = random();
  if (kind < 0.2) return Buffer.from([0x81, 203, 0, 1, 0, 0, 0, random() * 256]);
  const packet = Buffer.alloc(172, Math.floor(random() * 256));
  if (kind < 0.8) {
    packet[0] = 0x80;
    packet[1] = kind < 0.7 ? 0 : 101;
  }
  return packet;
}
