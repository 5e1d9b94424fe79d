import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { Brief } from '../mind.ts';
import { ScriptedMind } from './scripted-mind.ts';
import { brief, callWith, type Line } from './test-call.ts';

interface Dialogue {
  name: string;
  with?: Partial<Brief>;
  lines: Line[];
  said?: (string | RegExp)[];
  ending?: string;
  facts?: string[];
  statuses?: string[];
  values?: unknown[];
}

const hello = 'Hello Ada. This is Robin from Acme. I have a few short questions for you. Do you have a minute?';
const [first = '', second = '', third = ''] = brief.questions;
const goodbye = 'Thank you for your time, Ada. Have a good day. Goodbye.';
const visit = '2026-07-07T10:00:00-04:00';

const dialogues: Dialogue[] = [
  {
    name: 'a friendly person answers every question',
    lines: [
      'Yes, that is right.',
      'Yes, we did.',
      'Tuesday at ten would suit me well.',
      'About twenty people work here.',
    ],
    said: [hello, `Thank you. ${first}`, `Great. ${second}`, `Thank you. ${third}`, `All right. ${goodbye}`],
    ending: 'completed',
    statuses: ['answered', 'answered', 'answered'],
    values: [true, visit, 20],
  },
  {
    name: 'somebody interrupts the introduction',
    lines: [
      { cutsIn: 'Sorry, one moment, what is this about?' },
      'Yes, that is right.',
      'Tuesday at ten would suit me well.',
      'Five.',
    ],
    said: [hello, `I am calling on behalf of Acme with a few short questions. ${first}`],
    ending: 'completed',
    values: [true, visit, 5],
  },
  {
    name: 'somebody answers into the question',
    lines: ['Yes', { cutsIn: 'No, I did not.' }, { cutsIn: 'Tomorrow at noon' }, 'Three'],
    said: [hello, first, `I see. ${second}`],
    values: [false, '2026-07-02T12:00:00-04:00', 3],
  },
  {
    name: 'a murmur into the question is no answer',
    lines: ['Sure.', { cutsIn: 'mm-hm' }, 'mm-hm'],
    said: [hello, `Thank you. ${first}`, first, `Great. ${second}`],
    values: [true, null, null],
  },
  {
    name: 'somebody asks not to be called again',
    lines: ['Please do not call me again. Take me off your list.', 'As I said, stop calling me.'],
    said: [hello, 'I understand. I have noted that, and we will not call you again. Goodbye.'],
    ending: 'opted_out',
    facts: ['opted-out'],
    statuses: ['not_asked', 'not_asked', 'not_asked'],
  },
  {
    name: 'somebody asks to repeat and is unclear',
    with: { questions: [first] },
    lines: [
      'Sorry, could you repeat that?',
      'Well, it depends, I am not sure.',
      'Pardon? I did not get that.',
      'Maybe. Hard to say.',
      'Well, it depends, I am not sure.',
    ],
    said: [
      hello,
      'Of course. This is Robin from Acme. Do you have a minute?',
      first,
      `Of course. ${first}`,
      `Let me put it differently: a simple yes or no is enough. ${first}`,
      `No problem. ${goodbye}`,
    ],
    ending: 'completed',
    statuses: ['unclear'],
  },
  {
    name: 'somebody stays silent',
    lines: ['silence', 'silence', 'silence'],
    said: [
      hello,
      'Are you still there? Do you have a minute?',
      'Hello Ada, can you hear me? Do you have a minute?',
      /Goodbye\.$/,
    ],
    ending: 'silent',
    facts: [],
  },
  {
    name: 'after a given introduction silence brings the first question',
    with: { introMessage: 'Hello Ada, we have news.' },
    lines: ['silence', 'silence', 'silence'],
    said: ['Hello Ada, we have news.', first, `Hello Ada, can you hear me? ${first}`, /Goodbye\.$/],
    ending: 'silent',
    statuses: ['unclear', 'not_asked', 'not_asked'],
  },
  {
    name: 'silence between answers starts to count anew',
    lines: ['Yes', 'silence', 'silence', 'Yes', 'silence', 'silence'],
    said: [
      hello,
      first,
      `Are you still there? ${first}`,
      `Hello Ada, can you hear me? ${first}`,
      `Great. ${second}`,
      `Are you still there? ${second}`,
    ],
  },
  {
    name: 'the wrong person answers',
    lines: ['You have the wrong number. Nobody of that name lives here.'],
    said: [hello, 'I am sorry, then I have the wrong number. Please excuse the call. Goodbye.'],
    ending: 'wrong_person',
    facts: ['wrong-person'],
  },
  {
    name: 'the person called has died',
    lines: ['I am sorry, Ada passed away in spring.'],
    said: [hello, /^I am very sorry to hear that\./],
    ending: 'wrong_person',
  },
  {
    name: 'somebody asks who and what is calling',
    lines: [
      'Who is this?',
      'Are you a robot?',
      'Yes, that is right.',
      'How did you get my number?',
      'Tomorrow',
      'What is this about?',
      'Two',
    ],
    said: [
      hello,
      `This is Robin from Acme. ${first}`,
      `I am an automated assistant. ${first}`,
      `Great. ${second}`,
      `Your number is in the records that Acme gave me for this call. ${second}`,
      `Thank you. ${third}`,
      `I am calling on behalf of Acme with a few short questions. ${third}`,
      `All right. ${goodbye}`,
    ],
    values: [true, '2026-07-02', 2],
  },
  {
    name: 'the person behind a screener asks what it is about',
    with: { introNotes: 'Follow up on quote #4411 for solar panels sent on March 3' },
    lines: ['Hello, this is Ada. What is it about?', 'Yes.'],
    said: [
      /quote number 4411/,
      `I am following up on the quote number 4411 for solar panels that was sent on March 3. ${first}`,
      `Great. ${second}`,
    ],
  },
  {
    name: 'the form says where the number is from',
    with: { form: [{ key: 'leadSource', value: 'the spring fair' }] },
    lines: ['How did you get my number?'],
    said: [hello, `According to our records, your number came to us through the spring fair. ${first}`],
  },
  {
    name: 'a callback at a time',
    lines: ["I'm driving, call me tomorrow at three."],
    said: [hello, 'All right. I will call you tomorrow at 3 PM. Please drive safely. Goodbye.'],
    ending: 'callback_requested',
    facts: ['callback 2026-07-02T19:00:00.000Z'],
  },
  {
    name: 'a callback in the middle of the questions',
    lines: ['Yes', "I can't talk right now, can you call me back in an hour?"],
    said: [hello, first, 'All right. I will call you today at 12 PM. Goodbye.'],
    ending: 'callback_requested',
    facts: ['callback 2026-07-01T16:00:00.000Z'],
    statuses: ['unclear', 'not_asked', 'not_asked'],
  },
  {
    name: 'a callback whose time must be asked for',
    lines: ['Call me later.', 'On Friday at half past four'],
    said: [
      hello,
      'Of course. When would be a better time to call?',
      'All right. I will call you on Friday, July 3 at 4:30 PM. Goodbye.',
    ],
    ending: 'callback_requested',
    facts: ['callback undefined', 'callback 2026-07-03T20:30:00.000Z'],
  },
  {
    name: 'no minute, and no time either',
    lines: ['No.', 'I do not know.'],
    said: [
      hello,
      'Of course. When would be a better time to call?',
      'All right. I will call you another time. Goodbye.',
    ],
    ending: 'callback_requested',
  },
  {
    name: 'somebody else answers for the person',
    lines: ["She's not here, try again after five."],
    said: [hello, 'All right. I will call you today after 5 PM. Goodbye.'],
    ending: 'callback_requested',
  },
  {
    name: 'a time to call is the answer where it was asked for',
    with: { questions: ['When would be a good time for a longer talk?'] },
    lines: ['Yes', 'You can call me tomorrow at three.'],
    said: [hello, 'When would be a good time for a longer talk?', goodbye],
    ending: 'completed',
    facts: [],
    values: ['2026-07-02T15:00:00-04:00'],
  },
  {
    name: 'a question is refused, then the call',
    lines: ['Yes', "I'd rather not say.", 'I am not interested.'],
    said: [hello, first, `That is fine. ${second}`, 'I understand. Thank you for your time. Have a good day. Goodbye.'],
    ending: 'completed',
    statuses: ['refused', 'refused', 'not_asked'],
  },
  {
    name: 'no, thank you, to the introduction',
    lines: ['No, thank you.'],
    said: [hello, 'I understand. Thank you for your time. Have a good day. Goodbye.'],
    ending: 'completed',
    facts: [],
  },
  {
    name: 'no interest is an answer where interest was asked for',
    with: { questions: ['Would you like to see our new panels?', 'How many people live in your house?'] },
    lines: ['Yes', 'No, I am not interested.', 'Four'],
    said: [
      hello,
      'Would you like to see our new panels?',
      `I see. ${third}`,
      `Thank you for your time, Ada. Have a good day. Goodbye.`,
    ],
    values: [false, 4],
  },
  {
    name: 'several answers at once',
    lines: ['Yes', 'Yes, Tuesday at ten, and we are five people.'],
    said: [hello, first, `Great. ${goodbye}`],
    statuses: ['answered', 'answered', 'answered'],
    values: [true, visit, 5],
  },
  {
    name: 'small talk and a greeting',
    lines: ['I am good, how are you?', 'Nice weather today.', 'Hello? Are you still there?', 'No'],
    said: [
      hello,
      `I am doing well, thank you for asking. ${first}`,
      `Yes, indeed. ${first}`,
      `Yes, I am here. ${first}`,
      `I see. ${second}`,
    ],
  },
  {
    name: 'a moment to think',
    lines: ['Yes', 'Hold on, let me check.', 'Yes, we did.'],
    said: [hello, first, 'Of course, take your time.', `Great. ${second}`],
  },
  {
    name: 'a question that nothing answers',
    lines: ['Yes', 'How tall is your tower?', 'Yes'],
    said: [
      hello,
      first,
      `I am afraid I cannot answer that, but I have noted your question. ${first}`,
      `Great. ${second}`,
    ],
  },
  {
    name: 'goodbye with an answer',
    lines: ['Yes', 'Yes, we did. I have to go now, bye.'],
    said: [hello, first, 'Thank you for your time. Have a good day. Goodbye.'],
    ending: 'completed',
    statuses: ['answered', 'not_asked', 'not_asked'],
  },
  {
    name: 'a human is asked for, and no rule says where',
    lines: ['Can I talk to a real person please?'],
    said: [hello, 'I am an automated assistant. Somebody from Acme will call you back. Goodbye.'],
    ending: 'callback_requested',
    facts: ['callback undefined'],
  },
  {
    name: 'murmurs are no answer to an open question',
    with: { questions: ['How did you hear about us?'] },
    lines: ['Yes', 'Okay', 'From a friend of mine'],
    said: [hello, 'How did you hear about us?', 'Sorry, I did not catch that. How did you hear about us?', goodbye],
    statuses: ['answered'],
  },
  {
    name: 'words that were hardly understood',
    lines: ['Yes', { mumbles: 'Yes' }, { mumbles: 'Yes' }],
    said: [hello, first, `Sorry, I did not catch that. ${first}`, `No problem. ${second}`],
    statuses: ['unclear', 'unclear', 'not_asked'],
  },
  {
    name: 'the answer to a question in the introduction is a reaction',
    with: { introMessage: 'Hi, it is Robin. How are you today?', questions: ['How did you hear about us?'] },
    lines: ['I am fine', 'In the newspaper'],
    said: ['Hi, it is Robin. How are you today?', 'Thank you. How did you hear about us?', goodbye],
  },
  {
    name: 'no to the right person',
    with: { introMessage: 'Hi, am I speaking with {{name}}?' },
    lines: ['No.'],
    said: ['Hi, am I speaking with Ada Lovelace?', /wrong number/],
    ending: 'wrong_person',
  },
  {
    name: 'a greeting into the introduction has it said again',
    with: { introMessage: 'Hi Ada, we have news.' },
    lines: [{ cutsIn: 'Hello?' }, { cutsIn: 'Hello?' }],
    said: ['Hi Ada, we have news.', 'Hi Ada, we have news.', first],
  },
  {
    name: 'a message without questions',
    with: { introMessage: 'Your parcel is ready.', questions: [] },
    lines: ['Thank you.'],
    said: ['Your parcel is ready.', 'Thank you for your time. Have a good day. Goodbye.'],
    ending: 'completed',
  },
  {
    name: 'sad news',
    with: { questions: ['How are the new chairs?', 'Is there anything else?'] },
    lines: ['Yes', 'Unfortunately two of them are broken', 'No, nothing else. Thank you.'],
    said: [hello, 'How are the new chairs?', 'I am sorry to hear that. Is there anything else?', /Goodbye/],
    values: [null, false],
  },
];

