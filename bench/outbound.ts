import { v7 as newId } from 'uuid';
import type { OutboundCall } from '../src/domain/call.ts';
import { compare, type Measure } from './figure.ts';
import { withClient } from './harness/contact-load.ts';
import { during, loadHttp, postRequest } from './harness/http-load.ts';
import { interleave } from './harness/interleave.ts';
import { fetchToken, tokenForm, withService } from './harness/service.ts';
import { loadStatement } from './harness/statement-load.ts';

const connections = 32;
const rounds = 5;
const roundMs = 5_000;
const warmUpMs = 10_000;
const variety = 1_000;

/** Durably accepted calls a second, beside the bare insert of a row. */
export const measureOutbound: Measure = ({ signal }) =>
  withService({ signal }, async ({ port, credentials, databaseUrl }) => {
    const { fromPhoneNumber } = credentials;
    const token = await fetchToken(port, '/oauth2/token', tokenForm(credentials));
    const calls = Array.from({ length: variety }, (_, index) => newCall(fromPhoneNumber, index));
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const requests = calls.map((call) => postRequest('/outbound', headers, JSON.stringify(call)));
    const { accountId, agentId } = await ownerOf(databaseUrl, fromPhoneNumber);

    const overHttp = (ms: number) => loadHttp({ port, connections, next: during(ms, () => pick(requests)), signal });
    const bare = (ms: number) =>
      loadStatement({
        url: databaseUrl,
        connections,
        statement,
        next: during(ms, () => valuesOf(pick(calls), accountId, agentId)),
        signal,
      });

    await overHttp(warmUpMs);
    await bare(warmUpMs);
    const rates = await interleave(rounds, { ours: () => overHttp(roundMs), bare: () => bare(roundMs) }, signal);
    return [
      compare({ name: 'POST /outbound', unit: 'calls/s', goal: 0.75 }, rates.ours, {
        name: 'bare insert',
        rounds: rates.bare,
      }),
    ];
  });

/** One row, everything known: what storing a call costs without deciding whether it may be placed. */
const statement = {
  name: 'bare-insert',
  text: `INSERT INTO calls (id, account_id, agent_id, name, to_phone_number, from_phone_number, intro_notes,
    custom_questions, form_info) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
};

function valuesOf(call: OutboundCall, accountId: string, agentId: string): unknown[] {
  const { name, toPhoneNumber, fromPhoneNumber, introNotes, customQuestions, formInfo } = call;
  const form = JSON.stringify(formInfo);
  return [newId(), accountId, agentId, name, toPhoneNumber, fromPhoneNumber, introNotes, customQuestions, form];
}

async function ownerOf(url: string, number: string): Promise<{ accountId: string; agentId: string }> {
  return withClient(url, async (client) => {
    const { rows } = await client.query('SELECT id, account_id FROM agents WHERE phone_number = $1', [number]);
    return { accountId: rows[0].account_id, agentId: rows[0].id };
  });
}

function newCall(fromPhoneNumber: string, index: number): OutboundCall {
  return {
    name: 'Ada Lovelace',
    toPhoneNumber: `+1202555${String(index).padStart(4, '0')}`,
    fromPhoneNumber,
    introNotes: 'She asked for a quote for a new roof last week. Ask whether it has arrived.',
    customQuestions: ['Did the quote arrive?', 'When may we visit?'],
    formInfo: [{ company: 'Acme' }, { city: 'Springfield' }],
  };
}

function pick<T>(elements: T[]): T {
  return elements[Math.floor(Math.random() * elements.length)] as T;
}
