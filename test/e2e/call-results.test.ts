import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import pg from 'pg';
import { forgetOldCommands, takeCommands } from '../../src/store/call-commands.ts';
import { addCallEvent, callEventsAfter } from '../../src/store/call-events.ts';
import { enqueueEvent } from '../../src/store/deliveries.ts';
import { deleteErasedRecordings } from '../../src/store/recordings.ts';
import { scratchFolder } from '../harness/command.ts';
import { send, startService, type Tenant } from '../harness/service.ts';
import { completed, ended, insertCall, live } from '../harness/stored-calls.ts';

const recordings = await scratchFolder();
const service = await startService({ env: { PARLEY_RECORDINGS_DIR: recordings } });
const { db, tenant } = service;

function api(
  method: string,
  path: string,
  options: { json?: unknown; headers?: Record<string, string>; as?: Tenant } = {},
) {
  const { json, headers, as = tenant } = options;
  return send(method, `${service.url}/api/v1${path}`, {
    headers: { 'x-api-key': as.apiKey, ...headers },
    ...(json !== undefined && { json }),
  });
}

/** The account's events of a call, in order. */
const eventsOf = (callId: string) =>
  callEventsAfter(db, { accountId: tenant.accountId, callId, after: '0', limit: 100 });

describe('GET /api/v1/calls/{callId} of a call that has ended', () => {
  it('shows everything that the conversation left', async () => {
    const callId = await insertCall(db, tenant, { ...ended(), has_recording: true });
    const { body } = await api('GET', `/calls/${callId}`);
    assert.deepEqual(body.outcome, completed);
    assert.equal(body.transcript.length, 4);
    assert.equal(body.answers[0].value, 12);
    assert.deepEqual(body.rules, [{ rule: 'Be kind.', kept: true, turn: null }]);
    assert.equal(body.summary, 'Ada needs twelve seats.');
    assert.equal(body.recordingUrl, `/api/v1/calls/${callId}/recording`);
    assert.equal(body.latency.audioMs.p95, 600);
    assert.equal(body.quality.codec, 'PCMU');
    assert.equal(body.callbackAt, '2026-03-02T09:00:00.000Z');
    assert.equal(body.notes.length, 1);
    assert.equal('erasedAt' in body, false);
  });
});

describe('GET /api/v1/calls/{callId}/transcript', () => {
  it('is JSON unless plain text is wanted more', async () => {
    const callId = await insertCall(db, tenant, ended());
    for (const accept of [
      undefined,
      '*/*',
      'application/json',
      'application/json, text/plain, */*',
      'application/json, text/plain;q=0.9',
      'text/plain;q=0',
      'text/html',
    ]) {
      const { status, headers, body } = await api('GET', `/calls/${callId}/transcript`, {
        headers: accept === undefined ? {} : { accept },
      });
      assert.equal(status, 200);
      assert.match(headers.get('content-type') ?? '', /^application\/json/, accept);
      assert.deepEqual(Object.keys(body), ['callId', 'transcript']);
      assert.equal(body.transcript[3].text, 'Twelve, I think.');
    }
  });

  it('as plain text has a line for each turn, with time and speaker', async () => {
    const callId = await insertCall(db, tenant, ended());
    for (const accept of ['text/plain', 'text/plain, */*', 'application/json;q=0.5, Text/Plain; q=0.6']) {
      const { headers, body } = await api('GET', `/calls/${callId}/transcript`, { headers: { accept } });
      assert.equal(headers.get('content-type'), 'text/plain; charset=utf-8');
      assert.equal(headers.get('vary'), 'accept');
      assert.deepEqual(body.split('\n'), [
        '[00:00] Assistant: Hello Ada, this is [interrupted]',
        '[00:01] Callee: Yes, hello?',
        '[00:03] Assistant: How many seats do you need?',
        '[01:03] Callee: Twelve, I think.',
        '',
      ]);
    }
  });

  it('is empty where nobody spoke yet', async () => {
    const callId = await insertCall(db, tenant, live('ringing'));
    assert.deepEqual((await api('GET', `/calls/${callId}/transcript`)).body, { callId, transcript: [] });
    const asText = await api('GET', `/calls/${callId}/transcript`, { headers: { accept: 'text/plain' } });
    assert.deepEqual([asText.status, asText.body], [200, '']);
  });
});

