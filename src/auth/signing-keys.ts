import { type CryptoKey, exportJWK, generateKeyPair, importJWK, type JWK } from 'jose';
import { v7 as newId } from 'uuid';
import type { Clock } from '../clock.ts';
import type { Database, DatabasePool } from '../store/database.ts';
import { addFirstSigningKey, listSigningKeys, replaceSigningKey, type SigningKeyRow } from '../store/signing-keys.ts';

export const signingAlgorithm = 'ES256';

// How long a process may go on signing with a key that another process has retired.
const maxAgeMs = 10_000;
// An unknown key id sends us to the database at most this often.
const retryAfterMs = 1_000;

/** The keys in the database, as this process last saw them. */
export type SigningKeys = {
  current(): Promise<{ kid: string; privateKey: CryptoKey }>;
  findPublic(kid: string): Promise<CryptoKey | undefined>;
  /** What `/.well-known/jwks.json` shows, always read afresh. */
  publicJwks(): Promise<JWK[]>;
};

type Loaded = {
  current: { kid: string; privateKey: CryptoKey };
  publicKeys: Map<string, CryptoKey>;
  jwks: JWK[];
};

export function signingKeys(db: Database, clock: Clock): SigningKeys {
  let loaded: Promise<Loaded> | undefined;
  let loadedAt = 0;

  function load(maxAge: number): Promise<Loaded> {
    const now = clock.now().getTime();
    if (loaded && now - loadedAt < maxAge) return loaded;
    loadedAt = now;
    loaded = loadKeys(db);
    loaded.catch(() => {
      loadedAt = 0;
    });
    return loaded;
  }

  return {
    current: async () => (await load(maxAgeMs)).current,
    findPublic: async (kid) =>
      (await load(maxAgeMs)).publicKeys.get(kid) ?? (await load(retryAfterMs)).publicKeys.get(kid),
    publicJwks: async () => (await load(0)).jwks,
  };
}

export async function rotateSigningKey(pool: DatabasePool): Promise<string> {
  const key = await newSigningKey();
  await replaceSigningKey(pool, key);
  return key.kid;
}

async function loadKeys(db: Database): Promise<Loaded> {
  let rows = await listSigningKeys(db);
  if (!rows[0]?.privateJwk) {
    await addFirstSigningKey(db, await newSigningKey());
    rows = await listSigningKeys(db);
  }
  const current = rows[0];
  if (!current?.privateJwk) throw new Error('There is no signing key');
  const publicKeys = new Map<string, CryptoKey>();
  for (const { kid, publicJwk } of rows) publicKeys.set(kid, await toCryptoKey(publicJwk));
  return {
    current: { kid: current.kid, privateKey: await toCryptoKey(current.privateJwk) },
    publicKeys,
    jwks: rows.map((row) => row.publicJwk),
  };
}

async function toCryptoKey(jwk: JWK): Promise<CryptoKey> {
  return (await importJWK(jwk, signingAlgorithm)) as CryptoKey;
}

async function newSigningKey(): Promise<SigningKeyRow> {
  const { publicKey, privateKey } = await generateKeyPair(signingAlgorithm, { extractable: true });
  const kid = newId();
  const published = { kid, use: 'sig', alg: signingAlgorithm };
  return {
    kid,
    publicJwk: { ...(await exportJWK(publicKey)), ...published },
    privateJwk: { ...(await exportJWK(privateKey)), ...published },
  };
}
