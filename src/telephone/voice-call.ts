import type { Codec } from '../rtp/codec.ts';
import { codecNamed } from '../rtp/codecs.ts';
import type { Media } from '../rtp/media.ts';
import { type MediaLine, noReport } from '../rtp/media-line.ts';
import type { MediaReport } from '../rtp/media-report.ts';
import { SdpSide } from '../rtp/sdp.ts';
import type { CallEnd } from '../sip/call-end.ts';
import type { OutgoingCall, OutgoingCallOptions } from '../sip/outgoing-call.ts';

export type VoiceCallOptions = {
  /** Aborting it hangs up, or cancels what still rings. */
  signal?: AbortSignal;
  /** How long it may ring. */
  ringMs?: number;
  /** A WAV file of the call from its answer on: we left, they right. */
  recordTo?: string;
  onRinging?: (status: number) => void;
  /** Somebody is heard before the call is answered: a tone or an announcement. */
  onEarlyMedia?: () => void;
  onAnswered?: (voice: Voice) => void;
  /** 20 ms of what they said, from the answer on. */
  onHeard?: (pcm: Int16Array) => void;
  onDigit?: (digit: string) => void;
  onRecordingFailed?: (reason: string) => void;
};

/** What an answered call can do. */
export type Voice = Pick<MediaLine, 'play' | 'stopPlaying' | 'sendDigits' | 'report'> & {
  codec: string;
  sampleRate: number;
  isEncrypted: boolean;
  /** Hands the person over to another SIP or tel URI; the status that it ended with. */
  transfer(target: string): Promise<number>;
};

/** How a call ended; `failed` is our own fault. */
export type VoiceCallEnd = Omit<CallEnd, 'kind'> & { kind: CallEnd['kind'] | 'failed'; media: MediaReport };

export type VoiceCallParts = {
  media: Media;
  codecs: readonly Codec[];
  srtp: boolean;
  /** The address that the other side is told for the media. */
  mediaHost: string;
  invite: (options: Pick<OutgoingCallOptions, 'offer'> & Partial<OutgoingCallOptions>) => OutgoingCall;
};

/** One call with its voice: the signalling of sip/ and the media of rtp/ from the first INVITE to the end. */
export class VoiceCall {
  /** Resolves once, rejects never; the recording is complete then. */
  readonly ended: Promise<VoiceCallEnd>;
  readonly #parts: VoiceCallParts;
  readonly #options: VoiceCallOptions;
  readonly #stop = new AbortController();
  #line: MediaLine | undefined;
  #call: OutgoingCall | undefined;
  /** Why it ended, where the signalling knows less. */
  #cause: Partial<Pick<VoiceCallEnd, 'kind' | 'endedBy' | 'reason'>> = {};

  constructor(parts: VoiceCallParts, options: VoiceCallOptions) {
    this.#parts = parts;
    this.#options = options;
    this.ended = this.#place();
  }

  /** Ends the call, whatever its state. */
  hangUp(): void {
    this.#stop.abort();
  }

  async #place(): Promise<VoiceCallEnd> {
    const startedAt = new Date();
    try {
      this.#line = await this.#parts.media.open();
      const end = await this.#invite(this.#line).ended;
      return { ...end, ...this.#cause, media: await this.#line.close() };
    } catch (error) {
      const media = this.#line ? await this.#line.close() : noReport;
      const times = { startedAt, ringingAt: null, answeredAt: null, endedAt: new Date() };
      const reason = (error as Error).message;
      return { kind: 'failed', endedBy: 'us', sipStatus: null, q850Cause: null, reason, ...times, media };
    }
  }

  #invite(line: MediaLine): OutgoingCall {
    const { codecs, srtp, mediaHost, invite } = this.#parts;
    const { signal, ringMs, onRinging } = this.#options;
    const side = new SdpSide({ host: mediaHost, port: line.port, codecs, srtp });
    line.handlers = {
      onStalled: () => this.#giveUp({ endedBy: 'network', reason: 'Nothing was heard any more.' }),
      onFailure: (error) => this.#giveUp({ kind: 'failed', reason: error.message }),
    };
    this.#call = invite({
      offer: side.offer(),
      signal: signal ? AbortSignal.any([signal, this.#stop.signal]) : this.#stop.signal,
      ...(ringMs !== undefined && { ringMs }),
      ...(onRinging && { onRinging }),
      onEarlyMedia: (sdp) => {
        const media = side.accept(sdp);
        if (typeof media === 'string') return;
        line.connect(media);
        this.#options.onEarlyMedia?.();
      },
      onAnswered: (sdp) => this.#onAnswered(line, side, sdp),
      onOffer: (sdp) => {
        const answer = side.answer(sdp);
        if (typeof answer === 'string') return undefined;
        line.connect(answer.media);
        return answer.sdp;
      },
    });
    return this.#call;
  }

  #onAnswered(line: MediaLine, side: SdpSide, sdp: string): void {
    const media = side.accept(sdp);
    if (typeof media === 'string') return this.#giveUp({ kind: 'carrier-failure', endedBy: 'us', reason: `${media}.` });
    const { onHeard, onDigit, onRecordingFailed, recordTo } = this.#options;
    line.connect(media);
    if (recordTo !== undefined) line.record(recordTo);
    line.handlers = {
      ...(onHeard && { onHeard }),
      ...(onDigit && { onDigit }),
      ...(onRecordingFailed && { onRecordingFailed }),
      onStalled: () => this.#giveUp({ endedBy: 'network', reason: 'Nothing was heard any more.' }),
      onFailure: (error) => this.#giveUp({ kind: 'failed', reason: error.message }),
    };
    this.#options.onAnswered?.({
      codec: media.codec,
      sampleRate: codecNamed(media.codec).sampleRate,
      isEncrypted: media.srtp !== undefined,
      play: (pcm) => line.play(pcm),
      stopPlaying: () => line.stopPlaying(),
      sendDigits: (digits) => line.sendDigits(digits),
      report: () => line.report(),
      transfer: (target) => this.#call?.session?.transfer(target) ?? Promise.resolve(481),
    });
  }

  #giveUp(cause: Partial<Pick<VoiceCallEnd, 'kind' | 'endedBy' | 'reason'>>): void {
    this.#cause = cause;
    this.#stop.abort();
  }
}
