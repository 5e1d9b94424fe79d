import { type DatabasePool, inTransaction } from './database.ts';
import { enqueueEvent } from './deliveries.ts';

export type OptOut = { accountId: string; callId: string; phoneNumber: string; campaignId: string | null };

/** From now on the account cannot call the number any more. It is told of once. */
export async function recordOptOut(pool: DatabasePool, optOut: OptOut): Promise<void> {
  const { accountId, callId, phoneNumber, campaignId } = optOut;
  await inTransaction(pool, async (db) => {
    const { rowCount } = await db.query(
      `INSERT INTO opt_outs (account_id, phone_number, call_id) VALUES ($1, $2, $3)
       ON CONFLICT (account_id, phone_number) DO NOTHING`,
      [accountId, phoneNumber, callId],
    );
    if (rowCount === 0) return;
    const data = { phoneNumber, callId, campaignId };
    await enqueueEvent(db, { accountId, type: 'contact.opted_out', data, id: `${callId}-opted-out` });
  });
}