describe('GET /api/v1/calls/{callId}/recording', () => {
  const sound = randomBytes(300_000);

  async function recorded(): Promise<string> {
    const callId = await insertCall(db, tenant, { ...ended(), has_recording: true });
    const file = join(recordings, `${callId}.wav`);
    await writeFile(file, sound);
    await utimes(file, new Date('2026-03-01T12:03:09Z'), new Date('2026-03-01T12:03:09Z'));
    return callId;
  }

  async function listen(callId: string, headers: Record<string, string> = {}, method = 'GET') {
    const response = await fetch(`${service.url}/api/v1/calls/${callId}/recording`, {
      method,
      headers: { 'x-api-key': tenant.apiKey, ...headers },
    });
    return { status: response.status, headers: response.headers, bytes: Buffer.from(await response.arrayBuffer()) };
  }

  it('is the whole WAV file', async () => {
    const { status, headers, bytes } = await listen(await recorded());
    assert.equal(status, 200);
    assert.equal(headers.get('content-type'), 'audio/wav');
    assert.equal(headers.get('content-length'), '300000');
    assert.equal(headers.get('accept-ranges'), 'bytes');
    assert.match(headers.get('cache-control') ?? '', /\bprivate\b/);
    assert.equal(headers.get('last-modified'), 'Sun, 01 Mar 2026 12:03:09 GMT');
    assert.ok(bytes.equals(sound));
  });

  it('is described by HEAD, which takes no range', async () => {
    const { status, headers, bytes } = await listen(await recorded(), { range: 'bytes=0-9' }, 'HEAD');
    assert.deepEqual([status, headers.get('content-length'), bytes.length], [200, '300000', 0]);
    assert.equal(headers.get('content-type'), 'audio/wav');
    assert.ok(headers.get('etag'));
  });

  for (const [range, start, end] of [
    ['bytes=0-0', 0, 0],
    ['bytes=100-199999', 100, 199_999],
    ['bytes=299990-', 299_990, 299_999],
    ['bytes=299990-999999', 299_990, 299_999],
    ['bytes=-10', 299_990, 299_999],
    ['bytes=-999999', 0, 299_999],
  ] as const) {
    it(`206 for ${range}`, async () => {
      const { status, headers, bytes } = await listen(await recorded(), { range });
      assert.equal(status, 206);
      assert.equal(headers.get('content-range'), `bytes ${start}-${end}/300000`);
      assert.equal(headers.get('content-length'), String(end - start + 1));
      assert.ok(bytes.equals(sound.subarray(start, end + 1)));
    });
  }

  for (const range of ['bytes=5-2', 'bytes=0-1,5-6', 'seconds=0-1', 'bytes=abc']) {
    it(`200 with all of it for ${range}, which is not understood`, async () => {
      const { status, bytes } = await listen(await recorded(), { range });
      assert.deepEqual([status, bytes.length], [200, 300_000]);
    });
  }

  for (const range of ['bytes=300000-', 'bytes=-0']) {
    it(`416 for ${range}`, async () => {
      const { status, headers, bytes } = await listen(await recorded(), { range });
      assert.equal(status, 416);
      assert.equal(headers.get('content-range'), 'bytes */300000');
      assert.match(headers.get('content-type') ?? '', /problem\+json/);
      assert.equal(JSON.parse(String(bytes)).code, 'range_not_satisfiable');
    });
  }

  it('honours If-Range: a part of the same recording, else all of it', async () => {
    const callId = await recorded();
    const { headers } = await listen(callId, {}, 'HEAD');
    const etag = headers.get('etag') ?? '';
    const range = 'bytes=0-9';
    for (const [ifRange, status] of [
      [etag, 206],
      [headers.get('last-modified') ?? '', 206],
      ['"another"', 200],
      [`W/${etag}`, 200],
      ['Sun, 01 Mar 2026 12:03:10 GMT', 200],
    ] as const) {
      assert.equal((await listen(callId, { range, 'if-range': ifRange })).status, status, ifRange);
    }
  });

  it('304 for whoever has it already', async () => {
    const callId = await recorded();
    const etag = (await listen(callId, {}, 'HEAD')).headers.get('etag') ?? '';
    for (const [known, status] of [
      [etag, 304],
      [`"x", W/${etag}`, 304],
      ['*', 304],
      ['"x"', 200],
    ] as const) {
      const { status: answered, bytes } = await listen(callId, { 'if-none-match': known });
      assert.deepEqual([answered, bytes.length], [status, status === 304 ? 0 : 300_000]);
    }
  });

  it('404 says whether it is not there yet, not at all, or elsewhere', async () => {
    for (const [columns, code, detail] of [
      [live('in_progress'), 'no_recording', /has not ended/],
      [ended(), 'no_recording', /has no recording/],
      [{ ...ended(), has_recording: true }, 'recording_elsewhere', /not on this machine.*PARLEY_RECORDINGS_DIR/],
    ] as const) {
      const { status, body } = await api('GET', `/calls/${await insertCall(db, tenant, columns)}/recording`);
      assert.deepEqual([status, body.code], [404, code]);
      assert.match(body.detail, detail);
    }
  });

  it('404 for another account, as if there were no such call', async () => {
    const callId = await recorded();
    const { status, body } = await api('GET', `/calls/${callId}/recording`, { as: await service.newTenant() });
    assert.deepEqual([status, body.code], [404, 'not_found']);
  });

  it('of no bytes is an empty body', async () => {
    const callId = await recorded();
    await writeFile(join(recordings, `${callId}.wav`), '');
    assert.deepEqual((({ status, bytes }) => [status, bytes.length])(await listen(callId)), [200, 0]);
    assert.equal((await listen(callId, { range: 'bytes=0-' })).status, 416);
  });
});

