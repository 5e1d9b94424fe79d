import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { brief } from '../scripted/test-call.ts';
import { LlmMind } from './llm-mind.ts';
import { type Chat, chatServer, says } from './testing/chat-server.ts';

const introNotes =
  'Follow up on quote #4411 for solar panels sent on March 3, customer asked about financing; be friendly';
const introduction =
  'Hello Ada, this is Robin from Acme. I wanted to come back to the solar panels: quote 4411 went out to you on March 3. Do you have a minute?';
const voicemail =
  'Hello Ada, this is Robin from Acme. It is about your solar panels and how to pay for them. We will call you again. Goodbye.';
const scripted = new LlmMind({ ...brief, introNotes }, { model: 'unused' });

async function prepared(t: import('node:test').TestContext, text: string, changes: Partial<typeof brief> = {}) {
  const { model, chats } = await chatServer(t, says(text));
  const mind = new LlmMind({ ...brief, introNotes, ...changes }, { model });
  await mind.prepare(new AbortController().signal);
  return { mind, chats };
}

describe('introductions that a model writes', () => {
  it('are taken where they are in its own words', async (t) => {
    const { mind } = await prepared(t, `INTRODUCTION: ${introduction}\nVOICEMAIL: "${voicemail}"`);
    assert.equal(mind.voicemail(), voicemail);
    assert.deepEqual(mind.likely().slice(0, 2), [introduction, voicemail]);
    assert.equal(mind.introduction().say, introduction);
    assert.deepEqual(mind.notes, []);
  });

  const spoiled: [name: string, text: string, changes?: object][] = [
    ['repeats the notes', introduction.replace('quote 4411 went', 'quote 4411 for solar panels sent on March 3 went')],
    ['invents a number', introduction.replace('4411', '4412')],
    ['invents an amount in words', introduction.replace('the solar', 'the twenty solar')],
    ['invents a name', introduction.replace('Robin from Acme', 'Robin from Acme with Bob Miller')],
    ['invents a name at the start of a sentence', introduction.replace('I wanted', 'Miller wanted me')],
    ['invents a day', introduction.replace('March 3', 'March 3, a Tuesday')],
    ['promises a time', introduction.replace('Do you', 'It ends tomorrow. Do you')],
    ['does not say who calls', introduction.replace('this is Robin from Acme', 'good to hear you')],
    ['claims to be a person', introduction.replace('I wanted', 'I am a real person. I wanted')],
    ['breaks a rule', introduction, { rules: ['Never mention solar panels.'] }],
    ['is endless', introduction.replace('Do you', `${'And it is so good to have you. '.repeat(15)}Do you`)],
    ['is missing', ''],
  ];
  for (const [name, text, changes] of spoiled) {
    it(`are the script's where one ${name}`, async (t) => {
      const { mind } = await prepared(t, `INTRODUCTION: ${text}\nVOICEMAIL: ${voicemail}`, changes);
      const unprepared = new LlmMind({ ...brief, introNotes, ...changes }, { model: 'unused' });
      assert.equal(mind.introduction().say, unprepared.introduction().say);
      if (changes === undefined) assert.equal(mind.voicemail(), voicemail);
      assert.equal(mind.notes.length, 1);
    });
  }

  it('are not asked for without notes', async (t) => {
    const { mind, chats } = await prepared(t, '', { introNotes: '' });
    assert.equal(chats.length, 0);
    assert.match(mind.introduction().say, /^Hello Ada\. This is Robin/);
  });

  it('leave a given text alone', async (t) => {
    const { mind } = await prepared(t, `INTRODUCTION: ${introduction}\nVOICEMAIL: ${voicemail}`, {
      introMessage: 'Hello.',
    });
    assert.equal(mind.introduction().say, 'Hello.');
    assert.equal(mind.voicemail(), voicemail);
    assert.deepEqual(mind.notes, []);
  });

  for (const [name, answer] of [
    ['fails', (chat: Chat) => chat.fail(500)],
    ['breaks off', (chat: Chat) => chat.cut()],
    ['never answers', () => {}],
  ] as const) {
    it(`are the script's where the model ${name}`, async (t) => {
      const { model, chats } = await chatServer(t, answer);
      const mind = new LlmMind({ ...brief, introNotes }, { model, prepareMs: 200 });
      await mind.prepare(new AbortController().signal);
      assert.equal(mind.voicemail(), scripted.voicemail());
      assert.equal(mind.notes.length, 1);
      await chats[0]?.closed;
    });
  }

  it('are given up when nobody wants them any more', async (t) => {
    const controller = new AbortController();
    const { model, chats } = await chatServer(t, () => controller.abort());
    const mind = new LlmMind({ ...brief, introNotes }, { model, prepareMs: 60_000 });
    await mind.prepare(controller.signal);
    await chats[0]?.closed;
    assert.deepEqual(mind.notes, []);
  });
});
