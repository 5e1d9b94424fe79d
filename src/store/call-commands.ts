import { v7 as newId } from 'uuid';
import type { Database } from './database.ts';

/** Notified with the id of the node that has the call. */
export const callCommandsChannel = 'call_commands';

const live = `('dialing', 'ringing', 'in_progress')`;

/** What an operator wants of a call under way. */
export type CallCommand = { kind: 'hang-up' } | { kind: 'say'; text: string };

/** Only a conversation can be told what to say; a call can be hung up as soon as it is dialled. */
export async function sendCommand(
  db: Database,
  accountId: string,
  callId: string,
  command: CallCommand,
): Promise<'sent' | 'not_found' | 'not_live'> {
  const { rows } = await db.query(
    `WITH call AS (SELECT id, status, node_id FROM calls WHERE account_id = $1 AND id = $2),
     sent AS (INSERT INTO call_commands (id, call_id, kind, text)
       SELECT $3, id, $4, $5 FROM call WHERE status IN ${command.kind === 'say' ? `('in_progress')` : live}
       RETURNING call_id)
     SELECT sent.call_id, CASE WHEN sent.call_id IS NOT NULL THEN pg_notify('${callCommandsChannel}', node_id::text) END
     FROM call LEFT JOIN sent ON true`,
    [accountId, callId, newId(), command.kind, command.kind === 'say' ? command.text : null],
  );
  if (!rows[0]) return 'not_found';
  return rows[0].call_id === null ? 'not_live' : 'sent';
}

/** Takes what the calls of this node are told to do, in order; nobody gets it a second time. */
export async function takeCommands(db: Database, nodeId: string): Promise<{ callId: string; command: CallCommand }[]> {
  const { rows } = await db.query({
    name: 'take-commands',
    text: `WITH taken AS (
        DELETE FROM call_commands m USING calls c
        WHERE c.id = m.call_id AND c.node_id = $1 AND c.status IN ${live}
        RETURNING m.id, m.call_id, m.kind, m.text)
      SELECT call_id, kind, text FROM taken ORDER BY id`,
    values: [nodeId],
  });
  return rows.map((row) => ({
    callId: row.call_id,
    command: row.kind === 'say' ? { kind: 'say', text: row.text } : { kind: 'hang-up' },
  }));
}

/** Of calls that ended before they were told. */
export async function forgetOldCommands(db: Database): Promise<void> {
  await db.query(
    `DELETE FROM call_commands m
     WHERE NOT EXISTS (SELECT FROM calls c WHERE c.id = m.call_id AND c.status IN ${live})`,
  );
}
