import { createSocket } from 'node:dgram';
import { isIPv6 } from 'node:net';
import { resolveTargets } from '../sip/resolve.ts';
import { parseSipUri } from '../sip/uri.ts';

/** Which address of this machine leads to a SIP URI: the kernel's routes know; nothing is sent. */
export async function localAddressTowards(uri: string): Promise<string> {
  const parsed = parseSipUri(uri);
  const [first] = parsed ? await resolveTargets(parsed).catch(() => []) : [];
  if (!first) throw new Error(`The host of the trunk cannot be found: ${parsed?.host ?? uri}`);
  const socket = createSocket(isIPv6(first.host) ? 'udp6' : 'udp4');
  try {
    await new Promise<void>((resolve, reject) => {
      socket.once('error', reject).connect(first.port, first.host, resolve);
    });
    return socket.address().address;
  } catch {
    throw new Error(`There is no way from here to the trunk at ${first.host}`);
  } finally {
    socket.close();
  }
}
