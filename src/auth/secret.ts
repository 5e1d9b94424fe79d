import { createHash, randomBytes } from 'node:crypto';

/** 256 random bits behind a name that tells leaked secrets apart and lets scanners find them. */
export function newSecret(kind: 'secret' | 'key' | 'admin'): string {
  return `parley_${kind}_${randomBytes(32).toString('base64url')}`;
}

/** As Standard Webhooks has it: symmetric, so that the receiver verifies with what we sign with. */
export function newWebhookSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`;
}

export function newClientId(): string {
  return randomBytes(13).toString('hex');
}

/** One round of SHA-256 suffices for a secret that nobody can guess; it is all the database knows. */
export function hashSecret(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}
