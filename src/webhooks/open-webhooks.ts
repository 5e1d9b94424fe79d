import type { Clock } from '../clock.ts';
import { isPublicAddress } from '../domain/public-address.ts';
import type { DatabasePool } from '../store/database.ts';
import {
  type ClaimedDelivery,
  claimDeliveries,
  deliveriesChannel,
  finishDelivery,
  forgetOldDeliveries,
} from '../store/deliveries.ts';
import { listen } from '../store/listen.ts';
import { sealingKey } from '../store/sealed.ts';
import { DeliveryWorker, type Limits } from './deliver.ts';
import { judgeAttempt } from './judge-attempt.ts';
import { type PostResult, post } from './post.ts';
import { type Resolve, resolveLocal, resolvePublic } from './resolve.ts';
import { signWebhook } from './sign.ts';

const housekeepingEveryMs = 60 * 60_000;

// All the webhooks that one account may have, all of them slow, leave room for others.
const usualLimits: Limits = { total: 100, perEndpoint: 4 };

type Options = {
  db: DatabasePool;
  clock: Clock;
  /** Whether webhooks may lead into the operator's own network. */
  allowPrivate: boolean;
  onError: (error: unknown) => void;
  resolve?: Resolve;
  limits?: Limits;
};

export type Webhooks = {
  /** Takes no more deliveries and waits for those under way, as long as a post may take. */
  close(): Promise<void>;
};

/** Delivers what `enqueueEvent` wrote, here or in any other process on this database. */
export async function openWebhooks(options: Options): Promise<Webhooks> {
  const { db, clock, allowPrivate, onError, limits = usualLimits } = options;
  const key = await sealingKey(db);
  const postOptions = {
    resolve: options.resolve ?? (allowPrivate ? resolveLocal : resolvePublic),
    isAllowed: allowPrivate ? () => true : isPublicAddress,
  };

  async function send({ eventId, secrets, body, url }: ClaimedDelivery): Promise<PostResult> {
    if (secrets.length === 0) return { status: null, error: 'The secret cannot be read: rotate it.' };
    const headers = signWebhook({ id: eventId, sentAt: clock.now(), body }, secrets);
    return post(url, headers, body, postOptions);
  }

  const worker = new DeliveryWorker<ClaimedDelivery>({
    claim: (limit, underWay) =>
      claimDeliveries(db, { now: clock.now(), sealingKey: key, limit, perEndpoint: limits.perEndpoint, underWay }),
    deliver: async (delivery) => {
      const answer = await send(delivery);
      const context = { now: clock.now(), random: Math.random };
      await finishDelivery(db, delivery, judgeAttempt(answer, delivery.attempts, context));
    },
    limits,
    clock,
    onError,
  });
  const listener = listen(db, deliveriesChannel, { onNotify: () => worker.wake(), onError });
  const housekeeping = setInterval(() => void forgetOldDeliveries(db).catch(onError), housekeepingEveryMs).unref();

  return {
    async close() {
      clearInterval(housekeeping);
      await Promise.all([worker.close(), listener.close()]);
    },
  };
}