describe('ScriptedMind', () => {
  for (const { name, with: changes = {}, lines, said, ending, facts, statuses, values } of dialogues) {
    it(name, async () => {
      const call = await callWith(changes, lines);
      for (const [index, line] of (said ?? []).entries()) {
        if (typeof line === 'string') assert.equal(call.said[index], line);
        else assert.match(call.said[index] ?? '', line);
      }
      if (ending !== undefined) assert.equal(call.ending, ending);
      if (statuses) assert.deepEqual(call.statuses, statuses);
      if (values) assert.deepEqual(call.values, values);
      if (facts) {
        const told = call.facts.map((fact) =>
          fact.kind === 'callback' ? `callback ${fact.at?.toISOString()}` : fact.kind,
        );
        assert.deepEqual(told, facts);
      }
    });
  }

  it('says the introduction when it hears somebody before it spoke', async () => {
    const mind = new ScriptedMind({ ...brief, introMessage: 'Hi Ada.' });
    const heard = { text: 'Hello?', confidence: 0.9, turn: 0, isInterruption: false };
    assert.equal((await mind.heard(heard)).say, 'Hi Ada.');
    assert.equal((await mind.heard({ ...heard, text: 'Yes' })).say, first);
  });

  it('speaks slower and faster as the person wishes', async () => {
    const slow = await callWith({}, ['Could you speak a bit slower?']);
    assert.ok(slow.mind.pace < 1);
    assert.equal(slow.said[1], 'Of course, I will speak more slowly. This is Robin from Acme. Do you have a minute?');
    assert.ok((await callWith({}, ['Yes', 'Can you speak faster?'])).mind.pace > 1);
    assert.equal((await callWith({}, ['Yes'])).mind.pace, 1);
  });

  it('records a wish not to be called again even after goodbye', async () => {
    const { mind } = await callWith({}, ['I am not interested.']);
    const move = await mind.heard({ text: 'And stop calling me!', confidence: 0.9, turn: 3, isInterruption: true });
    assert.deepEqual(move.facts, [{ kind: 'opted-out', turn: 3 }]);
    assert.equal(move.next.kind === 'hang-up' && move.next.ending.kind, 'opted_out');
  });

  it('sums up who was reached, what was answered and what comes next', async () => {
    const summary = async (lines: Line[]) => {
      const { mind, transcript } = await callWith({}, lines);
      return mind.result(transcript).summary;
    };
    assert.equal(
      await summary(['Yes', 'Yes, we did.', 'Call me back tomorrow at nine, I have no time.']),
      'Ada Lovelace was reached. 1 of 3 questions was answered: to "Did you receive our quote?" the answer was "Yes, we did." They asked to be called tomorrow at 9 AM.',
    );
    assert.equal(
      await summary(['Stop calling me.']),
      'Ada Lovelace was reached. None of 3 questions was answered. They asked not to be called again.',
    );
    assert.equal(await summary(['Wrong number.']), 'Ada Lovelace cannot be reached at this number.');
    assert.equal(
      await summary(['silence', 'silence', 'silence']),
      'Somebody answered but said nothing. None of 3 questions was answered.',
    );
  });

  it('names the turn and a confidence for each answer', async () => {
    const { mind, transcript } = await callWith({}, ['Yes', 'Yes, we did.']);
    const [answer] = mind.result(transcript).answers;
    assert.equal(answer?.turn, 3);
    assert.equal(transcript[3]?.text, answer?.answer);
    assert.ok(answer?.confidence && answer.confidence > 0.7 && answer.confidence < 0.95);
  });
});

