import { availableParallelism } from 'node:os';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import { codecs } from './rtp/codecs.ts';
import { parseSipUri } from './sip/uri.ts';
import {
  type CloudEngine,
  describeEngine,
  type EngineName,
  engineName,
  missingSetting,
  type Vendor,
  type VendorSettings,
  vendors,
  vendorsOf,
} from './speech/cloud/engine-name.ts';

const wholeNumber = (min: number, max: number) =>
  z
    .string()
    .regex(/^\d{1,15}$/, 'must be a whole number')
    .transform(Number)
    .refine((value) => value >= min && value <= max, `must be between ${min} and ${max}`);

const folder = z
  .string()
  .min(1)
  .transform((path) => resolve(path));

const httpUrl = z
  .string()
  .refine((value) => /^https?:$/.test(URL.parse(value)?.protocol ?? ''), 'must be an http or https URL')
  .transform((value) => value.replace(/\/+$/, ''));

const trustProxy = z.union([
  z.literal('no').transform(() => false as const),
  z.literal('yes').transform(() => true as const),
  z.string().regex(/^[0-9a-fA-F.:/, ]+$/, 'must be yes, no, or addresses and networks separated by commas'),
]);

const yesOrNo = z.enum(['yes', 'no']).transform((value) => value === 'yes');

const sipUri = z
  .string()
  .refine(
    (value) => parseSipUri(value) && !value.includes('@'),
    'must be like sip:trunk.example.com;transport=udp|tcp|tls',
  );

const portRange = z
  .string()
  .regex(/^\d{1,5}-\d{1,5}$/, 'must be like 20000-29999')
  .transform((value) => {
    const [from = 0, to = 0] = value.split('-').map(Number);
    return { from, to };
  })
  .refine(
    ({ from, to }) => from >= 1024 && to <= 65_535 && to - from >= 3,
    'must be ports from 1024 to 65535, in order',
  );

const codecNames = z
  .string()
  .transform((value) => value.split(/[ ,]+/).filter(Boolean))
  .refine(
    (names) => names.length > 0 && names.every((name) => codecs.some((codec) => codec.name === name)),
    `must be some of ${codecs.map(({ name }) => name).join(', ')}`,
  );

type Setting = { schema: z.ZodType; fallback?: string; about: string };

