import type { EngineNote } from './cloud/breaker.ts';
import { describeEngine, type EngineName, type VendorSettings } from './cloud/engine-name.ts';
import { openRecogniser } from './cloud/open-recogniser.ts';
import { openTts } from './cloud/open-tts.ts';
import { recogniserWithFallback } from './cloud/recogniser-with-fallback.ts';
import { ttsWithFallback } from './cloud/tts-with-fallback.ts';
import { embeddedRecogniser } from './embedded/embedded-recogniser.ts';
import { EmbeddedTts } from './embedded/embedded-tts.ts';
import { fliteVoices } from './embedded/flite.ts';
import { PhraseCache } from './embedded/phrase-cache.ts';
import { WorkerPool } from './embedded/worker-pool.ts';
import { sttOf } from './hearing/stt.ts';
import type { Recogniser, SpeakRequest, Stt, Tts } from './ports.ts';

export interface SpeechOptions {
  tts: EngineName;
  /** What the vendor calls the voice that speaks when an embedded one is asked for. */
  ttsVoice?: string | undefined;
  stt: EngineName;
  vendors: VendorSettings;
  /** Of the embedded engines; default one for each core. */
  workers?: number | undefined;
  /** For a single command: the embedded ears are loaded when they are first needed. */
  isLazy?: boolean;
  /** Where rendered phrases outlive the process. */
  phraseFolder?: string | undefined;
  onWorkerLost?(reason: string): void;
}

export interface Speech {
  /** Resolves when the embedded engines can work. */
  ready: Promise<void>;
  /** Voice and ears of one call, whose log is told when an engine fails and the embedded one takes over. */
  forCall(onNote?: (note: EngineNote) => void): { tts: Tts; stt: Stt };
  /** The embedded ones, whichever were chosen. */
  embedded: { tts: Tts; stt: Stt };
  close(): Promise<void>;
}

/** The chosen engines, with the embedded ones behind them. */
export async function openSpeech(options: SpeechOptions): Promise<Speech> {
  const { workers, isLazy = false, onWorkerLost, phraseFolder, vendors } = options;
  const pool = new WorkerPool({ isLazy, ...(workers && { workers }), ...(onWorkerLost && { onWorkerLost }) });
  const embedded = {
    tts: new EmbeddedTts(pool, await PhraseCache.open({ folder: phraseFolder })),
    recogniser: embeddedRecogniser(pool),
  };
  const vendorVoice = options.ttsVoice === undefined ? {} : { voice: options.ttsVoice };
  const cloudTts = options.tts === 'embedded' ? undefined : withOwnVoices(openTts(options.tts, vendors, vendorVoice));
  const cloudRecogniser = options.stt === 'embedded' ? undefined : openRecogniser(options.stt, vendors);

  return {
    ready: pool.ready,
    embedded: { tts: embedded.tts, stt: sttOf(embedded.recogniser) },
    forCall(onNote = () => {}) {
      const tts: Tts = cloudTts
        ? ttsWithFallback(cloudTts, embedded.tts, { engine: describeEngine(options.tts), onNote })
        : embedded.tts;
      const recogniser: Recogniser = cloudRecogniser
        ? recogniserWithFallback(cloudRecogniser, embedded.recogniser, { engine: describeEngine(options.stt), onNote })
        : embedded.recogniser;
      return { tts, stt: sttOf(recogniser) };
    },
    async close() {
      await Promise.all([cloudTts?.close(), cloudRecogniser?.close()]);
      await pool.close();
      await embedded.tts.close();
    },
  };
}

/** An agent has an embedded voice unless somebody chose another: vendors do not know it and use their default. */
function withOwnVoices(tts: Tts): Tts {
  const translated = ({ voice, ...request }: SpeakRequest): SpeakRequest =>
    voice === undefined || fliteVoices.some((known) => known === voice) ? request : { ...request, voice };
  return {
    speak: (request) => tts.speak(translated(request)),
    prepare: (request) => tts.prepare(translated(request)),
    close: () => tts.close(),
  };
}
