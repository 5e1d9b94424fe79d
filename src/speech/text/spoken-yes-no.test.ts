import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { parseSpokenYesNo } from './spoken-yes-no.ts';

const yes = [
  'Yes.',
  'yeah',
  'Yep!',
  'yup',
  'Yes please',
  'yes, sir',
  'sure',
  'Sure, why not.',
  'of course',
  'absolutely',
  'I do',
  'Yes I do',
  "that's right",
  'correct',
  "That's correct.",
  'uh-huh',
  'Uh huh.',
  'Mm-hmm.',
  'No problem.',
  'Not a problem',
  'no worries',
  'why not',
  'Why not?',
  'okay',
  'right',
  'you bet',
  'sounds good',
  'I think so',
  'I guess so',
  "I'd love to",
  'exactly',
  'Um, yeah, I do.',
  'No, I mean yes.',
  'without a doubt',
  'I am',
  'go ahead',
  'for sure',
  'Definitely',
  'Oh, certainly.',
];
const no = [
  'No.',
  'nope',
  'nah',
  'No no no',
  'never',
  'not really',
  "I don't think so",
  'I don’t think so',
  'no thanks',
  'No, thank you.',
  "I'd rather not",
  'no way',
  'absolutely not',
  'of course not',
  'not at all',
  "I'm not interested",
  'not interested',
  "I don't",
  'I do not',
  'uh-uh',
  'Yes, sorry, I meant no.',
  'That is not correct',
  'not true',
  "that isn't right",
  "that's wrong",
  'wrong number',
  'I said no',
  'no, not really',
  'probably not',
  'definitely not',
  'not anymore',
  'Nope, sorry.',
  'negative',
];
const open = [
  '',
  'Hello?',
  "I don't know",
  'no idea',
  'not sure',
  "I'm not sure",
  'maybe',
  'yes and no',
  'Yes or no?',
  'not now',
  'not right now',
  'it depends',
  'Yeah, no.',
  "No, that's correct",
  'yes but not today',
  'I have no questions',
  'There is no one here',
  'I know',
  'I have a question',
  'I am a doctor',
  'I can hear you',
  'It is John',
  'I would like to speak to a human',
  'What?',
  'Who is this?',
  'The weather is nice',
  'can you repeat that',
  'kind of',
  'Okay, what is this about then',
  'let me think',
  'pardon',
];

describe('parseSpokenYesNo', () => {
  it('hears yes', () => {
    for (const heard of yes) assert.equal(parseSpokenYesNo(heard)?.value, 'yes', heard);
  });

  it('hears no', () => {
    for (const heard of no) assert.equal(parseSpokenYesNo(heard)?.value, 'no', heard);
  });

  it('leaves open what is neither, both or unknown', () => {
    for (const heard of open) assert.equal(parseSpokenYesNo(heard), undefined, heard);
  });

  it('is less sure of weak words, of questions and of what others said', () => {
    const confidence = (heard: string) => parseSpokenYesNo(heard)?.confidence ?? 0;
    assert.equal(confidence('Yes.'), 1);
    assert.ok(confidence('I guess so') < 0.7);
    assert.ok(confidence('Yes?') <= 0.4);
    assert.ok(confidence('he said yes to that last week') <= 0.4);
    assert.ok(confidence("Yes, I don't have any.") < 0.5);
  });

  it('never throws, and gives a confidence from 0 to 1', () => {
    const scraps = [...yes, ...no, ...open];
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: 'binary' }),
          fc.array(fc.constantFrom(...scraps), { maxLength: 4 }).map((all) => all.join(' ')),
        ),
        (text) => {
          const heard = parseSpokenYesNo(text);
          if (heard) assert.ok(heard.confidence >= 0 && heard.confidence <= 1);
        },
      ),
      { numRuns: 1000 },
    );
  });
});