const phrases = [
  'yes',
  'no',
  'okay',
  'who is this?',
  'are you a robot?',
  'can you repeat that?',
  'hold on',
  'how are you?',
  'tuesday at ten',
  'five',
  'I do not know',
  'I would rather not say',
  'call me later',
  'not interested',
  'bye',
  'mm-hm',
  'hello?',
  'slower please',
  'I cannot hear you',
  'what do you mean?',
  'the price',
  'how much is it?',
  'stop calling me',
  'tomorrow',
  'a human please',
  'my lawyer',
  '',
];
const anyLine = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...phrases) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 40 }) },
  { weight: 2, arbitrary: fc.array(fc.constantFrom(...phrases), { maxLength: 4 }).map((all) => all.join(', ')) },
);
const anyRules = fc.subarray([
  'Never mention Acme',
  'Never mention thank you or goodbye',
  'If they ask about the price, say it is low',
  'Always say that we are open at the end',
  'Do not ask about people',
  'Keep it under 1 minute',
]);

describe('ScriptedMind, whatever is said', () => {
  it('ends in time, asks nothing after a wish not to be called, and says no forbidden word', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(anyLine, fc.boolean(), fc.constantFrom(0.1, 0.6, 0.95)), { minLength: 21, maxLength: 21 }),
        anyRules,
        async (lines, rules) => {
          const mind = new ScriptedMind({ ...brief, rules });
          const forbidden = rules.includes('Never mention Acme') ? /\bacme\b/i : /$^/;
          let move = mind.introduction();
          let count = 0;
          for (const [text, isInterruption, confidence] of lines) {
            assert.doesNotMatch(move.say, /[{}]/);
            assert.doesNotMatch(move.say, forbidden);
            if (rules.includes('Never mention thank you or goodbye'))
              assert.doesNotMatch(move.say, /\bthank you|goodbye\b/i);
            if (rules.includes('Do not ask about people')) assert.doesNotMatch(move.say, /How many people/);
            if (move.facts?.some(({ kind }) => kind === 'opted-out')) {
              assert.equal(move.next.kind, 'hang-up');
              assert.doesNotMatch(move.say, /\?/);
            }
            if (move.next.kind !== 'listen') break;
            move = await mind.heard({ text, confidence, turn: count, isInterruption });
            count++;
          }
          assert.notEqual(move.next.kind, 'listen');
          const { answers, rules: verdicts, summary } = mind.result([]);
          assert.equal(answers.length, brief.questions.length);
          assert.equal(verdicts.length, rules.length);
          assert.notEqual(summary, '');
        },
      ),
      { numRuns: 300 },
    );
  });

  it('ends in time with somebody who says the same again and again', async () => {
    const most = brief.questions.length * 3 + 12;
    for (const phrase of phrases) {
      for (const opening of ['Yes', phrase]) {
        const call = await callWith({}, [opening, ...Array<string>(most - 1).fill(phrase)]);
        assert.notEqual(call.ending, undefined, phrase);
      }
    }
  });

  it('takes any brief', async () => {
    const text = fc.string({ unit: 'binary', maxLength: 60 });
    await fc.assert(
      fc.asyncProperty(
        fc.record({
          agent: fc.record({ name: text, company: text }),
          calleeName: text,
          introMessage: text,
          introNotes: text,
          questions: fc.array(text, { maxLength: 3 }),
          rules: fc.array(text, { maxLength: 3 }),
          form: fc.array(fc.record({ key: text, value: text }), { maxLength: 3 }),
        }),
        text,
        async (changes, line) => {
          const mind = new ScriptedMind({ ...brief, ...changes });
          mind.introduction();
          mind.menu(line);
          mind.screener();
          mind.voicemail();
          await mind.heard({ text: line, confidence: 1, turn: 1, isInterruption: false });
          await mind.silence();
          mind.result([{ speaker: 'callee', text: line }]);
        },
      ),
      { numRuns: 300 },
    );
  });
});
