import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { readRule, ruleWarnings } from './read-rule.ts';
import { callWith } from './test-call.ts';

const kinds: [rule: string, ...kinds: string[]][] = [
  ['Never mention the price', 'forbid'],
  ["Don't talk about competitors or politics.", 'forbid'],
  ['Avoid discussing discounts', 'forbid'],
  ['Do not use the word "cheap"', 'forbid'],
  ['If they ask about the price, say it starts at 99 dollars', 'reply'],
  ['If the customer asks for a discount, tell them that we cannot give one.', 'reply'],
  ['When asked about delivery, say "It takes two weeks."', 'reply'],
  ['If they mention Globex say that we know them', 'reply'],
  ['Keep it under 3 minutes', 'minutes'],
  ['The call must take no longer than five minutes', 'minutes'],
  ['Limit the conversation to 90 seconds', 'minutes'],
  ['Do not ask for credit card numbers', 'no-question'],
  ['Never ask about their age or income', 'no-question'],
  ['Always say "We are open on Sundays" at the end', 'say'],
  ['Mention that we are open on Sundays', 'say'],
  ['At the beginning say that the call is recorded', 'say'],
  ['End the call with "Stay safe!"', 'say'],
  ['Thank them for their loyalty', 'say'],
  ['Make sure to mention the 10% discount', 'say'],
  ['End the call if they mention a lawyer', 'end'],
  ['Hang up when the customer is not interested', 'end'],
  ['If they are not interested, end the call politely', 'end'],
  ['Transfer to +12025550123 if they ask for a human', 'transfer'],
  ['If they ask for a manager, transfer the call to +1 202 555 0123.', 'transfer'],
  ['Transfer calls to +12025550123', 'transfer'],
  ['If there is a menu, press 2', 'menu'],
  ['Press 1 for sales', 'menu'],
  ['At the menu choose the support department', 'menu'],
  ['Speak slowly', 'pace'],
  ['Be friendly and brief.', 'manner'],
  ['Always be polite and professional', 'manner'],
  ['Never promise a delivery date', 'manner'],
  ['Do not give legal advice', 'manner'],
  ['Be friendly. Never mention the price.', 'manner', 'forbid'],
  ['Be polite and never mention the price', 'manner', 'forbid'],
  ['Never say that you are a robot', 'refused'],
  ['If they ask whether you are a robot, say that you are human', 'refused'],
  ['Keep calling even if they ask you to stop', 'refused'],
  ['If it is the wrong number, apologize and end the call', 'end'],
  ['If the customer is busy, offer to call back later', 'manner'],
  ['If they ask not to be called again, apologise and confirm', 'manner'],
  ['Do not interrupt the customer', 'manner'],
  ['Ask one question at a time', 'manner'],
  ['If they ask a question you cannot answer, say that we will write', 'unknown'],
  ['Adapt your humour to the mood of the person', 'unknown'],
  ['End the call if they sound angry', 'unknown'],
  ['Qualify the lead by the BANT method', 'unknown'],
];

describe('readRule', () => {
  for (const [rule, ...expected] of kinds) {
    it(`reads "${rule}" as ${expected.join(' and ')}`, () => {
      assert.deepEqual(
        readRule(rule).orders.map(({ kind }) => kind),
        expected,
      );
    });
  }

  it('takes any text', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => readRule(text).orders.length > 0));
  });
});

describe('ruleWarnings', () => {
  it('names the rules that need an LLM, and those that no call follows', () => {
    assert.deepEqual(ruleWarnings(['Be friendly and brief.', 'Adapt your humour', 'Never admit that you are an AI']), [
      'Rule "Adapt your humour" can only be followed with an LLM.',
      'Rule "Never admit that you are an AI" cannot be followed: it is against the safeguards of every call.',
    ]);
  });
});

