import { PhoneNetwork, type PhoneNetworkOptions } from './phone-network.ts';

const usualPort = 5080;

/** Opens the network at a port; without one at the usual port or, where that is taken, at any. */
export async function openPhoneNetwork(
  options: Omit<PhoneNetworkOptions, 'port'> & { port: number | undefined },
): Promise<PhoneNetwork> {
  const open = async (port: number): Promise<PhoneNetwork> => {
    const network = new PhoneNetwork({ ...options, port });
    await network.listen();
    return network;
  };
  if (options.port !== undefined) return open(options.port);
  return open(usualPort).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EADDRINUSE') throw error;
    return open(0);
  });
}
