import { z } from 'zod';

export type EngineKind = 'tts' | 'stt' | 'llm';

/**
 * Who makes voices, ears and minds. Left out: AssemblyAI, Gladia and Rev.ai, whose AI SDK providers upload a
 * file and poll for its text, too slow for a conversation; LMNT, Hume and Azure, whose providers bring
 * another copy of the SDK's inner parts.
 */
export const vendors = {
  openai: {
    kinds: ['tts', 'stt', 'llm'],
    baseUrl: 'https://api.openai.com/v1',
    keySetting: 'OPENAI_API_KEY',
    urlSetting: 'PARLEY_OPENAI_URL',
  },
  'openai-compatible': {
    kinds: ['tts', 'stt', 'llm'],
    baseUrl: undefined,
    keySetting: 'PARLEY_OPENAI_COMPATIBLE_KEY',
    urlSetting: 'PARLEY_OPENAI_COMPATIBLE_URL',
  },
  elevenlabs: {
    kinds: ['tts', 'stt'],
    baseUrl: 'https://api.elevenlabs.io',
    keySetting: 'ELEVENLABS_API_KEY',
    urlSetting: 'PARLEY_ELEVENLABS_URL',
  },
  deepgram: {
    kinds: ['tts', 'stt'],
    baseUrl: 'https://api.deepgram.com',
    keySetting: 'DEEPGRAM_API_KEY',
    urlSetting: 'PARLEY_DEEPGRAM_URL',
  },
  groq: {
    kinds: ['tts', 'stt', 'llm'],
    baseUrl: 'https://api.groq.com/openai/v1',
    keySetting: 'GROQ_API_KEY',
    urlSetting: 'PARLEY_GROQ_URL',
  },
  mistral: {
    kinds: ['tts', 'stt', 'llm'],
    baseUrl: 'https://api.mistral.ai/v1',
    keySetting: 'MISTRAL_API_KEY',
    urlSetting: 'PARLEY_MISTRAL_URL',
  },
  google: {
    kinds: ['tts', 'llm'],
    baseUrl: 'https://generativelanguage.googleapis.com/v1beta',
    keySetting: 'GOOGLE_GENERATIVE_AI_API_KEY',
    urlSetting: 'PARLEY_GOOGLE_URL',
  },
  anthropic: {
    kinds: ['llm'],
    baseUrl: 'https://api.anthropic.com/v1',
    keySetting: 'ANTHROPIC_API_KEY',
    urlSetting: 'PARLEY_ANTHROPIC_URL',
  },
} as const satisfies Record<
  string,
  { kinds: readonly EngineKind[]; baseUrl: string | undefined; keySetting: string; urlSetting: string }
>;

export type Vendor = keyof typeof vendors;

export interface CloudEngine {
  vendor: Vendor;
  model: string;
}

export type EngineName = 'embedded' | CloudEngine;

/** What is known of the vendors' accounts and servers. */
export type VendorSettings = Partial<Record<Vendor, { apiKey?: string | undefined; baseUrl?: string | undefined }>>;

/** `embedded`, or a vendor and its model as in `deepgram/nova-3`. */
export function engineName(kind: EngineKind) {
  return z.string().transform((text, context): EngineName => {
    const known = vendorsOf(kind);
    const refuse = (message: string) => {
      context.addIssue({ code: 'custom', message });
      return z.NEVER;
    };
    if (text === 'embedded') return 'embedded';
    const slash = text.indexOf('/');
    const given = slash < 0 ? text : text.slice(0, slash);
    const model = slash < 0 ? '' : text.slice(slash + 1);
    const vendor = known.find((name) => name === given);
    if (vendor === undefined) return refuse(`must be embedded, or vendor/model with one of ${known.join(', ')}`);
    if (!/^[\w.:@/-]{1,200}$/.test(model)) return refuse(`must name a model, as in ${vendor}/model`);
    if (kind === 'stt' && vendor === 'deepgram' && model.startsWith('flux')) {
      return refuse('must be a Nova model of Deepgram: Flux finds the ends of turns itself');
    }
    return { vendor, model };
  });
}

export function vendorsOf(kind: EngineKind): Vendor[] {
  return (Object.keys(vendors) as Vendor[]).filter((vendor) => vendors[vendor].kinds.some((each) => each === kind));
}

export function describeEngine(engine: EngineName): string {
  return engine === 'embedded' ? engine : `${engine.vendor}/${engine.model}`;
}

/** The setting that an engine still needs. A server of one's own may want no key. */
export function missingSetting(engine: EngineName, settings: VendorSettings): string | undefined {
  if (engine === 'embedded') return undefined;
  const { baseUrl, keySetting, urlSetting } = vendors[engine.vendor];
  const given = settings[engine.vendor] ?? {};
  if (given.baseUrl !== undefined) return undefined;
  if (baseUrl === undefined) return urlSetting;
  return given.apiKey === undefined ? keySetting : undefined;
}

/** Where the engine is and what opens it. */
export function vendorAccess(engine: CloudEngine, settings: VendorSettings): { baseUrl: string; apiKey: string } {
  const { apiKey = '', baseUrl = vendors[engine.vendor].baseUrl } = settings[engine.vendor] ?? {};
  const missing = missingSetting(engine, settings);
  if (missing !== undefined || baseUrl === undefined) throw new Error(`${describeEngine(engine)} needs ${missing}`);
  return { baseUrl: baseUrl.replace(/\/+$/, ''), apiKey };
}
