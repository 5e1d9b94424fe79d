import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type ReplyKind, replyTo } from './replies.ts';

const heard: Partial<Record<ReplyKind, string[]>> = {
  'go-ahead': [
    'Hello Ada. This is Robin from Acme. I have a few short questions for you. Do you have a minute?',
    'Hi, this is Robin. Is this a good time to talk?',
    'May I ask you a few questions?',
    'This is Robin from Acme, have you got two minutes.',
  ],
  statement: [
    'Hello.',
    'Hello Ada. This is Robin from Acme.',
    'I am calling about your phone number. It was changed last week.',
    'We know how busy you are. I am calling about your order.',
    'Of course, take your time.',
  ],
  identity: [
    'Hello, am I speaking with Ada?',
    'Good morning. May I speak to Mrs. Lovelace?',
    "Hello. I'm speaking with a D. A..",
  ],
  yes: [
    'Great. Did you get our brochure?',
    'We have a slot on Tuesday. Does that suit you?',
    'Is that correct.',
    'You ordered it in May, right?',
    'Did you receive our e-mail?',
    'Do you remember when you bought it?',
    'Did you wait for more than ten minutes?',
    'Thank you. Would Tuesday at three be a good time for the visit?',
  ],
  choice: ['Do you own or rent your home?'],
  count: [
    'Thank you. How many people work in your company?',
    'How much coffee do you drink in a day',
    'What is the number of employees?',
    'Thank you, how many people work there.',
    'Great, tell many people live in your house.',
    'Let me put it differently. The rough number is enough to count any people live in your house.',
    'I see we would like to know how many people work there',
  ],
  money: ['How much would you like to spend?', 'What is your budget?'],
  scale: [
    'On a scale from one to ten, how happy are you?',
    'On this kale from one to ten, how happy are you!',
    'How likely is it that you recommend us?',
  ],
  age: ['May I ask, how old is your roof?'],
  when: [
    'All right. When would suit you?',
    'What day works best for you?',
    'Of course. When would be a better time to call?',
    'Could you tell me which day is best?',
  ],
  past: ['When did you buy it?'],
  birth: ['What is your date of birth?'],
  phone: [
    'What is the best phone number for you?',
    'What is the best film number for you?',
    'Which number can we reach you at, so that we can call you back?',
  ],
  email: ['What is your e-mail address?', 'Could you please give me your email?', 'And your email address'],
  code: ['What is your order number?', 'Can you tell me your zip code?'],
  address: ['What is your address?', "What if you're a dress", 'Where do you live?'],
  name: ['May I have your name, please?', 'Who am I speaking with?'],
  company: ['What is the name of your company?'],
  source: ['How did you hear about us?'],
  opinion: ['How satisfied are you with our service?'],
  duration: ['How long have you been with your bank?'],
  frequency: ['How often do you travel?'],
  why: ['Why did you leave?'],
  'small-talk': ['Hello Ada, this is Robin. How are you today?'],
  presence: ['Are you still there?', 'Hello Ada, can you hear me?'],
  open: ['What do you like about it?', 'Please tell me more about your plans.', 'What matters most to you?'],
  'nothing-else': [
    'Thank you. Is there anything else?',
    'Do you have any questions for me?',
    'Do you have any question for me?',
    'Is there something else that you would like to tell us?',
  ],
  goodbye: [
    'Thank you for your time, Ada. Have a good day. Goodbye.',
    'I understand. I have noted that, and we will not call you again. Good bye.',
    'And you very much for your time.',
    'Is there anything else? No? Then have a nice day.',
  ],
};

describe('a friendly person', () => {
  for (const [kind, texts] of Object.entries(heard)) {
    for (const text of texts) {
      it(`hears in "${text}" a question of the kind ${kind}`, () => assert.equal(replyTo(text, 1).kind, kind));
    }
  }

  it('lets us go on when nothing was asked, or nothing understood of the introduction', () => {
    assert.equal(replyTo('Hello Ada. This is Robin from Acme.', 0).say, 'Yes, sure, go ahead.');
    assert.equal(replyTo('', 0).say, 'Yes, sure, go ahead.');
  });

  it('asks again when nothing was understood later on', () => {
    assert.equal(replyTo('', 3).say, 'Sorry, could you say that again?');
  });

  it('says the same to the same words at the same turn, and another number at the next', () => {
    const question = 'How many people work in your company?';
    assert.deepEqual(replyTo(question, 1), replyTo(question, 1));
    assert.notEqual(replyTo(question, 1).say, replyTo(question, 2).say);
  });
});
