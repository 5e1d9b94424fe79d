import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { meaningOf } from './meaning.ts';
import { kindOf, type QuestionKind, readAnswer } from './questions.ts';
import { brief } from './test-call.ts';

const kinds: [question: string, kind: QuestionKind][] = [
  ['Did you receive our quote?', 'yes-no'],
  ['Are you still interested?', 'yes-no'],
  ['And is there anything else?', 'yes-no'],
  ['Anything else?', 'yes-no'],
  ['We have a slot on Tuesday. Does that suit you?', 'yes-no'],
  ['You are the owner, right?', 'yes-no'],
  ['Did you get our email?', 'yes-no'],
  ['Would you like tea or coffee?', 'open'],
  ['Will you come or not?', 'yes-no'],
  ['How many people work there?', 'number'],
  ['How old is your roof?', 'number'],
  ['On a scale from one to ten, how likely are you to recommend us?', 'number'],
  ['What is your budget?', 'money'],
  ['How much do you pay for power each month?', 'money'],
  ['When would be a good time for a longer talk?', 'date'],
  ['What is your date of birth?', 'date'],
  ['Which day suits you best?', 'date'],
  ['What is your e-mail address?', 'email'],
  ['Could you give me your email address?', 'email'],
  ['What is the best number to reach you?', 'phone'],
  ['May I have your phone number?', 'phone'],
  ['How did you hear about us?', 'open'],
  ['Please describe your roof.', 'open'],
  ['What do you think?', 'open'],
];

const answers: [question: string, heard: string, status: string, value?: unknown][] = [
  ['Did you receive it?', 'Yes, we got it on Monday', 'answered', true],
  ['Did you receive it?', 'mm-hm', 'answered', true],
  ['Did you receive it?', 'No, not yet', 'answered', false],
  ['Did you receive it?', 'My wife handles all of that', 'answered', null],
  ['Did you receive it?', 'Hmm', 'unclear'],
  ['Did you receive it?', 'I would rather not say', 'refused'],
  ['Do you want it?', "I'd rather not", 'answered', false],
  ['How many people work there?', 'about twenty', 'answered', 20],
  ['How many people work there?', 'quite a few', 'answered', null],
  ['How many people work there?', 'the sky is blue', 'unclear'],
  ['How many people work there?', "I don't know exactly, I think about fifty", 'unclear'],
  ['What is your budget?', 'Around two thousand dollars', 'answered', { amount: 2000, currency: 'USD' }],
  ['When can we come?', 'next Tuesday', 'answered', '2026-07-07'],
  ['When can we come?', 'tomorrow at half past three', 'answered', '2026-07-02T15:30:00-04:00'],
  ['When can we come?', 'any time in the evening', 'answered', null],
  ['When did you buy it?', 'on March third', 'answered', '2026-03-03'],
  ['When can we come?', 'My address is twelve Main Street', 'unclear'],
  ['What is your e-mail address?', 'ada dot lovelace at gmail dot com', 'answered', 'ada.lovelace@gmail.com'],
  ['What is your e-mail address?', 'the usual one', 'unclear'],
  ['May I have your phone number?', 'two one two, four five six, seven eight nine oh', 'answered', '+12124567890'],
  ['How did you hear about us?', 'From a friend', 'answered', null],
  ['How did you hear about us?', 'Radio', 'answered', null],
  ['How did you hear about us?', 'Yes', 'unclear'],
  ['How did you hear about us?', 'It depends', 'unclear'],
  ['How did you hear about us?', 'Not sure, I think my neighbour Bob recommended it', 'answered', null],
];

describe('kindOf', () => {
  for (const [question, kind] of kinds) it(`"${question}" is ${kind}`, () => assert.equal(kindOf(question), kind));
});

describe('readAnswer', () => {
  for (const [question, heard, status, value] of answers) {
    it(`"${heard}" to "${question}" is ${status}`, () => {
      const asked = { kind: kindOf(question), text: question };
      const reading = readAnswer(asked, heard, meaningOf(heard, 'Ada'), 0.9, brief);
      assert.equal(reading.status, status);
      if (reading.status === 'answered') {
        assert.deepEqual(reading.value, value);
        assert.ok(reading.confidence > 0 && reading.confidence <= 0.9);
      }
    });
  }
});
