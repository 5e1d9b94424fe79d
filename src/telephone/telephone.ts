import type { Codec } from '../rtp/codec.ts';
import { codecs as allCodecs } from '../rtp/codecs.ts';
import type { Media } from '../rtp/media.ts';
import { parseSipUri, type SipUri, writeSipUri } from '../sip/uri.ts';
import type { UserAgent } from '../sip/user-agent.ts';
import { VoiceCall, type VoiceCallOptions } from './voice-call.ts';

export type TelephoneOptions = {
  userAgent: UserAgent;
  media: Media;
  /** Where calls go out: `sip:trunk.example.com:5060;transport=tcp`. */
  trunk: string;
  /** The domain of our own number; else the trunk's. */
  fromDomain?: string;
  /** Whether the number is asserted to the trunk too (RFC 3325). */
  assertsIdentity?: boolean;
  /** The address that the other side is told for the media; else the one that it is bound to. */
  publicHost?: string;
  codecs?: readonly Codec[];
  srtp?: boolean;
};

/** Calls telephone numbers through a trunk. */
export class Telephone {
  readonly #options: TelephoneOptions;
  readonly #trunk: SipUri;

  constructor(options: TelephoneOptions) {
    const trunk = parseSipUri(options.trunk);
    if (!trunk) throw new Error(`The trunk is not a SIP URI: ${options.trunk}`);
    this.#options = options;
    this.#trunk = trunk;
  }

  /** Calls a number of E.164 with one of ours as the caller. */
  call(number: string, from: string, options: VoiceCallOptions = {}): VoiceCall {
    const {
      userAgent,
      media,
      codecs = allCodecs,
      srtp = false,
      publicHost,
      assertsIdentity,
      fromDomain,
    } = this.#options;
    const target = this.#uriOf(number);
    const caller = `sip:${checked(from)}@${fromDomain ?? this.#trunk.host}`;
    return new VoiceCall(
      {
        media,
        codecs,
        srtp,
        mediaHost: publicHost ?? media.host,
        invite: (invitation) =>
          userAgent.invite(target, {
            from: caller,
            ...(assertsIdentity && { assertedIdentity: caller }),
            ...invitation,
          }),
      },
      options,
    );
  }

  #uriOf(number: string): string {
    const parameters = new Map([...this.#trunk.parameters, ['user', 'phone']]);
    return writeSipUri({ ...this.#trunk, user: checked(number), parameters });
  }
}

function checked(number: string): string {
  if (!/^\+[1-9][0-9]{6,14}$/.test(number)) throw new Error('A number must be written like +12025550100');
  return number;
}
