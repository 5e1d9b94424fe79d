import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { gate } from '../../speech/cloud/testing/vendor-server.ts';
import { brief } from '../scripted/test-call.ts';
import { type Chat, says } from './testing/chat-server.ts';
import { ledCall } from './testing/led-call.ts';

const [first = '', second = '', third = ''] = brief.questions;
const fails = (chat: Chat) => chat.fail(500);
const hangs = () => {};
const soon = { timeoutMs: 1_000 };

describe('a model that fails', () => {
  it('is asked once more while nothing was said', async (t) => {
    const call = await ledCall(t, {}, fails, says(`Good. ${first}`));
    assert.equal((await call.hear('Yes.')).said, `Good. ${first}`);
    assert.deepEqual(call.mind.notes, []);
  });

  it('is asked once more when it shows no sign of life', async (t) => {
    const call = await ledCall(t, { options: { timeoutMs: 4_000 } }, hangs, says(`Good. ${first}`));
    assert.equal((await call.hear('Yes.')).said, `Good. ${first}`);
    await call.chats[0]?.closed;
  });

  for (const [name, answerers, options, note] of [
    ['an error twice', [fails, fails], {}, /failed: HTTP 500/],
    ['a refusal', [(chat: Chat) => chat.fail(401), (chat: Chat) => chat.fail(401)], {}, /unauthorised: HTTP 401/],
    ['no answer', [hangs, hangs], soon, /timeout/],
    ['empty answers', [says(''), says('')], {}, /empty/],
    ['a broken connection', [(chat: Chat) => chat.cut(), (chat: Chat) => chat.cut()], {}, /broken/],
  ] as const) {
    it(`gives the call to the script for good after ${name}`, async (t) => {
      const call = await ledCall(t, { options }, ...answerers);
      assert.equal((await call.hear('Sure.')).said, `Thank you. ${first}`);
      const asked = call.chats.length;
      assert.equal((await call.hear('Yes, we did.')).said, `Great. ${second}`);
      assert.equal(call.chats.length, asked);
      assert.equal(call.mind.notes.length, 1);
      assert.match(call.mind.notes[0] ?? '', note);
    });
  }

  it('has its answers kept by the script that goes on', async (t) => {
    const call = await ledCall(
      t,
      {},
      says(first, ['next_question', { question: 1 }]),
      says(
        `Good. ${third}`,
        ['record_answer', { question: 1, status: 'answered', words: 'Yes' }],
        ['next_question', { question: 3 }],
      ),
      fails,
      fails,
    );
    await call.hear('Sure.');
    await call.hear('Yes.');
    assert.equal((await call.hear('Five people.')).said, `Thank you. ${second}`);
    const { said, move } = await call.hear('Tomorrow at noon.');
    assert.match(said, /Thank you for your time, Ada\. Have a good day\. Goodbye\.$/);
    assert.equal(move.next.kind === 'hang-up' && move.next.ending.kind, 'completed');
    assert.deepEqual(
      call.mind.result(call.transcript).answers.map(({ value }) => value),
      [true, '2026-07-02T12:00:00-04:00', 5],
    );
  });

  it('is followed by the script in the middle of a turn', async (t) => {
    const spoken = gate();
    const call = await ledCall(t, {}, says(first), async (chat) => {
      chat.text('How nice of you. And wh');
      await spoken.opened;
      chat.cut();
    });
    await call.hear('Yes.');
    const { aloud, move } = await call.hear('Yes, it came.', { onSay: spoken.open });
    assert.deepEqual(aloud, ['How nice of you.']);
    assert.equal(move.say, `Great. ${second}`);
    assert.equal(call.mind.notes.length, 1);
    assert.equal(call.mind.result(call.transcript).answers[0]?.value, true);
  });

  it('need not be followed where it had asked already', async (t) => {
    const spoken = gate();
    const call = await ledCall(t, { options: { timeoutMs: 3_000 } }, async (chat) => {
      chat.text(`${first} `);
      await spoken.opened;
    });
    const { aloud, move } = await call.hear('Yes.', { onSay: spoken.open });
    assert.deepEqual(aloud, [first]);
    assert.equal(move.say, '');
    assert.match(call.mind.notes[0] ?? '', /timeout: stopped in the middle/);
    assert.equal((await call.hear('Yes.')).said, `Great. ${second}`);
  });

  it('has ended the call where it had said goodbye already', async (t) => {
    const spoken = gate();
    const call = await ledCall(t, {}, async (chat) => {
      chat.text('Thank you. Goodbye. ');
      await spoken.opened;
      chat.cut();
    });
    const { said, move } = await call.hear('I have no time for this.', {
      onSay: (sentence) => sentence === 'Goodbye.' && spoken.open(),
    });
    assert.equal(said, 'Thank you. Goodbye.');
    assert.equal(move.next.kind, 'hang-up');
  });

  it('leaves nothing personal in the notes', async (t) => {
    const call = await ledCall(t, {}, fails, fails);
    await call.hear('My secret is safe.');
    assert.doesNotMatch(call.mind.notes.join(), /secret|Ada|quote/);
  });
});

describe('a turn that nobody waits for any more', () => {
  it('stops the request and hands nothing more over', { timeout: 10_000 }, async (t) => {
    const controller = new AbortController();
    const call = await ledCall(t, { options: { timeoutMs: 60_000 } }, async (chat) => {
      chat.text('Let me explain. ');
      await chat.closed;
    });
    const { aloud, move } = await call.hear('Yes.', { signal: controller.signal, onSay: () => controller.abort() });
    await call.chats[0]?.closed;
    assert.deepEqual(aloud, ['Let me explain.']);
    assert.deepEqual(move, { facts: [], say: '', next: { kind: 'listen' } });
    assert.deepEqual(call.mind.notes, []);
  });

  it('leaves in the history what was handed over, and no more', async (t) => {
    const controller = new AbortController();
    const call = await ledCall(
      t,
      {},
      async (chat) => {
        chat.text('Let me explain. This is');
        await chat.closed;
      },
      says(first),
    );
    await call.hear('Yes.', { signal: controller.signal, onSay: () => controller.abort() });
    await call.hear('No need.', { isInterruption: true });
    const [said, last] = call.chats[1]?.messages.slice(-2) ?? [];
    assert.deepEqual(said, { role: 'assistant', content: 'Let me explain.' });
    assert.match(last?.content ?? '', /^\[They cut in/);
  });

  it('is one utterance when the person spoke on before a reply', async (t) => {
    const controller = new AbortController();
    const call = await ledCall(
      t,
      {},
      async (chat) => {
        controller.abort();
        await chat.closed;
      },
      says(first),
    );
    await call.hear('Well', { signal: controller.signal });
    await call.hear('Well, go on.', { turn: 1 });
    const users = call.chats[1]?.messages.filter(({ role }) => role === 'user').map(({ content }) => content);
    assert.deepEqual(users, ['[The call was answered.]', '<speech>Well, go on.</speech>']);
  });

  it('does not end the call, but keeps an opt-out', async (t) => {
    const controller = new AbortController();
    const call = await ledCall(t, {}, (chat) => {
      chat.use('mark_do_not_call', {});
      chat.text('I understand. ');
    });
    const { move } = await call.hear('I want none of this.', {
      signal: controller.signal,
      onSay: () => controller.abort(),
    });
    assert.equal(move.next.kind, 'listen');
    const after = await call.hear('Hello?');
    assert.equal(call.chats.length, 1);
    assert.equal(after.move.next.kind === 'hang-up' && after.move.next.ending.kind, 'opted_out');
    assert.equal(after.move.facts?.[0]?.kind, 'opted-out');
  });
});
