import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Resolver, resolveTargets } from './resolve.ts';
import { parseSipUri, type SipUri } from './uri.ts';

const hosts: Record<string, string[]> = {
  'trunk.example.com': ['192.0.2.1'],
  'a.example.com': ['192.0.2.10', '2001:db8::10'],
  'b.example.com': ['192.0.2.20'],
};

function resolver(
  records: {
    naptr?: Awaited<ReturnType<Resolver['naptr']>>;
    srv?: Record<string, Awaited<ReturnType<Resolver['srv']>>>;
  } = {},
): Resolver {
  return {
    naptr: async () => records.naptr ?? [],
    srv: async (name) => records.srv?.[name] ?? [],
    addresses: async (name) => hosts[name] ?? [],
  };
}

async function targets(uri: string, records = resolver(), random = () => 0): Promise<string[]> {
  const found = await resolveTargets(parseSipUri(uri) as SipUri, records, random);
  return found.map(({ protocol, host, port }) => `${protocol} ${host} ${port}`);
}

describe('where a SIP URI leads (RFC 3263)', () => {
  it('an IP address is where it is, by UDP unless the URI says otherwise', async () => {
    assert.deepEqual(await targets('sip:127.0.0.1'), ['udp 127.0.0.1 5060']);
    assert.deepEqual(await targets('sip:127.0.0.1:5070;transport=tcp'), ['tcp 127.0.0.1 5070']);
    assert.deepEqual(await targets('sip:[::1];transport=tls'), ['tls ::1 5061']);
    assert.deepEqual(await targets('sips:127.0.0.1'), ['tls 127.0.0.1 5061']);
  });

  it('a name with a port is looked up as a host only', async () => {
    assert.deepEqual(await targets('sip:a.example.com:5080'), ['udp 192.0.2.10 5080', 'udp 2001:db8::10 5080']);
  });

  it('a name alone goes by NAPTR, then SRV', async () => {
    const records = resolver({
      naptr: [
        { order: 20, preference: 1, flags: 's', service: 'SIP+D2U', replacement: '_sip._udp.example.com' },
        { order: 10, preference: 1, flags: 's', service: 'SIP+D2T', replacement: '_sip._tcp.example.com' },
        { order: 1, preference: 1, flags: 's', service: 'SIP+D2S', replacement: '_sip._sctp.example.com' },
      ],
      srv: {
        '_sip._tcp.example.com': [{ priority: 1, weight: 1, name: 'b.example.com', port: 5090 }],
        '_sip._udp.example.com': [{ priority: 1, weight: 1, name: 'trunk.example.com', port: 5060 }],
      },
    });
    assert.deepEqual(await targets('sip:example.com', records), ['tcp 192.0.2.20 5090', 'udp 192.0.2.1 5060']);
    assert.deepEqual(await targets('sip:example.com;transport=udp', records), ['udp 192.0.2.1 5060']);
  });

  it('several servers are tried by priority, among equals by weight', async () => {
    const records = resolver({
      srv: {
        '_sip._udp.trunk.example.com': [
          { priority: 20, weight: 1, name: 'trunk.example.com', port: 1 },
          { priority: 10, weight: 10, name: 'b.example.com', port: 2 },
          { priority: 10, weight: 90, name: 'b.example.com', port: 3 },
        ],
      },
    });
    assert.deepEqual(
      (await targets('sip:trunk.example.com', records, () => 0.5)).map((target) => target.at(-1)),
      ['3', '2', '1'],
    );
    assert.deepEqual(
      (await targets('sip:trunk.example.com', records, () => 0.01)).map((target) => target.at(-1)),
      ['2', '3', '1'],
    );
  });

  it('without any record it is the host itself', async () => {
    assert.deepEqual(await targets('sip:trunk.example.com'), ['udp 192.0.2.1 5060']);
  });

  it('a name that nobody knows leads nowhere', async () => {
    assert.deepEqual(await targets('sip:nowhere.example.com'), []);
  });

  it('the certificate must name the host of the URI, not the server that DNS named', async () => {
    const records = resolver({
      srv: { '_sips._tcp.example.com': [{ priority: 1, weight: 1, name: 'b.example.com', port: 5061 }] },
    });
    const [target] = await resolveTargets(parseSipUri('sip:example.com;transport=tls') as SipUri, records);
    assert.equal(target?.serverName, 'example.com');
  });
});
