import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Database } from '../store/database.ts';
import { sharedSecret } from '../store/server-secrets.ts';

export const xsrfCookieName = 'XSRF-TOKEN';
export const xsrfCookieSeconds = 24 * 60 * 60;

/** Cookie values that carry the time of their making and our signature over it. */
export type XsrfCookies = {
  issue(now: Date): string;
  accepts(value: string, now: Date): boolean;
};

export async function xsrfCookies(db: Database): Promise<XsrfCookies> {
  const key = await sharedSecret(db, 'xsrf', randomBytes(32));
  const sign = (content: string) => createHmac('sha256', key).update(content).digest();

  // All answers of one second carry the same value: it is bound to the time and to nobody.
  let latest = { second: -1, value: '' };

  return {
    issue(now) {
      const second = Math.floor(now.getTime() / 1000);
      if (second !== latest.second) {
        const content = `${second.toString(36)}.${randomBytes(12).toString('base64url')}`;
        latest = { second, value: `${content}.${sign(content).toString('base64url')}` };
      }
      return latest.value;
    },
    accepts(value, now) {
      const [, content, time, signature] = /^(([0-9a-z]{1,10})\.[\w-]{16})\.([\w-]{43})$/.exec(value) ?? [];
      if (!content || !time || !signature) return false;
      if (!timingSafeEqual(Buffer.from(signature, 'base64url'), sign(content))) return false;
      const ageSeconds = now.getTime() / 1000 - Number.parseInt(time, 36);
      return ageSeconds >= -60 && ageSeconds < xsrfCookieSeconds;
    },
  };
}
