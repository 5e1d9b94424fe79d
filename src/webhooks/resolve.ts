import { lookup, Resolver } from 'node:dns/promises';

export type HostAddress = { address: string; family: number };
export type Resolve = (host: string) => Promise<HostAddress[]>;

// getaddrinfo has two threads for the whole process; names of others that take their time would hold up all.
const resolver = new Resolver({ timeout: 2_000, tries: 2 });

/** The addresses of a name of the public internet, from DNS alone. */
export async function resolvePublic(host: string): Promise<HostAddress[]> {
  const [v6, v4] = await Promise.allSettled([resolver.resolve6(host), resolver.resolve4(host)]);
  const addresses = [
    ...(v6.status === 'fulfilled' ? v6.value.map((address) => ({ address, family: 6 })) : []),
    ...(v4.status === 'fulfilled' ? v4.value.map((address) => ({ address, family: 4 })) : []),
  ];
  if (addresses.length === 0 && v4.status === 'rejected') throw v4.reason;
  return addresses;
}

/** As this machine sees the name: with its hosts file and the names of its own network. */
export function resolveLocal(host: string): Promise<HostAddress[]> {
  return lookup(host, { all: true });
}