describe('POST /api/v1/calls/{callId}/hangup', () => {
  it('cancels a call that was not dialled yet, and says so to webhooks and those who watch', async () => {
    const callId = await insertCall(db, tenant);
    const json = { url: 'https://example.com/', events: ['call.ended'] };
    const { body: webhook } = await api('POST', '/webhooks', { json });
    const { status, body } = await api('POST', `/calls/${callId}/hangup`);
    assert.equal(status, 200);
    assert.deepEqual([body.status, body.outcome.kind, body.outcome.endedBy], ['ended', 'cancelled', 'operator']);
    const { body: deliveries } = await api('GET', `/webhooks/${webhook.webhookId}/deliveries`);
    assert.equal(deliveries.data[0].eventId, `${callId}-ended`);
    assert.deepEqual(
      (await eventsOf(callId)).map(({ event }) => event),
      [{ type: 'ended', outcome: body.outcome }],
    );
    assert.equal((await api('POST', `/calls/${callId}/hangup`)).status, 409);
  });

  for (const status of ['dialing', 'ringing', 'in_progress'] as const) {
    it(`tells the node that has a call which is ${status}`, async () => {
      const nodeId = randomUUID();
      const callId = await insertCall(db, tenant, live(status, nodeId));
      const told = await notified('call_commands', () => api('POST', `/calls/${callId}/hangup`));
      assert.equal(told.payload, nodeId);
      assert.deepEqual([told.answer.status, told.answer.body.status], [202, status]);
      assert.deepEqual(await takeCommands(db, nodeId), [{ callId, command: { kind: 'hang-up' } }]);
      assert.deepEqual(await takeCommands(db, nodeId), []);
    });
  }

  it('409 for a call that has ended, 404 for one of another account', async () => {
    const callId = await insertCall(db, tenant, ended());
    const { status, body } = await api('POST', `/calls/${callId}/hangup`);
    assert.deepEqual([status, body.code], [409, 'call_not_live']);
    const stranger = await service.newTenant();
    for (const columns of [{}, live('ringing'), ended()]) {
      const strange = await insertCall(db, tenant, columns);
      assert.equal((await api('POST', `/calls/${strange}/hangup`, { as: stranger })).status, 404);
      const { rows } = await db.query('SELECT count(*)::int AS n FROM call_commands WHERE call_id = $1', [strange]);
      assert.equal(rows[0].n, 0);
    }
  });
});

