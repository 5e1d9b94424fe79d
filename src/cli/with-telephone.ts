import type { TelephoneConfig } from '../config.ts';
import { Media } from '../rtp/media.ts';
import { PhoneNetwork } from '../simulator/phone-network.ts';
import { openSpeech, type Speech } from '../speech/open-speech.ts';
import { localAddressTowards } from '../telephone/local-address.ts';
import { type OpenTelephone, openTelephone } from '../telephone/open-telephone.ts';
import { exitCode, Failure } from './failure.ts';

const loopback = '127.0.0.1';

/** A telephone for one command, on any free port; without a trunk it calls a simulated network of its own. */
export async function withTelephone<T>(
  config: TelephoneConfig,
  use: (opened: OpenTelephone, trunk: string) => Promise<T>,
): Promise<T> {
  const host = config.host ?? (config.trunk === undefined ? loopback : await wayTo(config.proxy ?? config.trunk));
  const media = new Media({ host, ports: config.rtpPorts });
  let network: PhoneNetwork | undefined;
  let speech: Speech | undefined;
  let opened: OpenTelephone | undefined;
  try {
    if (config.trunk === undefined) {
      speech = await openSpeech({ tts: 'embedded', stt: 'embedded', vendors: {}, workers: 1, isLazy: true });
      network = new PhoneNetwork({ host, port: 0, media, speech: speech.embedded });
      await network.listen();
    }
    const trunk = config.trunk ?? (network as PhoneNetwork).trunk;
    opened = await openTelephone(config, { media, trunk, port: 0 }).catch((error: NodeJS.ErrnoException) => {
      const isForeign = error.code === 'EADDRNOTAVAIL';
      throw new Failure(
        exitCode.usage,
        isForeign ? `PARLEY_SIP_HOST=${host} is no address of this machine.` : error.message,
      );
    });
    return await use(opened, trunk);
  } finally {
    await opened?.close();
    await network?.close();
    await speech?.close();
    await media.close();
  }
}

async function wayTo(trunk: string): Promise<string> {
  return localAddressTowards(trunk).catch((error: Error) => {
    throw new Failure(exitCode.failed, error.message);
  });
}
