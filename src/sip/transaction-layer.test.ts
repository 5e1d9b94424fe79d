import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { mkdtempSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { cseqOf, newRequest, newResponse, type SipRequest, type SipResponse } from './message.ts';
import type { ServerTransaction } from './server-transaction.ts';
import { TransactionLayer, type TransactionLayerOptions } from './transaction-layer.ts';
import type { Address, Protocol } from './transport.ts';

const quick = { t1: 20, t2: 160, t4: 200 };

const idle = { onRequest: () => {}, onAck: () => {}, onCancel: () => {} };

async function layer(options: Partial<TransactionLayerOptions> = {}): Promise<TransactionLayer> {
  const made = new TransactionLayer({
    host: '127.0.0.1',
    port: 0,
    timers: quick,
    onRequest: (transaction) => transaction.respond(newResponse(transaction.request, 200, 'OK')),
    onAck: () => {},
    onCancel: () => {},
    ...options,
  });
  after(() => made.close());
  await made.listen();
  return made;
}

let calls = 0;
function requestOf(method: string): SipRequest {
  const request = newRequest(method, 'sip:bob@127.0.0.1');
  request.headers
    .set('from', '<sip:ada@127.0.0.1>;tag=1')
    .set('to', '<sip:bob@127.0.0.1>')
    .set('call-id', `call-${++calls}`)
    .set('cseq', `1 ${method}`);
  return request;
}

const at = (server: TransactionLayer, protocol: Protocol): Address => ({
  protocol,
  host: '127.0.0.1',
  port: server.localPort(protocol),
});

/** The final response, or why there is none. */
function final(
  client: TransactionLayer,
  request: SipRequest,
  to: Address,
  serverName?: string,
): Promise<SipResponse | string> {
  return new Promise((resolve) => {
    client.request(request, to, {
      onResponse: (response) => response.status >= 200 && resolve(response),
      onFailure: resolve,
      ...(serverName !== undefined && { serverName }),
    });
  });
}

const statusOf = (answer: SipResponse | string) => (typeof answer === 'string' ? answer : answer.status);

for (const protocol of ['udp', 'tcp'] as const) {
  describe(`requests over ${protocol}`, () => {
    it('reach the other side and are answered', async () => {
      const heard: string[] = [];
      const server = await layer({
        onRequest: (transaction, from) => {
          heard.push(`${transaction.request.method} over ${from.protocol}`);
          transaction.respond(newResponse(transaction.request, 200, 'OK'));
        },
      });
      assert.equal(statusOf(await final(await layer(), requestOf('OPTIONS'), at(server, protocol))), 200);
      assert.deepEqual(heard, [`OPTIONS over ${protocol}`]);
    });

    it('a hundred at once each get their own answer', async () => {
      const echo = await layer({
        onRequest: (transaction) => {
          const response = newResponse(transaction.request, 200, 'OK');
          response.headers.set('subject', transaction.request.headers.get('call-id') ?? '');
          transaction.respond(response);
        },
      });
      const client = await layer();
      await Promise.all(
        Array.from({ length: 100 }, async () => {
          const request = requestOf('OPTIONS');
          const answer = (await final(client, request, at(echo, protocol))) as SipResponse;
          assert.equal(answer.headers.get('subject'), request.headers.get('call-id'));
        }),
      );
    });
  });
}

describe('a request that nobody answers', () => {
  it('times out over UDP', async () => {
    const deaf = await layer({ onRequest: () => {} });
    assert.equal(await final(await layer(), requestOf('INVITE'), at(deaf, 'udp')), 'timeout');
  });

  it('is unreachable over TCP where nobody listens', async () => {
    assert.equal(
      await final(await layer(), requestOf('INVITE'), { protocol: 'tcp', host: '127.0.0.1', port: 9 }),
      'unreachable',
    );
  });
});

describe('over a network that loses every third datagram', () => {
  it('every request still gets its answer, and no server sees one twice', async () => {
    const seen = new Map<string, number>();
    const server = await layer({
      onRequest: (transaction) => {
        const id = transaction.request.headers.get('call-id') ?? '';
        seen.set(id, (seen.get(id) ?? 0) + 1);
        transaction.respond(newResponse(transaction.request, 200, 'OK'));
      },
    });
    const relay = await lossyRelay(server.localPort('udp'), 3);
    const client = await layer();
    const answers = await Promise.all(
      Array.from({ length: 50 }, () =>
        final(client, requestOf('OPTIONS'), { protocol: 'udp', host: '127.0.0.1', port: relay }),
      ),
    );
    assert.deepEqual([...new Set(answers.map(statusOf))], [200]);
    assert.deepEqual([...new Set(seen.values())], [1]);
  });

  async function lossyRelay(target: number, loseEvery: number): Promise<number> {
    const socket = createSocket('udp4');
    let client = 0;
    let count = 0;
    socket.on('message', (data, { port }) => {
      if (port !== target) client = port;
      if (++count % loseEvery !== 0) socket.send(data, port === target ? client : target, '127.0.0.1');
    });
    await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
    after(() => socket.close());
    return socket.address().port;
  }
});

describe('CANCEL', () => {
  it('is answered, and told to whoever serves the INVITE', async () => {
    const cancelled: ServerTransaction[] = [];
    const server = await layer({
      onRequest: (transaction) => transaction.respond(newResponse(transaction.request, 180, 'Ringing')),
      onCancel: (invite) => {
        cancelled.push(invite);
        invite.respond(newResponse(invite.request, 487, 'Request Terminated'));
      },
    });
    const client = await layer();
    const to = at(server, 'udp');
    const statuses: string[] = [];
    await new Promise<void>((resolve) => {
      const note = (response: SipResponse) => {
        statuses.push(`${cseqOf(response).method} ${response.status}`);
        if (response.status === 180) client.cancel(invite, to, { onResponse: note, onFailure: assert.fail });
        if (statuses.includes('INVITE 487') && statuses.includes('CANCEL 200')) resolve();
      };
      const invite = client.request(requestOf('INVITE'), to, { onResponse: note, onFailure: assert.fail });
    });
    assert.deepEqual(statuses.sort(), ['CANCEL 200', 'INVITE 180', 'INVITE 487']);
    assert.equal(cancelled.length, 1);
  });

  it('of nothing is 481', async () => {
    const server = await layer();
    assert.equal(statusOf(await final(await layer(), requestOf('CANCEL'), at(server, 'udp'))), 481);
  });
});

describe('the Via of a request', () => {
  it('is given back with where it really came from (RFC 3581)', async () => {
    const server = await layer();
    const client = await layer();
    const answer = (await final(client, requestOf('OPTIONS'), at(server, 'udp'))) as SipResponse;
    assert.match(
      answer.headers.get('via') ?? '',
      new RegExp(`;rport=${client.localPort('udp')};.*received=127\\.0\\.0\\.1`),
    );
  });
});

describe('what is not proper', () => {
  it('a faulty request is 400, anything else is not answered and harms nothing', async () => {
    const server = await layer();
    const socket = createSocket('udp4');
    await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
    after(() => socket.close());
    const answered = new Promise<string>((resolve) => socket.once('message', (data) => resolve(data.toString())));
    const port = server.localPort('udp');
    for (const nonsense of ['', '\r\n\r\n', 'GET / HTTP/1.1\r\n\r\n', '\0'.repeat(1_000), 'SIP/2.0 200 OK\r\n\r\n'])
      socket.send(nonsense, port, '127.0.0.1');
    socket.send(
      'OPTIONS sip:bob@127.0.0.1 SIP/2.0\r\nVia: SIP/2.0/UDP 127.0.0.1;rport;branch=z9hG4bK1\r\nFrom: <sip:a@b>;tag=1\r\nTo: <sip:b@c>\r\nCall-ID: x\r\nCSeq: 1 INVITE\r\n\r\n',
      port,
      '127.0.0.1',
    );
    assert.match(await answered, /^SIP\/2\.0 400 /);
    assert.equal(statusOf(await final(await layer(), requestOf('OPTIONS'), at(server, 'udp'))), 200);
  });

  it('a stream of garbage is closed', async () => {
    const server = await layer();
    const socket = connect(server.localPort('tcp'), '127.0.0.1');
    const closed = new Promise((resolve) => socket.once('close', resolve));
    socket.on('error', () => {}).write('x'.repeat(100_000));
    await closed;
  });
});

const hasOpenssl = (() => {
  try {
    execFileSync('openssl', ['version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
})();

describe('over TLS', { skip: !hasOpenssl && 'needs openssl to make a certificate' }, () => {
  function certificate(name: string): { key: string; cert: string } {
    const dir = mkdtempSync(join(tmpdir(), 'parley-tls-'));
    const [key, cert] = [join(dir, 'key.pem'), join(dir, 'cert.pem')];
    const subject = ['-subj', `/CN=${name}`, '-addext', `subjectAltName=DNS:${name}`];
    execFileSync(
      'openssl',
      [
        'req',
        '-x509',
        '-newkey',
        'ec',
        '-pkeyopt',
        'ec_paramgen_curve:P-256',
        '-nodes',
        '-days',
        '1',
        '-keyout',
        key,
        '-out',
        cert,
        ...subject,
      ],
      { stdio: 'ignore' },
    );
    return { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8') };
  }

  it('the certificate must name the server and come from a trusted authority', async () => {
    const made = certificate('trunk.example.com');
    const server = await layer({ tls: made });
    const trusting = await layer({ tls: { ca: made.cert } });
    const to = at(server, 'tls');
    assert.equal(statusOf(await final(trusting, requestOf('OPTIONS'), to, 'trunk.example.com')), 200);
    const other = await layer({ tls: { ca: made.cert } });
    assert.equal(await final(other, requestOf('OPTIONS'), to, 'evil.example.com'), 'unreachable');
    const distrusting = await layer();
    assert.equal(await final(distrusting, requestOf('OPTIONS'), to, 'trunk.example.com'), 'unreachable');
  });
});

describe('listening', () => {
  it('on any port takes one that is free for TCP too', async () => {
    const found = await Promise.all(Array.from({ length: 200 }, () => layer()));
    assert.equal(new Set(found.map((each) => each.localPort('tcp'))).size, 200);
  });

  it('on a port that is taken fails and leaves nothing open', async () => {
    const first = await layer();
    const second = new TransactionLayer({ ...idle, host: '127.0.0.1', port: first.localPort('tcp') });
    await assert.rejects(second.listen(), { code: 'EADDRINUSE' });
  });
});

describe('closing', () => {
  it('leaves no transaction, timer or socket behind', async () => {
    const client = await layer();
    const deaf = await layer({ onRequest: () => {} });
    for (let i = 0; i < 20; i++)
      client.request(requestOf('INVITE'), at(deaf, i % 2 ? 'udp' : 'tcp'), {
        onResponse: () => {},
        onFailure: () => {},
      });
    assert.equal(client.size, 20);
    await client.close();
    await deaf.close();
    assert.equal(client.size + deaf.size, 0);
  });
});
