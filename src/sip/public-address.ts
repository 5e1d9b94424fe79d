import { BlockList, isIP, isIPv6 } from 'node:net';
import type { Via } from './header-values.ts';

const local = new BlockList();
for (const [net, prefix] of [
  ['0.0.0.0', 32],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
] as const)
  local.addSubnet(net, prefix, 'ipv4');
local.addSubnet('::', 127, 'ipv6');
local.addSubnet('fc00::', 7, 'ipv6');
local.addSubnet('fe80::', 10, 'ipv6');

export function isLocal(host: string): boolean {
  return local.check(host, isIPv6(host) ? 'ipv6' : 'ipv4');
}

export function isUnspecified(host: string): boolean {
  return host === '0.0.0.0' || host === '::';
}

/** RFC 3581: the address under which a peer sees us, when a NAT has put it in place of ours. */
export function seenAs(via: Via, ours: string): { host: string; port: number | undefined } | undefined {
  const host = via.parameters.get('received');
  if (host === undefined || host === ours || !isIP(host) || !isLocal(ours)) return undefined;
  const port = Number(via.parameters.get('rport'));
  return { host, port: port > 0 && port < 65_536 ? port : undefined };
}
