import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { newWebhookSecret } from '../auth/secret.ts';
import { signWebhook } from './sign.ts';

const body = '{"type":"call.ended","data":{"name":"Zoë 🙂"}}';

describe('signWebhook', () => {
  it('gives the known signature of the specification', () => {
    const message = {
      id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      sentAt: new Date(1_614_265_330_000),
      body: '{"test": 2432232314}',
    };
    assert.deepEqual(signWebhook(message, ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw']), {
      'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      'webhook-timestamp': '1614265330',
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    });
  });

  it("is accepted by the receivers' library, and nothing that was changed is", () => {
    const secret = newWebhookSecret();
    const headers = signWebhook({ id: 'evt', sentAt: new Date(), body }, [secret]);
    const receiver = new Webhook(secret);
    assert.deepEqual(receiver.verify(body, headers), JSON.parse(body));
    assert.throws(() => receiver.verify(`${body} `, headers));
    assert.throws(() => receiver.verify(body, { ...headers, 'webhook-id': 'other' }));
    assert.throws(() => receiver.verify(body, { ...headers, 'webhook-timestamp': String(Date.now() / 1000 - 60) }));
    assert.throws(() => new Webhook(newWebhookSecret()).verify(body, headers));
  });

  it('signs with both secrets while one replaces the other', () => {
    const [current, previous] = [newWebhookSecret(), newWebhookSecret()];
    const headers = signWebhook({ id: 'evt', sentAt: new Date(), body }, [current, previous]);
    for (const secret of [current, previous]) new Webhook(secret).verify(body, headers);
  });
});
