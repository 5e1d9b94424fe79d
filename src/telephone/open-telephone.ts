import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { TelephoneConfig } from '../config.ts';
import { codecNamed } from '../rtp/codecs.ts';
import type { Media } from '../rtp/media.ts';
import type { Registration, RegistrationState } from '../sip/registration.ts';
import { parseSipUri } from '../sip/uri.ts';
import { UserAgent } from '../sip/user-agent.ts';
import { Telephone } from './telephone.ts';

const unregisterMs = 2_000;

export type OpenTelephone = { telephone: Telephone; userAgent: UserAgent; close(): Promise<void> };

/** A telephone as the settings want it. `trunk` is the one of the settings or a simulated network. */
export async function openTelephone(
  config: TelephoneConfig,
  { media, trunk, port }: { media: Media; trunk: string; port: number },
): Promise<OpenTelephone> {
  const { username, password, publicHost, proxy, fromDomain, assertsIdentity, srtp } = config;
  const userAgent = new UserAgent({
    host: media.host,
    port,
    ...(username !== undefined && { credentials: { username, password: password ?? '' } }),
    ...(publicHost !== undefined && { publicHost }),
    ...(proxy !== undefined && { outboundProxy: proxy }),
    ...(config.caFile !== undefined && { tls: { ca: await readCa(config.caFile) } }),
  });
  await userAgent.listen();
  const telephone = new Telephone({
    userAgent,
    media,
    trunk,
    assertsIdentity,
    srtp,
    codecs: config.codecs.map(codecNamed),
    ...(fromDomain !== undefined && { fromDomain }),
    ...(publicHost !== undefined && { publicHost }),
  });
  const registration = config.registers ? await register(userAgent, trunk, config) : undefined;
  return {
    telephone,
    userAgent,
    async close() {
      await Promise.race([registration?.close(), sleep(unregisterMs, undefined, { ref: false })]);
      await userAgent.close();
    },
  };
}

/** Resolves when the trunk knows where we are. */
async function register(
  userAgent: UserAgent,
  trunk: string,
  { username, fromDomain }: TelephoneConfig,
): Promise<Registration> {
  const first = Promise.withResolvers<RegistrationState>();
  const registration = userAgent.register(trunk, {
    aor: `sip:${username ?? 'parley'}@${fromDomain ?? parseSipUri(trunk)?.host}`,
    onState: first.resolve,
  });
  const state = await first.promise;
  if (state.registered) return registration;
  await userAgent.close();
  throw new Error(`The trunk does not register us: ${state.reason}`);
}

async function readCa(file: string): Promise<string> {
  return readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new Error(`PARLEY_SIP_CA cannot be read: ${error.message}`);
  });
}
