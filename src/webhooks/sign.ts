import { createHmac } from 'node:crypto';

export type WebhookHeaders = { 'webhook-id': string; 'webhook-timestamp': string; 'webhook-signature': string };

/** The headers of Standard Webhooks 1.0.0: one signature for each secret, so that a receiver may know either. */
export function signWebhook(
  message: { id: string; sentAt: Date; body: string },
  secrets: readonly string[],
): WebhookHeaders {
  const timestamp = String(Math.floor(message.sentAt.getTime() / 1000));
  const content = `${message.id}.${timestamp}.${message.body}`;
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
    return `v1,${createHmac('sha256', key).update(content).digest('base64')}`;
  });
  return { 'webhook-id': message.id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') };
}
