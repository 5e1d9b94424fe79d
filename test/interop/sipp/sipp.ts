import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../../src/free-port.ts';

/** A sipp that plays the callee by a scenario, once; with `calling` the caller of a port. */
export type Sipp = {
  uri: string;
  port: number;
  /** Resolves when the scenario went through as written; rejects with what went wrong. */
  passed: Promise<void>;
};

export async function startSipp(
  steps: string,
  options: { tcp?: boolean; calls?: number; calling?: number } = {},
): Promise<Sipp> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-sipp-'));
  const file = join(folder, 'scenario.xml');
  await writeFile(
    file,
    `<?xml version="1.0" encoding="ISO-8859-1" ?>\n<scenario name="callee">\n${steps}\n</scenario>\n`,
  );
  const port = await freePort();
  const args = ['-sf', file, '-i', '127.0.0.1', '-p', String(port), '-m', String(options.calls ?? 1), '-nostdin'];
  const limits = ['-timeout', '40s', '-timeout_error', '-trace_err', '-trace_msg'];
  const calling = options.calling === undefined ? [] : [`127.0.0.1:${options.calling}`];
  const child = spawn('sipp', [...calling, ...args, ...limits, ...(options.tcp ? ['-t', 't1'] : [])], {
    cwd: folder,
    stdio: 'ignore',
  });
  after(async () => {
    child.kill('SIGKILL');
    await rm(folder, { recursive: true, force: true });
  });
  const passed = once(child, 'exit').then(async ([code]) => {
    if (code === 0) return;
    const logs = (await readdir(folder)).filter((name) => name.endsWith('.log'));
    const texts = await Promise.all(logs.map((name) => readFile(join(folder, name), 'utf8')));
    throw new Error(`sipp ended with ${code}\n${texts.join('\n')}`);
  });
  passed.catch(() => {}); // whoever awaits it hears of it
  while (calling.length === 0 && !(await isBound(port, options.tcp ? 'tcp' : 'udp')) && child.exitCode === null)
    await sleep(10);
  return { uri: `sip:+12025550100@127.0.0.1:${port}${options.tcp ? ';transport=tcp' : ''}`, port, passed };
}

/** It does not say when it listens, but the kernel does. */
async function isBound(port: number, protocol: 'tcp' | 'udp'): Promise<boolean> {
  const sockets = await readFile(`/proc/net/${protocol}`, 'utf8');
  return sockets.includes(`0100007F:${port.toString(16).toUpperCase().padStart(4, '0')} 00000000:0000`);
}

export const sdp = [
  'v=0',
  'o=- 1 1 IN IP4 127.0.0.1',
  's=-',
  'c=IN IP4 127.0.0.1',
  't=0 0',
  'm=audio 40000 RTP/AVP 0',
  'a=rtpmap:0 PCMU/8000',
  '',
].join('\r\n');

/** A response of the callee; `body` is an SDP unless it is left out. */
export function answer(
  status: string,
  options: { body?: boolean; headers?: string[]; retransmit?: boolean; tag?: string; method?: string } = {},
): string {
  const lines = [
    `SIP/2.0 ${status}`,
    '[last_Via:]',
    '[last_From:]',
    status.startsWith('100') ? '[last_To:]' : `[last_To:];tag=${options.tag ?? 'callee[call_number]'}`,
    '[last_Call-ID:]',
    '[last_CSeq:]',
    'Contact: <sip:callee@[local_ip]:[local_port];transport=[transport]>',
    ...(options.headers ?? []),
    ...(options.body ? ['Content-Type: application/sdp'] : []),
    'Content-Length: [len]',
    '',
    ...(options.body ? sdp.split('\r\n').slice(0, -1) : []),
  ];
  return `<send${options.retransmit ? ' retrans="500"' : ''}><![CDATA[\n${lines.join('\n')}\n\n]]></send>`;
}

/** A request of the callee inside of the call; the scenario must have begun with `receiveInvite`. */
export function ask(method: string, cseq: number, options: { headers?: string[]; body?: string } = {}): string {
  const lines = [
    `${method} sip:parley@[remote_ip]:[remote_port] SIP/2.0`,
    'Via: SIP/2.0/[transport] [local_ip]:[local_port];branch=[branch]',
    'From:[$to];tag=callee[call_number]',
    'To:[$from]',
    'Call-ID: [call_id]',
    `CSeq: ${cseq} ${method}`,
    'Max-Forwards: 70',
    'Contact: <sip:callee@[local_ip]:[local_port];transport=[transport]>',
    ...(options.headers ?? []),
    ...(options.body ? ['Content-Type: application/sdp'] : []),
    'Content-Length: [len]',
    '',
    ...(options.body ? options.body.split('\r\n').slice(0, -1) : []),
  ];
  return `<send${method === 'ACK' ? '' : ' retrans="500"'}><![CDATA[\n${lines.join('\n')}\n\n]]></send>`;
}

/** A request of the caller. In the call its To is the one of the last response. */
export function place(
  method: string,
  cseq: number,
  options: { inCall?: boolean; branch?: string; body?: boolean; headers?: string[] } = {},
): string {
  const lines = [
    `${method} ${options.inCall ? '[next_url]' : 'sip:bob@[remote_ip]:[remote_port]'} SIP/2.0`,
    `Via: SIP/2.0/[transport] [local_ip]:[local_port];branch=${options.branch ?? '[branch]'}`,
    'From: <sip:ada@[local_ip]:[local_port]>;tag=[call_number]',
    `To: <sip:bob@[remote_ip]:[remote_port]>${options.inCall ? '[peer_tag_param]' : ''}`,
    'Call-ID: [call_id]',
    `CSeq: ${cseq} ${method}`,
    'Max-Forwards: 70',
    'Contact: <sip:ada@[local_ip]:[local_port];transport=[transport]>',
    ...(options.headers ?? []),
    ...(options.body ? ['Content-Type: application/sdp'] : []),
    'Content-Length: [len]',
    '',
    ...(options.body ? sdp.split('\r\n').slice(0, -1) : []),
  ];
  return `<send${method === 'ACK' ? '' : ' retrans="500"'}><![CDATA[\n${lines.join('\n')}\n\n]]></send>`;
}

const remember = (header: string, name: string) =>
  `<ereg regexp=".*" search_in="hdr" header="${header}:" assign_to="${name}"/>`;

/** The INVITE, and what later requests and answers need of it. */
export const receiveInvite = `<recv request="INVITE" crlf="true"><action>${remember('Via', 'via')}${remember('From', 'from')}${remember('To', 'to')}</action></recv>
<Reference variables="via,from,to"/>`;

export const expect = (status: number, extra = '') => `<recv response="${status}" ${extra}></recv>`;

export const receive = (method: string, extra = '') => `<recv request="${method}" crlf="true" ${extra}></recv>`;
