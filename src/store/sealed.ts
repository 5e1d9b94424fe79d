import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { Database } from './database.ts';
import { sharedSecret } from './server-secrets.ts';

const nonceBytes = 12;
const tagBytes = 16;

/** The key under which secrets are stored that must be read again. */
export async function sealingKey(db: Database): Promise<Buffer> {
  return sharedSecret(db, 'sealing', randomBytes(32));
}

/** AES-256-GCM. `owner` is bound to it: moved to another row, the secret does not open. */
export function seal(key: Buffer, secret: string, owner: string): Buffer {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(owner));
  const sealed = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed]);
}

/** The secret, or undefined if it was sealed under another key or for another owner. */
export function unseal(key: Buffer, sealed: Buffer, owner: string): string | undefined {
  try {
    const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, nonceBytes), { authTagLength: tagBytes })
      .setAAD(Buffer.from(owner))
      .setAuthTag(sealed.subarray(nonceBytes, nonceBytes + tagBytes));
    return decipher.update(sealed.subarray(nonceBytes + tagBytes), undefined, 'utf8') + decipher.final('utf8');
  } catch {
    return undefined;
  }
}
