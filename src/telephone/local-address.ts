import { createSocket } from 'node:dgram';
import { lookup } from 'node:dns/promises';
import { parseSipUri } from '../sip/uri.ts';

/** Which address of this machine leads to a trunk: the kernel's routes know; nothing is sent. */
export async function localAddressTowards(trunk: string): Promise<string> {
  const host = parseSipUri(trunk)?.host.replace(/^\[|\]$/g, '') ?? '';
  const { address, family } = await lookup(host).catch(() => {
    throw new Error(`The host of the trunk cannot be found: ${host}`);
  });
  const socket = createSocket(family === 6 ? 'udp6' : 'udp4');
  try {
    await new Promise<void>((resolve, reject) => {
      socket.once('error', reject).connect(5060, address, resolve);
    });
    return socket.address().address;
  } catch {
    throw new Error(`There is no way from here to the trunk at ${address}`);
  } finally {
    socket.close();
  }
}
