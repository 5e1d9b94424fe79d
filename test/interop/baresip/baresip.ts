import { once } from 'node:events';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { after } from 'node:test';
import { freePort } from '../../../src/free-port.ts';
import { readWav, wavHeader } from '../../../src/rtp/wav.ts';
import type { Protocol } from '../../../src/sip/transport.ts';
import { freePortPair, host, makeCertificate, startPeer, temporaryFolder } from '../peer.ts';

export type BaresipOptions = {
  codec?: 'PCMU' | 'PCMA' | 'G722';
  srtp?: boolean;
  answers?: 'auto' | 'manual';
  /** The user part of its address. */
  user?: string;
  /** What it says; it hangs up when that is over. */
  says: Int16Array;
};

type Event = { type: string; param?: string };

/** A baresip with one account, driven through its ctrl_tcp module. */
export type Baresip = {
  /** What to call it by. */
  uri: (protocol: Protocol) => string;
  /** What its certificate for TLS is trusted by. */
  ca: string;
  port: number;
  command: (command: string, params?: string) => Promise<void>;
  /** From now on it says this; it hangs up when that is over. */
  say: (pcm: Int16Array) => Promise<void>;
  /** The next event of a type, among those that nobody has waited for yet. */
  event: (type: string) => Promise<Event>;
  /** What it heard in the call that is over; after a hold it does not go on recording. */
  heard: () => Promise<Int16Array>;
};

export async function startBaresip(options: BaresipOptions): Promise<Baresip> {
  const { codec = 'PCMU', srtp = false, answers = 'auto', user = 'bob', says } = options;
  const folder = await temporaryFolder('baresip');
  const sampleRate = codec === 'G722' ? 16_000 : 8_000;
  const [sipPort, controlPort] = [await freePortPair(), await freePort()];
  const certificate = await makeCertificate(folder);
  const files = {
    'said.wav': wav(says, sampleRate),
    'both.pem': certificate.key + certificate.cert,
    contacts: '',
    accounts: `<sip:${user}@${host}>;regint=0;answermode=${answers};audio_codecs=${codec}${srtp ? ';mediaenc=srtp-mand' : ''}\n`,
    config: [
      `net_interface ${host}`,
      `sip_listen ${host}:${sipPort}`,
      `sip_certificate ${join(folder, 'both.pem')}`,
      'rtp_ports 23000-23999', // it takes any that is free
      'jitter_buffer_delay 0-0', // what comes is recorded as it comes
      `audio_source aufile,${join(folder, 'said.wav')}`,
      `snd_path ${folder}`,
      `ctrl_tcp_listen ${host}:${controlPort}`,
      'module_path /usr/lib/baresip/modules',
      ...['g711', 'g722', 'aufile', 'sndfile', 'srtp'].map((name) => `module ${name}.so`),
      'module_tmp account.so',
      // The last of them listens only when the others are there.
      ...['menu', 'ctrl_tcp'].map((name) => `module_app ${name}.so`),
      '',
    ].join('\n'),
  };
  for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content);
  const peer = startPeer('baresip', ['-f', folder, '-4']);
  await peer.listens('tcp', controlPort);
  const control = await connectControl(controlPort);
  let said = 0;
  return {
    port: sipPort,
    uri: (protocol) => `sip:${user}@${host}:${protocol === 'tls' ? sipPort + 1 : sipPort};transport=${protocol}`,
    ca: certificate.cert,
    ...control,
    async say(pcm) {
      const file = join(folder, `said-${++said}.wav`);
      await writeFile(file, wav(pcm, sampleRate));
      await control.command('ausrc', `aufile,${file}`);
    },
    async heard() {
      const names = (await readdir(folder)).filter((name) => name.endsWith('-dec.wav'));
      const [pcm] = names.length === 1 ? readWav(await readFile(join(folder, names[0] as string))).channels : [];
      if (!pcm) throw new Error(`baresip has recorded ${names.length} times`);
      return pcm;
    },
  };
}

function wav(pcm: Int16Array, sampleRate: number): Buffer {
  return Buffer.concat([wavHeader(sampleRate, 1, pcm.byteLength), new Uint8Array(pcm.buffer)]);
}

/** JSON in netstrings: `11:{"event":…},`. */
async function connectControl(port: number): Promise<Pick<Baresip, 'command' | 'event'>> {
  const socket = connect(port, host);
  after(() => socket.destroy());
  await once(socket, 'connect');
  const events: Event[] = [];
  const replies: { ok: boolean; data: string }[] = [];
  let rest = Buffer.alloc(0);
  socket.on('data', (part) => {
    rest = Buffer.concat([rest, part]);
    for (;;) {
      const colon = rest.indexOf(':');
      const end = colon + 1 + Number(rest.toString('latin1', 0, colon));
      if (colon < 0 || rest.length <= end) break;
      const message = JSON.parse(rest.toString('utf8', colon + 1, end));
      (message.event ? events : replies).push(message);
      rest = rest.subarray(end + 1);
    }
    socket.emit('message');
  });
  async function next<T>(list: T[], isIt: (item: T) => boolean): Promise<T> {
    for (;;) {
      const at = list.findIndex(isIt);
      if (at >= 0) return list.splice(at, 1)[0] as T;
      await once(socket, 'message');
    }
  }
  return {
    event: (type) => next(events, (event) => event.type === type),
    async command(command, params) {
      const json = JSON.stringify({ command, ...(params !== undefined && { params }) });
      socket.write(`${Buffer.byteLength(json)}:${json},`);
      const { ok, data } = await next(replies, () => true);
      if (!ok) throw new Error(`baresip: ${command} ${params ?? ''}: ${data}`);
    },
  };
}
