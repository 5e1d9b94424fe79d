import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isBareHello, isIntroduction, type PhraseKind, weighPhrases } from './answer-phrases.ts';

const sayings: Record<PhraseKind, string[]> = {
  voicemail: [
    "Hi, this is Ben. I can't come to the phone right now.",
    'Please leave your name and number after the beep.',
    'Leave a message.',
    "Sorry I missed your call, I'll get back to you.",
    'You have reached the voicemail of Carol.',
    'The mailbox is full and cannot accept messages.',
    'Your call has been forwarded to an automatic voice message system.',
    'At the tone, please record your message. When you are finished, hang up or press 1 for more options.',
    'Our office is currently closed.',
    'Leave your name, number and the reason for your call.',
    'I am out of the office until Monday.',
    'The person at extension 41 is unavailable.',
  ],
  screener: [
    "Hi, if you record your name and reason for calling, I'll see if this person is available.",
    "The person you're calling is using a screening service from Google.",
    "Go ahead and say your name and why you're calling.",
    'Please state your name after the tone.',
    'To be connected, press 1.',
    'This number does not accept calls from unknown callers.',
    'The party you are trying to reach does not accept unidentified calls.',
  ],
  menu: [
    'For sales, press 1. For support, press 2.',
    'Press one for English.',
    'Para español, oprima dos.',
    'Please listen carefully as our options have changed.',
    "If you know your party's extension, dial it now.",
    'To leave a message for the pharmacist, press 4.',
    'In a few words, tell me what you need.',
    'Your call will be answered in the order it was received.',
    'Please enter your account number followed by the pound sign.',
  ],
  intercept: [
    'The number you have dialed is not in service.',
    'Your call cannot be completed as dialed.',
    'This number has been disconnected.',
    'All circuits are busy now.',
  ],
  person: [
    'Good morning, Oak Farm, how can I help you?',
    "Hello, who's this?",
    'Anna speaking.',
    'Can you hear me?',
    'One moment please.',
    'She is out, can I take a message?',
    'He is in a meeting, would you like to leave a message?',
  ],
};

describe('weighPhrases', () => {
  for (const [kind, texts] of Object.entries(sayings) as [PhraseKind, string[]][]) {
    for (const text of texts) {
      it(`hears ${kind} in "${text}"`, () => {
        const { weights } = weighPhrases(text);
        assert.ok(weights[kind] >= 1, JSON.stringify(weights));
        const others = (Object.keys(weights) as PhraseKind[]).filter((other) => other !== kind && other !== 'person');
        for (const other of others) assert.ok(weights[other] < 1, `${other}: ${weights[other]}`);
      });
    }
  }

  it('finds nothing decisive in what anybody may say', () => {
    for (const text of ['', 'Hello?', 'This is Ben.', 'Oak Farm, good morning.', 'Yes, I can talk right now.']) {
      const { person: _, ...machines } = weighPhrases(text).weights;
      assert.ok(Math.max(...Object.values(machines)) < 1, text);
    }
  });

  it('takes no single word of a business for a screener, nor a person who knows what to do for a voicemail', () => {
    for (const text of [
      'Screen doors and windows, how can I help?',
      'Green screens, good morning.',
      'I know what to do.',
    ]) {
      const { weights } = weighPhrases(text);
      assert.ok(weights.screener < 1 && weights.voicemail < 1, text);
    }
    assert.ok(weighPhrases('Beep, you know what to do.').weights.voicemail >= 1);
    assert.ok(weighPhrases('Call screen is on.').weights.screener >= 1);
  });

  it('does not care for capitals, punctuation or how digits are written', () => {
    assert.deepEqual(weighPhrases('PRESS 1 -- for sales!').weights, weighPhrases('press one for sales').weights);
  });
});

it('tells a bare hello from a sentence', () => {
  for (const text of ['Hello?', 'Yes.', 'Good morning.', 'Uh, hello?', 'Hi there.']) assert.ok(isBareHello(text), text);
  for (const text of ['', 'Hello, this is Ben.', 'Oak Farm.', 'Hello, you have reached'])
    assert.ok(!isBareHello(text), text);
});

it('knows who introduces themselves', () => {
  for (const text of ['This is Ben.', "Hi, it's Ann", 'Ben here.']) assert.ok(isIntroduction(text), text);
  assert.ok(!isIntroduction('Hello?'));
});