describe('POST /api/v1/calls/{callId}/say', () => {
  it('202: the node gets the texts in order, each once, and only of its own calls', async () => {
    const nodeId = randomUUID();
    const callId = await insertCall(db, tenant, live('in_progress', nodeId));
    const elsewhere = await insertCall(db, tenant, live('in_progress'));
    const texts = ['One moment, please.', 'Grüße 👋', 'x'.repeat(1_000)];
    await api('POST', `/calls/${elsewhere}/say`, { json: { text: 'Elsewhere.' } });
    for (const text of texts) {
      const { status, body } = await api('POST', `/calls/${callId}/say`, { json: { text } });
      assert.deepEqual([status, body.callId, body.status], [202, callId, 'in_progress']);
    }
    await api('POST', `/calls/${callId}/hangup`);
    assert.deepEqual(await takeCommands(db, nodeId), [
      ...texts.map((text) => ({ callId, command: { kind: 'say', text } })),
      { callId, command: { kind: 'hang-up' } },
    ]);
    assert.deepEqual(await takeCommands(db, nodeId), []);
  });

  it('409 where nobody would hear it', async () => {
    for (const columns of [{}, live('dialing'), live('ringing'), ended()]) {
      const callId = await insertCall(db, tenant, columns);
      const { status, body } = await api('POST', `/calls/${callId}/say`, { json: { text: 'Hello' } });
      assert.deepEqual([status, body.code], [409, 'call_not_in_progress']);
    }
  });

  it('400 for a text that is missing, empty, too long or no text', async () => {
    const callId = await insertCall(db, tenant, live('in_progress'));
    for (const json of [{}, { text: '' }, { text: 'x'.repeat(1_001) }, { text: 'a\r\nb' }, { text: 1 }]) {
      const { status, body } = await api('POST', `/calls/${callId}/say`, { json });
      assert.deepEqual([status, body.errors[0].path], [400, 'text']);
    }
  });

  it('is never in the log', async () => {
    const callId = await insertCall(db, tenant, live('in_progress'));
    await api('POST', `/calls/${callId}/say`, { json: { text: 'Unmistakable words' } });
    assert.ok(service.logged.length > 0);
    assert.equal(
      service.logged.some((line) => line.includes('Unmistakable')),
      false,
    );
  });
});

describe('forgetting old commands', () => {
  it('leaves those of calls under way', async () => {
    const callIds = [
      await insertCall(db, tenant, live('in_progress')),
      await insertCall(db, tenant, live('in_progress')),
    ];
    for (const callId of callIds) await api('POST', `/calls/${callId}/hangup`);
    await db.query(`UPDATE calls SET status = 'ended', node_id = NULL, ended_at = now(), outcome = $2 WHERE id = $1`, [
      callIds[0],
      completed,
    ]);
    await forgetOldCommands(db);
    const { rows } = await db.query('SELECT call_id FROM call_commands WHERE call_id = ANY ($1)', [callIds]);
    assert.deepEqual(rows, [{ call_id: callIds[1] }]);
  });
});

