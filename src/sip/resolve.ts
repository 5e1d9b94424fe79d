import { promises as dns } from 'node:dns';
import { isIP } from 'node:net';
import type { Address, Protocol } from './transport.ts';
import type { SipUri } from './uri.ts';

/** An address to try, and whom its certificate must name. */
export type Target = Address & { serverName: string };

/** The questions that RFC 3263 asks the DNS. */
export type Resolver = {
  naptr(
    name: string,
  ): Promise<{ order: number; preference: number; flags: string; service: string; replacement: string }[]>;
  srv(name: string): Promise<{ priority: number; weight: number; name: string; port: number }[]>;
  addresses(name: string): Promise<string[]>;
};

export const systemResolver: Resolver = {
  naptr: (name) => dns.resolveNaptr(name).catch(() => []),
  srv: (name) => dns.resolveSrv(name).catch(() => []),
  async addresses(name) {
    const found = await dns.lookup(name, { all: true, order: 'ipv4first' }).catch(() => []);
    return found.map(({ address }) => address);
  },
};

const services: Record<string, Protocol> = { 'sip+d2u': 'udp', 'sip+d2t': 'tcp', 'sips+d2t': 'tls' };
const srvPrefixes: Record<Protocol, string> = { udp: '_sip._udp.', tcp: '_sip._tcp.', tls: '_sips._tcp.' };

/** The one place that a URI with an IP address leads to; undefined: a name has to be looked up. */
export function addressedTarget(uri: SipUri): Target | undefined {
  const host = (uri.parameters.get('maddr') ?? uri.host).replace(/^\[|\]$/g, '');
  if (!isIP(host)) return undefined;
  const protocol = protocolOf(uri) ?? 'udp';
  const serverName = uri.host.replace(/^\[|\]$/g, '');
  return { protocol, host, port: uri.port ?? defaultPort(protocol), serverName };
}

/** Where a SIP URI leads, in the order in which to try (RFC 3263 §4). Empty: nowhere. */
export async function resolveTargets(
  uri: SipUri,
  resolver: Resolver = systemResolver,
  random: () => number = Math.random,
): Promise<Target[]> {
  const addressed = addressedTarget(uri);
  if (addressed) return [addressed];
  const host = uri.parameters.get('maddr') ?? uri.host;
  const named = protocolOf(uri);
  if (uri.port !== undefined) {
    const protocol = named ?? (uri.scheme === 'sips' ? 'tls' : 'udp');
    return addressesOf(host, protocol, uri.port ?? defaultPort(protocol), uri.host, resolver);
  }
  const candidates = named
    ? [{ protocol: named, name: srvPrefixes[named] + host }]
    : await candidatesOf(uri, host, resolver);
  const targets: Target[] = [];
  for (const { protocol, name } of candidates) {
    for (const { name: server, port } of inSrvOrder(await resolver.srv(name), random)) {
      targets.push(...(await addressesOf(server, protocol, port, uri.host, resolver)));
    }
  }
  if (targets.length > 0) return targets;
  const protocol = named ?? (uri.scheme === 'sips' ? 'tls' : 'udp');
  return addressesOf(host, protocol, defaultPort(protocol), uri.host, resolver);
}

function protocolOf(uri: SipUri): Protocol | undefined {
  const named = uri.parameters.get('transport')?.toLowerCase();
  if (uri.scheme === 'sips') return 'tls';
  return named === 'udp' || named === 'tcp' || named === 'tls' ? named : undefined;
}

function defaultPort(protocol: Protocol): number {
  return protocol === 'tls' ? 5061 : 5060;
}

/** The ways that NAPTR offers; without any, the SRV names of all that we speak. */
async function candidatesOf(
  uri: SipUri,
  host: string,
  resolver: Resolver,
): Promise<{ protocol: Protocol; name: string }[]> {
  const offered = (await resolver.naptr(host))
    .filter(({ flags, service }) => flags.toLowerCase() === 's' && services[service.toLowerCase()])
    .sort((a, b) => a.order - b.order || a.preference - b.preference)
    .map(({ service, replacement }) => ({ protocol: services[service.toLowerCase()] as Protocol, name: replacement }));
  const usable = offered.filter(({ protocol }) => uri.scheme === 'sip' || protocol === 'tls');
  if (usable.length > 0) return usable;
  return (['udp', 'tcp', 'tls'] as const).map((protocol) => ({ protocol, name: srvPrefixes[protocol] + host }));
}

/** RFC 2782: lower priorities first; among equals a weighted lottery. */
function inSrvOrder<T extends { priority: number; weight: number }>(records: T[], random: () => number): T[] {
  const left = records.toSorted((a, b) => a.priority - b.priority || a.weight - b.weight);
  const ordered: T[] = [];
  while (left.length > 0) {
    const group = left.filter(({ priority }) => priority === left[0]?.priority);
    let ticket = random() * group.reduce((sum, { weight }) => sum + weight, 0);
    const drawn = group.find(({ weight }) => {
      ticket -= weight;
      return ticket <= 0;
    }) as T;
    left.splice(left.indexOf(drawn), 1);
    ordered.push(drawn);
  }
  return ordered;
}

async function addressesOf(
  host: string,
  protocol: Protocol,
  port: number,
  serverName: string,
  resolver: Resolver,
): Promise<Target[]> {
  const bare = host.replace(/^\[|\]$/g, '');
  const addresses = isIP(bare) ? [bare] : await resolver.addresses(host);
  return addresses.map((address) => ({
    protocol,
    host: address,
    port,
    serverName: serverName.replace(/^\[|\]$/g, ''),
  }));
}