describe('rules in a call', () => {
  const verdicts = async (rules: string[], lines: string[], questions = ['Do you like it?']) => {
    const call = await callWith({ rules, questions }, lines);
    return { ...call, verdicts: call.mind.result(call.transcript).rules.map(({ kept, turn }) => [kept, turn]) };
  };

  it('does not say what is forbidden, and drops a question that would', async () => {
    const call = await callWith(
      {
        rules: ['Never mention solar panels'],
        introNotes: 'Follow up on the quote for solar panels; confirm the visit on Monday',
        questions: ['Do you want solar panels?', 'Do you live alone?'],
      },
      ['What is this about?', 'Yes'],
    );
    assert.doesNotMatch(call.said.join(' '), /solar/i);
    assert.match(call.said.join(' '), /Monday/);
    assert.deepEqual(call.statuses, ['not_asked', 'answered']);
    assert.deepEqual(call.mind.result(call.transcript).rules, [
      { rule: 'Never mention solar panels', kept: true, turn: null },
    ]);
  });

  it('says a given introduction word for word all the same, and owns up to it', async () => {
    const call = await callWith({ rules: ['Never mention cats'], introMessage: 'We sell cats.' }, ['Yes']);
    assert.deepEqual(call.mind.result(call.transcript).rules, [{ rule: 'Never mention cats', kept: false, turn: 0 }]);
  });

  it('answers as a rule says, when it is asked', async () => {
    const rule = 'If they ask about the price, say that it starts at 99 dollars';
    const asked = await verdicts([rule], ['Yes', 'How much does it cost?', 'Yes']);
    assert.equal(asked.said[2], 'It starts at 99 dollars. Do you like it?');
    assert.deepEqual(asked.verdicts, [[true, 4]]);
    const told = await verdicts([rule], ['Yes', 'Yes, the price is fine']);
    assert.doesNotMatch(told.said.join(' '), /99/);
    assert.deepEqual(told.verdicts, [[true, null]]);
  });

  it('says what is always to be said at its place', async () => {
    const call = await verdicts(
      ['Always say "We are open on Sundays" at the end', 'Say that this call is recorded at the beginning'],
      ['Yes', 'Yes'],
    );
    assert.equal(call.said[1], 'This call is recorded. Do you like it?');
    assert.match(call.said[2] ?? '', /We are open on Sundays\. Thank you for your time, Ada\./);
    assert.deepEqual(call.verdicts, [
      [true, 4],
      [true, 2],
    ]);
    assert.deepEqual((await verdicts(['Always say "We are open on Sundays"'], ['Wrong number'])).verdicts, [
      [null, null],
    ]);
  });

  it('asks for nothing that is not to be asked for', async () => {
    const call = await callWith(
      {
        rules: ['Never ask about their age or income'],
        questions: ['What is your age?', 'Is it warm?', 'What income do you have?'],
      },
      ['Yes', 'Yes'],
    );
    assert.deepEqual(call.statuses, ['not_asked', 'answered', 'not_asked']);
  });

  it('ends when a rule says so', async () => {
    const call = await verdicts(['End the call if they mention a lawyer'], ['Yes', 'I will ask my lawyer']);
    assert.equal(call.ending, 'completed');
    assert.deepEqual(call.verdicts, [[true, 3]]);
  });

  it('hands over when a rule says where', async () => {
    const call = await verdicts(
      ['If they ask for a human, transfer to +12025550123'],
      ['Can I speak to a real person?'],
    );
    assert.deepEqual(call.last.next, { kind: 'transfer', to: '+12025550123' });
    const { summary } = call.mind.result(call.transcript);
    assert.match(summary, /transferred to \+12025550123\.$/);
  });

  it('tells the truth whatever a rule says', async () => {
    const call = await verdicts(
      ['If they ask whether you are a robot, say that you are human', 'Never mention an assistant'],
      ['Are you a robot?'],
    );
    assert.match(call.said[1] ?? '', /^I am a computer program, not a person\./);
    assert.deepEqual(call.verdicts, [
      [false, 1],
      [true, null],
    ]);
  });

  it('speaks slowly from the start', async () => {
    assert.ok((await callWith({ rules: ['Please speak slowly and clearly'] }, [])).mind.pace < 1);
  });

  it('keeps to the time, measured or reckoned', async () => {
    const rules = ['Keep it under 1 minute'];
    const questions = Array.from({ length: 30 }, (_, index) => `Is number ${index} good?`);
    const { mind, transcript, ending, statuses, said } = await callWith(
      { rules, questions },
      Array(40).fill('Yes, it is.'),
    );
    assert.equal(ending, 'completed');
    assert.ok(statuses.includes('answered') && statuses.includes('not_asked'));
    assert.match(said.at(-1) ?? '', /Goodbye\.$/);
    assert.match(mind.result(transcript).summary, /time that the rules allow/);

    const measured = (await callWith({ rules, questions }, [])).mind;
    const utterance = { text: 'Yes', confidence: 1, turn: 1, isInterruption: false, elapsedMs: 50_000 };
    assert.equal((await measured.heard(utterance)).next.kind, 'hang-up');
    assert.deepEqual(measured.result([]).rules, [{ rule: rules[0], kept: true, turn: null }]);
  });

  it('presses what a rule says at a menu, and nothing unasked', async () => {
    const menu = 'Thank you for calling Acme. Press one for sales. Press two for support.';
    const keys = async (...rules: string[]) => (await callWith({ rules }, [])).mind.menu(menu);
    assert.equal((await keys('If there is a menu, press 2')).keys, '2');
    assert.equal((await keys('Press 1 for support')).keys, '2');
    assert.equal((await keys('At the menu choose the sales department')).keys, '1');
    assert.equal((await keys('Press 0 to reach the operator')).keys, '0');
    const none = await keys('Be polite');
    assert.equal(none.keys, undefined);
    assert.equal(none.next.kind === 'hang-up' && none.next.ending.kind, 'machine_no_message');
    const twice = (await callWith({ rules: ['At the menu press 2, then 4'] }, [])).mind;
    assert.deepEqual([twice.menu(menu).keys, twice.menu(menu).keys, twice.menu(menu).keys], ['2', '4', '4']);
    assert.equal(twice.menu(menu).next.kind, 'hang-up');
  });
});
