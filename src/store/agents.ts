import { v7 as newId } from 'uuid';
import type { Agent, AgentInput, AgentPatch } from '../domain/agent.ts';
import type { Database } from './database.ts';
import { isUniqueViolation, type Page } from './page.ts';

const columns = `id, phone_number, name, company, voice, language, default_questions, default_rules,
  max_calls, created_at, updated_at`;

/** The new agent, or undefined when the account already has one with that number. */
export async function createAgent(db: Database, accountId: string, agent: AgentInput): Promise<Agent | undefined> {
  try {
    const { rows } = await db.query(
      `INSERT INTO agents (id, account_id, phone_number, name, company, voice, language, default_questions,
         default_rules, max_calls)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) RETURNING ${columns}`,
      [
        newId(),
        accountId,
        agent.phoneNumber,
        agent.name,
        agent.company,
        agent.voice,
        agent.language,
        agent.defaultQuestions,
        agent.defaultRules,
        agent.maxCalls,
      ],
    );
    return toAgent(rows[0]);
  } catch (error) {
    if (isUniqueViolation(error, 'agents_phone_number')) return undefined;
    throw error;
  }
}

export async function listAgents(db: Database, accountId: string, page: Page): Promise<Agent[]> {
  const { rows } = await db.query(
    `SELECT ${columns} FROM agents
     WHERE account_id = $1 AND deleted_at IS NULL AND ($2::uuid IS NULL OR id < $2)
     ORDER BY id DESC LIMIT $3`,
    [accountId, page.after, page.limit],
  );
  return rows.map(toAgent);
}

export async function findAgent(db: Database, accountId: string, id: string): Promise<Agent | undefined> {
  const { rows } = await db.query(
    `SELECT ${columns} FROM agents WHERE account_id = $1 AND id = $2 AND deleted_at IS NULL`,
    [accountId, id],
  );
  return rows[0] && toAgent(rows[0]);
}

export async function patchAgent(
  db: Database,
  accountId: string,
  id: string,
  patch: AgentPatch,
): Promise<Agent | 'not_found' | 'phone_number_taken'> {
  try {
    const { rows } = await db.query(
      `UPDATE agents SET
         phone_number = coalesce($3, phone_number), name = coalesce($4, name), company = coalesce($5, company),
         voice = coalesce($6, voice), language = coalesce($7, language),
         default_questions = coalesce($8, default_questions), default_rules = coalesce($9, default_rules),
         max_calls = CASE WHEN $10 THEN $11::integer ELSE max_calls END, updated_at = now()
       WHERE account_id = $1 AND id = $2 AND deleted_at IS NULL RETURNING ${columns}`,
      [
        accountId,
        id,
        patch.phoneNumber,
        patch.name,
        patch.company,
        patch.voice,
        patch.language,
        patch.defaultQuestions,
        patch.defaultRules,
        patch.maxCalls !== undefined,
        patch.maxCalls,
      ],
    );
    return rows[0] ? toAgent(rows[0]) : 'not_found';
  } catch (error) {
    if (isUniqueViolation(error, 'agents_phone_number')) return 'phone_number_taken';
    throw error;
  }
}

/** Its campaigns are then without an agent. */
export async function deleteAgent(
  db: Database,
  accountId: string,
  id: string,
): Promise<'deleted' | 'not_found' | 'has_unfinished_calls'> {
  const { rows } = await db.query(
    `WITH busy AS (SELECT 1 FROM calls WHERE account_id = $1 AND agent_id = $2 AND status <> 'ended' LIMIT 1),
     deleted AS (UPDATE agents SET deleted_at = now()
       WHERE account_id = $1 AND id = $2 AND deleted_at IS NULL AND NOT EXISTS (SELECT FROM busy) RETURNING id),
     orphaned AS (UPDATE campaigns c SET agent_id = NULL, updated_at = now() FROM deleted
       WHERE c.account_id = $1 AND c.agent_id = deleted.id)
     SELECT EXISTS (SELECT FROM busy) AS busy, EXISTS (SELECT FROM deleted) AS deleted`,
    [accountId, id],
  );
  if (rows[0].deleted) return 'deleted';
  return rows[0].busy ? 'has_unfinished_calls' : 'not_found';
}

// biome-ignore lint/suspicious/noExplicitAny: a row is typed by what becomes of it
function toAgent(row: any): Agent {
  return {
    agentId: row.id,
    phoneNumber: row.phone_number,
    name: row.name,
    company: row.company,
    voice: row.voice,
    language: row.language,
    defaultQuestions: row.default_questions,
    defaultRules: row.default_rules,
    maxCalls: row.max_calls,
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
  };
}