const serverSettings = {
  PORT: { schema: wholeNumber(0, 65535), fallback: '8080', about: 'HTTP port; 0 takes any free one' },
  HOST: { schema: z.string().min(1), fallback: '127.0.0.1', about: 'address to listen on' },
  DATABASE_URL: {
    schema: z.string().regex(/^postgres(ql)?:\/\//, 'must begin with postgres:// or postgresql://'),
    about: 'PostgreSQL 15 or newer to use; without it, the embedded one in the data directory',
  },
  PARLEY_DATA_DIR: {
    schema: folder,
    fallback: './data',
    about: 'where the embedded database and credentials.json live',
  },
  PARLEY_RECORDINGS_DIR: {
    schema: folder,
    about: 'recordings of calls, a folder that all machines share; default recordings in the data directory',
  },
  PARLEY_DATABASE_CONNECTIONS: {
    schema: wholeNumber(2, 150), // the embedded PostgreSQL takes 200 in all
    fallback: '20',
    about: 'most connections to the database at once',
  },
  PARLEY_PUBLIC_URL: {
    schema: httpUrl,
    about: 'the address that clients use, also the issuer of tokens; default http://HOST:PORT',
  },
  PARLEY_TRUST_PROXY: {
    schema: trustProxy,
    fallback: 'no',
    about: 'whose X-Forwarded-* headers to believe: no, yes, or addresses and networks',
  },
  PARLEY_TOKEN_SECONDS: {
    schema: wholeNumber(60, 86_400),
    fallback: '3600',
    about: 'how long an access token lives',
  },
  PARLEY_AUTH_ISSUER: {
    schema: httpUrl,
    about: 'an external OAuth 2.0 issuer whose tokens are accepted in place of our own',
  },
  PARLEY_AUTH_AUDIENCE: {
    schema: z.string().min(1),
    about: 'the audience that tokens of the external issuer must carry; default any',
  },
  PARLEY_RATE_LIMIT: {
    schema: wholeNumber(0, 100_000_000),
    fallback: '120000',
    about: 'requests a minute for each API key or client; 0 means no limit',
  },
  PARLEY_MAX_CONTACTS: {
    schema: wholeNumber(1, 1_000_000),
    fallback: '10000',
    about: 'most contacts in one request',
  },
  PARLEY_MAX_CONTACTS_BYTES: {
    schema: wholeNumber(1_000, 1_000_000_000),
    fallback: String(10 * 1024 * 1024),
    about: 'largest body of a contacts request',
  },
  PARLEY_MAX_CALLS: {
    schema: wholeNumber(0, 10_000),
    fallback: String(20 * availableParallelism()),
    about: 'most calls of this process at once, default 20 for each core; 0 leaves them to other processes',
  },
  PARLEY_TRUNK_MAX_CALLS: {
    schema: wholeNumber(1, 100_000),
    about: 'most calls at once through the trunk, of all processes together; default no limit',
  },
  PARLEY_RING_SECONDS: { schema: wholeNumber(5, 180), fallback: '45', about: 'how long it may ring' },
  PARLEY_WEBHOOK_PRIVATE: {
    schema: yesOrNo,
    fallback: 'no',
    about: 'whether webhooks may lead to private addresses, such as this machine: yes or no',
  },
  PARLEY_LOG_LEVEL: {
    schema: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']),
    fallback: 'info',
    about: 'fatal, error, warn, info, debug, trace or silent',
  },
} satisfies Record<string, Setting>;

const telephoneSettings = {
  PARLEY_SIP_TRUNK: {
    schema: sipUri,
    about: 'where calls go out, as sip:trunk.example.com:5060;transport=udp|tcp|tls; without it, the simulated network',
  },
  PARLEY_SIP_USERNAME: { schema: z.string().min(1), about: 'what the trunk knows us by' },
  PARLEY_SIP_PASSWORD: { schema: z.string().min(1), about: 'its password' },
  PARLEY_SIP_HOST: {
    schema: z.union([z.ipv4(), z.ipv6()], 'must be an IP address of this machine'),
    about: 'local address of SIP and RTP; default the one towards the trunk, 127.0.0.1 with the simulated network',
  },
  PARLEY_SIP_PORT: {
    schema: wholeNumber(0, 65_534),
    about:
      'local SIP port, TLS has the next one; default 5060, or with the simulated network any free one when that is taken',
  },
  PARLEY_SIP_PUBLIC_HOST: {
    schema: z.string().min(1),
    about: 'the address that the trunk reaches us at, where that is not the local one (NAT)',
  },
  PARLEY_SIP_FROM_DOMAIN: { schema: z.string().min(1), about: "the domain after our number; default the trunk's" },
  PARLEY_SIP_ASSERT_IDENTITY: {
    schema: yesOrNo,
    fallback: 'yes',
    about: 'whether the caller ID is also sent as P-Asserted-Identity: yes or no',
  },
  PARLEY_SIP_REGISTER: { schema: yesOrNo, fallback: 'no', about: 'whether the trunk wants a registration: yes or no' },
  PARLEY_SIP_PROXY: { schema: sipUri, about: 'an outbound proxy that every request goes through' },
  PARLEY_SIP_CA: { schema: z.string().min(1), about: "a PEM file with the authority of the trunk's TLS certificate" },
  PARLEY_SIP_SRTP: { schema: yesOrNo, fallback: 'no', about: 'whether media must be encrypted (SDES): yes or no' },
  PARLEY_CODECS: {
    schema: codecNames,
    fallback: codecs.map(({ name }) => name).join(','),
    about: 'the codecs that are offered, the most wanted first',
  },
  PARLEY_RTP_PORTS: { schema: portRange, fallback: '20000-29999', about: 'UDP ports of media, two for each call' },
  PARLEY_SIMULATOR_PORT: {
    schema: wholeNumber(0, 65_534),
    about: 'port of the simulated phone network; default 5080, or any free one when that is taken',
  },
} satisfies Record<string, Setting>;

const speechSettings = {
  PARLEY_TTS: {
    schema: engineName('tts'),
    fallback: 'embedded',
    about: `the voice: embedded, or vendor/model of ${vendorsOf('tts').join(', ')}`,
  },
  PARLEY_TTS_VOICE: {
    schema: z.string().min(1).max(100),
    about: "the vendor's voice for agents that have an embedded one; default the vendor's own choice",
  },
  PARLEY_STT: {
    schema: engineName('stt'),
    fallback: 'embedded',
    about: `the ears: embedded, or vendor/model of ${vendorsOf('stt').join(', ')}`,
  },
  PARLEY_LLM: {
    schema: engineName('llm').refine((engine) => engine !== 'embedded', 'must be vendor/model: there is none embedded'),
    about: `the mind: vendor/model of ${vendorsOf('llm').join(', ')}; without it, the script`,
  },
  PARLEY_SPEECH_WORKERS: {
    schema: wholeNumber(1, 64),
    about: 'processes of the embedded voice and ears; default one for each core, up to 8',
  },
} satisfies Record<string, Setting>;

/** A key and an address for each vendor. */
const vendorSettings: Record<string, Setting> = Object.fromEntries(
  Object.entries(vendors).flatMap(([vendor, { keySetting, urlSetting, baseUrl }]) => [
    [keySetting, { schema: z.string().min(1), about: `the key for ${vendor}` }],
    [urlSetting, { schema: httpUrl, about: `where ${vendor} is${baseUrl ? `; default ${baseUrl}` : ''}` }],
  ]),
);

const clientSettings = {
  PARLEY_URL: { schema: httpUrl, about: 'the service that token, call and contacts talk to' },
  PARLEY_CLIENT_ID: { schema: z.string().min(1), about: 'OAuth client of token and call' },
  PARLEY_CLIENT_SECRET: { schema: z.string().min(1), about: 'its secret' },
  PARLEY_API_KEY: { schema: z.string().min(1), about: 'API key of contacts' },
} satisfies Record<string, Setting>;

const allSettings = {
  ...serverSettings,
  ...telephoneSettings,
  ...speechSettings,
  ...vendorSettings,
  ...clientSettings,
};

export type Config = Readonly<{
  port: number;
  host: string;
  databaseUrl: string | undefined;
  dataDir: string;
  recordingsFolder: string;
  databaseConnections: number;
  publicUrl: string | undefined;
  trustProxy: boolean | string;
  tokenSeconds: number;
  authIssuer: string | undefined;
  authAudience: string | undefined;
  rateLimit: number;
  maxContacts: number;
  maxContactsBytes: number;
  maxCalls: number;
  trunkMaxCalls: number | undefined;
  ringSeconds: number;
  webhookPrivate: boolean;
  logLevel: z.infer<typeof serverSettings.PARLEY_LOG_LEVEL.schema>;
  telephone: TelephoneConfig;
  speech: SpeechConfig;
}>;

/** What speaks, listens and thinks. */
export type SpeechConfig = Readonly<{
  tts: EngineName;
  /** The vendor's, for agents that have an embedded one. */
  ttsVoice: string | undefined;
  stt: EngineName;
  llm: CloudEngine | undefined;
  vendors: VendorSettings;
  workers: number | undefined;
}>;

/** How calls leave the house. */
export type TelephoneConfig = Readonly<{
  trunk: string | undefined;
  username: string | undefined;
  password: string | undefined;
  host: string | undefined;
  port: number | undefined;
  publicHost: string | undefined;
  fromDomain: string | undefined;
  assertsIdentity: boolean;
  registers: boolean;
  proxy: string | undefined;
  caFile: string | undefined;
  srtp: boolean;
  codecs: readonly string[];
  rtpPorts: { from: number; to: number };
  simulatorPort: number | undefined;
}>;

/** What the commands that speak to a running service were told through the environment. */
export type ClientConfig = Readonly<{
  dataDir: string;
  url: string | undefined;
  clientId: string | undefined;
  clientSecret: string | undefined;
  apiKey: string | undefined;
}>;

export class ConfigError extends Error {
  constructor(faults: string[]) {
    super(['These settings are wrong:', ...faults.map((fault) => `  ${fault}`)].join('\n'));
    this.name = 'ConfigError';
  }
}

export function loadConfig(env: NodeJS.ProcessEnv = process.env): Config {
  const read = readSettings({ ...serverSettings, ...telephoneSettings, ...speechSettings }, env);
  return Object.freeze({
    port: read.PORT as number,
    host: read.HOST as string,
    databaseUrl: read.DATABASE_URL,
    dataDir: read.PARLEY_DATA_DIR as string,
    recordingsFolder: read.PARLEY_RECORDINGS_DIR ?? join(read.PARLEY_DATA_DIR as string, 'recordings'),
    databaseConnections: read.PARLEY_DATABASE_CONNECTIONS as number,
    publicUrl: read.PARLEY_PUBLIC_URL,
    trustProxy: read.PARLEY_TRUST_PROXY as boolean | string,
    tokenSeconds: read.PARLEY_TOKEN_SECONDS as number,
    authIssuer: read.PARLEY_AUTH_ISSUER,
    authAudience: read.PARLEY_AUTH_AUDIENCE,
    rateLimit: read.PARLEY_RATE_LIMIT as number,
    maxContacts: read.PARLEY_MAX_CONTACTS as number,
    maxContactsBytes: read.PARLEY_MAX_CONTACTS_BYTES as number,
    maxCalls: read.PARLEY_MAX_CALLS as number,
    trunkMaxCalls: read.PARLEY_TRUNK_MAX_CALLS,
    ringSeconds: read.PARLEY_RING_SECONDS as number,
    webhookPrivate: read.PARLEY_WEBHOOK_PRIVATE as boolean,
    logLevel: read.PARLEY_LOG_LEVEL as Config['logLevel'],
    telephone: telephoneConfig(read),
    speech: speechConfig(read, env),
  });
}

export function loadSpeechConfig(env: NodeJS.ProcessEnv = process.env): SpeechConfig {
  return speechConfig(readSettings(speechSettings, env), env);
}

function speechConfig(read: Read<typeof speechSettings>, env: NodeJS.ProcessEnv): SpeechConfig {
  const engines = {
    tts: read.PARLEY_TTS as EngineName,
    stt: read.PARLEY_STT as EngineName,
    llm: read.PARLEY_LLM as CloudEngine | undefined,
  };
  const known = readSettings(vendorSettings, env);
  const given = Object.fromEntries(
    (Object.keys(vendors) as Vendor[]).map((vendor) => {
      const { keySetting, urlSetting } = vendors[vendor];
      return [vendor, { apiKey: known[keySetting] as string, baseUrl: known[urlSetting] as string }];
    }),
  );
  const faults = Object.entries(engines).flatMap(([kind, engine]) => {
    const missing = engine && missingSetting(engine, given);
    return engine && missing ? [`PARLEY_${kind.toUpperCase()}: ${describeEngine(engine)} needs ${missing}`] : [];
  });
  if (faults.length > 0) throw new ConfigError(faults);
  return Object.freeze({
    ...engines,
    ttsVoice: read.PARLEY_TTS_VOICE,
    vendors: given,
    workers: read.PARLEY_SPEECH_WORKERS,
  });
}

export function loadTelephoneConfig(env: NodeJS.ProcessEnv = process.env): TelephoneConfig {
  return telephoneConfig(readSettings(telephoneSettings, env));
}

function telephoneConfig(read: Read<typeof telephoneSettings>): TelephoneConfig {
  return Object.freeze({
    trunk: read.PARLEY_SIP_TRUNK,
    username: read.PARLEY_SIP_USERNAME,
    password: read.PARLEY_SIP_PASSWORD,
    host: read.PARLEY_SIP_HOST,
    port: read.PARLEY_SIP_PORT,
    publicHost: read.PARLEY_SIP_PUBLIC_HOST,
    fromDomain: read.PARLEY_SIP_FROM_DOMAIN,
    assertsIdentity: read.PARLEY_SIP_ASSERT_IDENTITY as boolean,
    registers: read.PARLEY_SIP_REGISTER as boolean,
    proxy: read.PARLEY_SIP_PROXY,
    caFile: read.PARLEY_SIP_CA,
    srtp: read.PARLEY_SIP_SRTP as boolean,
    codecs: read.PARLEY_CODECS as string[],
    rtpPorts: read.PARLEY_RTP_PORTS as { from: number; to: number },
    simulatorPort: read.PARLEY_SIMULATOR_PORT,
  });
}

export function loadClientConfig(env: NodeJS.ProcessEnv = process.env): ClientConfig {
  const { PARLEY_DATA_DIR } = serverSettings;
  const read = readSettings({ PARLEY_DATA_DIR, ...clientSettings }, env);
  return Object.freeze({
    dataDir: read.PARLEY_DATA_DIR as string,
    url: read.PARLEY_URL,
    clientId: read.PARLEY_CLIENT_ID,
    clientSecret: read.PARLEY_CLIENT_SECRET,
    apiKey: read.PARLEY_API_KEY,
  });
}

/** Names that begin with PARLEY_ but mean nothing: probably misspelt. */
export function unknownSettings(env: NodeJS.ProcessEnv = process.env): string[] {
  return Object.keys(env).filter((name) => name.startsWith('PARLEY_') && !(name in allSettings));
}

export function settingsHelp(): string {
  const rows = Object.entries<Setting>(allSettings).map(
    ([name, { fallback, about }]) => `  ${name.padEnd(28)} ${about}${fallback === undefined ? '' : ` (${fallback})`}`,
  );
  return ['Settings, from the environment (defaults in brackets):', ...rows].join('\n');
}

type Read<S extends Record<string, Setting>> = { [Name in keyof S]: z.output<S[Name]['schema']> | undefined };

function readSettings<S extends Record<string, Setting>>(settings: S, env: NodeJS.ProcessEnv): Read<S> {
  const faults: string[] = [];
  const read: Record<string, unknown> = {};
  for (const [name, { schema, fallback }] of Object.entries(settings)) {
    const given = env[name] || fallback; // set to nothing is not set
    if (given === undefined) continue;
    const parsed = schema.safeParse(given);
    if (parsed.success) read[name] = parsed.data;
    else faults.push(`${name}: ${faultOf(parsed.error)}`);
  }
  if (faults.length > 0) throw new ConfigError(faults);
  return read as Read<S>;
}

function faultOf(error: z.ZodError): string {
  const issue = error.issues[0];
  const option = issue?.code === 'invalid_union' ? issue.errors.at(-1)?.[0] : issue;
  if (option?.code === 'invalid_value') return `must be one of ${option.values.join(', ')}`;
  return option?.message ?? 'is not valid';
}