describe('DELETE /api/v1/calls/{callId}/data', () => {
  const personal = {
    name: 'Perdita Personal',
    to_phone_number: '+12025550177',
    form_info: JSON.stringify([{ company: 'Personal Ltd' }]),
    intro_notes: 'Personal notes',
    intro_message: 'Personal message',
    intro_voicemail: 'Personal voicemail',
    custom_questions: ['Personal question?'],
    custom_rules: ['Personal rule.'],
    notes: ['Personal note'],
    has_recording: true,
  };

  it('leaves nothing of the person, neither in the database nor on disk', async () => {
    const owner = await service.newTenant();
    const { accountId } = owner;
    const callId = await insertCall(db, owner, { ...ended(), ...personal });
    const file = join(recordings, `${callId}.wav`);
    await writeFile(file, 'sound');
    await api('POST', '/webhooks', { as: owner, json: { url: 'https://example.com/' } });
    const data = { callId, name: personal.name };
    await enqueueEvent(db, { accountId, type: 'call.answered', data, id: `${callId}-answered` });
    await enqueueEvent(db, { accountId, type: 'call.ended', data, id: `${callId}-ended` });
    await db.query(`UPDATE deliveries SET last_response = 'Thanks, Perdita Personal' WHERE account_id = $1`, [
      accountId,
    ]);
    const other = await insertCall(db, owner, { ...ended(), ...personal, has_recording: false });
    await enqueueEvent(db, { accountId, type: 'call.ended', data: { callId: other }, id: `${other}-ended` });
    const said = { speaker: 'callee', text: 'Personal', startMs: 0, endMs: 1, interrupted: false } as const;
    await addCallEvent(db, { accountId, callId, event: { type: 'utterance', turn: 0, ...said } });
    await db.query('INSERT INTO opt_outs (account_id, phone_number, call_id) VALUES ($1, $2, $3)', [
      accountId,
      personal.to_phone_number,
      callId,
    ]);

    const { status, body } = await api('DELETE', `/calls/${callId}/data`, { as: owner });
    assert.deepEqual([status, body], [204, '']);
    assert.equal(existsSync(file), false);
    const tables = ['calls', 'deliveries', 'call_events', 'call_commands'].map((table) =>
      db.query(`SELECT row_to_json(t)::text AS row FROM ${table} t WHERE row_to_json(t)::text LIKE $1`, [
        `%${callId}%`,
      ]),
    );
    const left = (await Promise.all(tables)).flatMap(({ rows }) => rows.map(({ row }) => row)).join('\n');
    assert.doesNotMatch(left, /Personal|\+12025550177|Twelve|twelve|seats/);

    const { body: call } = await api('GET', `/calls/${callId}`, { as: owner });
    assert.ok(call.erasedAt);
    assert.deepEqual([call.name, call.toPhoneNumber, call.formInfo], [null, null, []]);
    assert.deepEqual([call.transcript, call.answers, call.rules, call.notes], [[], [], [], []]);
    assert.deepEqual([call.summary, call.latency, call.callbackAt, call.recordingUrl], [null, null, null, null]);
    assert.deepEqual([call.outcome, call.answeredAt], [completed, '2026-03-01T12:01:52.310Z']);
    assert.ok(call.quality);

    const { rows } = await db.query(
      'SELECT event_id, type, state, payload FROM deliveries WHERE account_id = $1 ORDER BY id',
      [accountId],
    );
    assert.deepEqual(
      rows.map((row) => row.event_id),
      [`${callId}-answered`, `${callId}-ended`, `${other}-ended`],
    );
    for (const { type, state, payload } of rows.slice(0, 2)) {
      assert.equal(state, 'pending');
      const { timestamp, ...rest } = payload;
      assert.ok(Date.parse(timestamp));
      assert.deepEqual(rest, { type, data: { callId, erasedAt: call.erasedAt } });
    }
    assert.deepEqual(rows[2].payload.data, { callId: other });
    assert.equal((await api('GET', `/calls/${other}`, { as: owner })).body.name, personal.name);
    const optOuts = await db.query('SELECT phone_number FROM opt_outs WHERE account_id = $1', [accountId]);
    assert.deepEqual(optOuts.rows, [{ phone_number: personal.to_phone_number }]);
    assert.equal((await api('GET', `/calls/${callId}/recording`, { as: owner })).body.code, 'no_recording');
  });

  it('twice is the same as once', async () => {
    const callId = await insertCall(db, tenant, ended());
    await api('DELETE', `/calls/${callId}/data`);
    const first = await api('GET', `/calls/${callId}`);
    assert.equal((await api('DELETE', `/calls/${callId}/data`)).status, 204);
    assert.deepEqual((await api('GET', `/calls/${callId}`)).body, first.body);
  });

  it('409 for a call that has not ended, 404 for one of another account; nothing is erased', async () => {
    for (const columns of [{}, live('dialing'), live('in_progress')]) {
      const callId = await insertCall(db, tenant, columns);
      const { status, body } = await api('DELETE', `/calls/${callId}/data`);
      assert.deepEqual([status, body.code], [409, 'call_not_ended']);
      assert.equal((await api('GET', `/calls/${callId}`)).body.name, 'Ada Lovelace');
    }
    const callId = await insertCall(db, tenant, { ...ended(), has_recording: true });
    await writeFile(join(recordings, `${callId}.wav`), 'sound');
    assert.equal((await api('DELETE', `/calls/${callId}/data`, { as: await service.newTenant() })).status, 404);
    assert.equal((await api('GET', `/calls/${callId}`)).body.name, 'Ada Lovelace');
    assert.equal((await api('GET', `/calls/${callId}/recording`)).status, 200);
  });

  it('leaves a recording on the disk of another process to that process', async () => {
    const elsewhere = join(recordings, 'elsewhere');
    await mkdir(elsewhere);
    const callIds = [];
    for (let i = 0; i < 2; i++) {
      const callId = await insertCall(db, tenant, { ...ended(), has_recording: true });
      await writeFile(join(elsewhere, `${callId}.wav`), 'sound');
      callIds.push(callId);
    }
    const [erased, kept] = callIds;
    assert.equal((await api('DELETE', `/calls/${erased}/data`)).status, 204);
    assert.equal((await api('GET', `/calls/${erased}`)).body.recordingUrl, null);
    await deleteErasedRecordings(db, elsewhere);
    assert.equal(existsSync(join(elsewhere, `${erased}.wav`)), false);
    assert.equal(existsSync(join(elsewhere, `${kept}.wav`)), true);
    const { rows } = await db.query('SELECT has_recording FROM calls WHERE id = $1', [erased]);
    assert.equal(rows[0].has_recording, false);
  });
});

/** What is notified on a channel while something is done. */
async function notified<T>(
  channel: string,
  act: () => Promise<T>,
): Promise<{ answer: T; payload: string | undefined }> {
  const client = new pg.Client(service.databaseUrl);
  await client.connect();
  await client.query(`LISTEN ${channel}`);
  const heard = once(client, 'notification');
  const answer = await act();
  const [{ payload }] = await heard;
  await client.end();
  return { answer, payload };
}
