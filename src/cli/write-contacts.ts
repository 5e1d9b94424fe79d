import { randomUUID } from 'node:crypto';
import type { ContactBatchResult, ContactInput } from '../domain/contact.ts';
import { readContactInputs } from '../domain/contact-batch.ts';
import { ask, refusal } from './ask-service.ts';
import { exitCode, Failure } from './failure.ts';
import { askUntilAnswered } from './retry.ts';

export type Verdict = { action: 'created' | 'updated' | 'valid' } | { action: 'failed'; code: string; message: string };

/** What becomes of each contact of a batch, in order. */
export type WriteContacts = (contacts: ContactInput[]) => Promise<Verdict[]>;

type Target = { url: string; apiKey: string; campaignId: string };
type Retrying = { signal: AbortSignal; onRetry: (reason: string, delayMs: number) => void };

/** Sends batches to the service, each under a key of its own, so that a repeated one is not done twice. */
export function contactWriter({ url, apiKey, campaignId }: Target, retrying: Retrying): WriteContacts {
  const run = randomUUID();
  const path = `/api/v1/campaigns/${campaignId}/contacts`;
  let batches = 0;

  return async function write(contacts): Promise<Verdict[]> {
    const headers = {
      'x-api-key': apiKey,
      'content-type': 'application/json',
      'idempotency-key': `${run}-${++batches}`,
    };
    const body = JSON.stringify({ contacts });
    const answer = await askUntilAnswered(() => ask(url, { method: 'POST', path, headers, body }), retrying);
    if (answer.status === 413) return writeSmaller(write, contacts);
    if (answer.status !== 200) throw refusal(url, answer);
    return toVerdicts(contacts, answer.body as ContactBatchResult);
  };
}

/** The service may be set to take less at once than we send. */
async function writeSmaller(write: WriteContacts, contacts: ContactInput[]): Promise<Verdict[]> {
  if (contacts.length === 1) {
    return [{ action: 'failed', code: 'payload_too_large', message: 'is larger than the service takes' }];
  }
  const half = Math.ceil(contacts.length / 2);
  return [...(await write(contacts.slice(0, half))), ...(await write(contacts.slice(half)))];
}

function toVerdicts(contacts: ContactInput[], { success, errors }: ContactBatchResult): Verdict[] {
  if (success.length + errors.length !== contacts.length) {
    throw new Failure(exitCode.failed, 'The service did not say what became of every contact.');
  }
  const failed = new Map(errors.map((error) => [error.index, error]));
  const succeeded = success.values();
  return contacts.map((_, index) => {
    const error = failed.get(index);
    if (error) return { action: 'failed', code: error.code, message: error.message };
    return { action: succeeded.next().value?.action === 'created' ? 'created' : 'updated' };
  });
}

/** A dry run: the service's own rules, without the service. */
export const checkContacts: WriteContacts = async (contacts) => {
  const failed = new Map(readContactInputs(contacts).errors.map((error) => [error.index, error]));
  return contacts.map((_, index) => {
    const error = failed.get(index);
    return error ? { action: 'failed', code: error.code, message: error.message } : { action: 'valid' };
  });
};
