import type { Handset, Person } from './person.ts';
import { type Reply, replyTo } from './replies.ts';

const ringMs = 1_000;
const patienceMs = 12_000;
/** Where nothing was asked, something may still follow. */
const afterthoughtMs = 1_200;
/** It sounds as machines do. */
const machine = 'kal16';

/** What somebody says to what was heard; the first turn is 0. */
type Replies = (text: string, turn: number) => Reply;

/** Says these first, whatever is heard, then goes on otherwise; a goodbye gets a goodbye. */
function saying(first: readonly string[], then: Replies): Replies {
  return (text, turn) => {
    const reply = replyTo(text, turn);
    if (turn > 0 && reply.kind === 'goodbye') return reply;
    const say = first[turn];
    return say === undefined ? then(text, turn) : { kind: 'open', say };
  };
}

/** After the first words have been exchanged in another way. */
const goingOn: Replies = (text, turn) => replyTo(text, turn + 1);

/** These, one after the other, again and again. */
function only(...lines: readonly string[]): Replies {
  return (_, turn) => ({ kind: 'open', say: lines[turn % lines.length] ?? '' });
}

/** "Hello?" alone is half the time understood as "No." in these voices. */
async function pickUp(phone: Handset): Promise<void> {
  await phone.ring(ringMs);
  await phone.answer();
  await phone.wait(300);
  await phone.say('Good morning.');
}

/** Replies to whatever is said, and asks twice into a silence before it hangs up. */
async function converse(phone: Handset, replies: Replies = replyTo): Promise<never> {
  let silences = 0;
  for (let turn = 0; ; ) {
    const heard = await phone.listen(patienceMs);
    if (heard.kind === 'silence') {
      if (++silences > 2) phone.hangUp();
      await phone.say('Are you still there?');
    }
    if (heard.kind !== 'spoke') continue;
    silences = 0;
    const { kind, say } = await replyToAll(phone, replies, heard.text, turn++);
    await phone.say(say);
    if (kind === 'goodbye') {
      await phone.wait(1_000);
      phone.hangUp();
    }
  }
}

async function replyToAll(phone: Handset, replies: Replies, text: string, turn: number): Promise<Reply> {
  const reply = replies(text, turn);
  if (reply.kind !== 'statement' || text === '') return reply;
  const more = await phone.listen(afterthoughtMs);
  return more.kind === 'spoke' ? replies(`${text} ${more.text}`, turn) : reply;
}

async function friendly(phone: Handset): Promise<void> {
  await pickUp(phone);
  await converse(phone);
}

async function voicemail(phone: Handset, hasBeep: boolean): Promise<void> {
  await phone.ring(ringMs);
  await phone.answer();
  await phone.wait(400);
  await phone.say(
    'Hello, you have reached the voicemail of Alex Miller. I cannot take your call right now. Please leave a message after the tone and I will call you back.',
  );
  if (hasBeep) await phone.beep();
  const longestMessageMs = 120_000;
  const silentMs = 6_000;
  for (const endAt = Date.now() + longestMessageMs; Date.now() < endAt; ) {
    if ((await phone.listen(silentMs)).kind === 'silence') break;
  }
  phone.hangUp();
}

async function menu(phone: Handset): Promise<void> {
  await phone.ring(ringMs);
  await phone.answer();
  await phone.wait(300);
  for (let round = 0; round < 3; round++) {
    await phone.say('Thank you for calling Acme. Press one for sales. Press two for support.', machine);
    for (;;) {
      const heard = await phone.listen(6_000);
      if (heard.kind === 'silence') break;
      if (heard.kind !== 'digit') continue;
      if (heard.digit === '1' || heard.digit === '2') {
        await phone.wait(500);
        await phone.say(`Hello, this is ${heard.digit === '1' ? 'sales' : 'support'}, how can I help you?`);
        await converse(phone);
      }
      await phone.say('That is not a valid choice.', machine);
      break;
    }
  }
  phone.hangUp();
}

async function screener(phone: Handset): Promise<void> {
  await phone.ring(ringMs);
  await phone.answer();
  await phone.wait(300);
  await phone.say(
    'Hi. The person you are calling is using a screening service. Please say your name and why you are calling.',
    machine,
  );
  for (let round = 0; ; round++) {
    const heard = await phone.listen(15_000);
    if (heard.kind === 'silence' || round === 3) phone.hangUp();
    if (heard.kind === 'spoke' && saysWhoAndWhy(heard.text)) break;
    await phone.say('Please say your name and why you are calling.', machine);
  }
  await phone.say('Thank you. Please stay on the line.', machine);
  await phone.wait(3_000);
  await phone.say('Hello, this is Alex, what is it about?');
  await converse(phone, goingOn);
}

/** A "Hello?" does not; what was not understood may. */
function saysWhoAndWhy(text: string): boolean {
  return text === '' || text.split(' ').length >= 4;
}

const unlisted: Person = { about: 'a friendly person', live: friendly };

/** Who is behind which number. */
export const people: ReadonlyMap<string, Person> = new Map<string, Person>([
  ['+12025550100', { about: 'a friendly person answers every question', live: friendly }],
  [
    '+12025550101',
    {
      about: 'busy',
      live: async (phone) => phone.refuse(486, 'Busy Here', 17),
    },
  ],
  [
    '+12025550102',
    {
      about: 'rings, nobody answers',
      live: async (phone) => {
        await phone.ring(180_000);
        phone.refuse(480, 'Temporarily Unavailable', 19);
      },
    },
  ],
  [
    '+12025550103',
    {
      about: 'declines',
      live: async (phone) => {
        await phone.ring(ringMs);
        phone.refuse(603, 'Decline', 21);
      },
    },
  ],
  [
    '+12025550104',
    {
      about: 'voicemail with a greeting and a beep',
      voice: 'awb',
      hears: 'loudness',
      live: (phone) => voicemail(phone, true),
    },
  ],
  [
    '+12025550105',
    {
      about: 'voicemail with a greeting and no beep',
      voice: 'kal16',
      hears: 'loudness',
      live: (phone) => voicemail(phone, false),
    },
  ],
  [
    '+12025550106',
    {
      about: 'hangs up during the introduction',
      voice: 'awb',
      hears: 'loudness',
      live: async (phone) => {
        await pickUp(phone);
        await phone.listenInto(1_500, patienceMs);
        phone.hangUp();
      },
    },
  ],
  [
    '+12025550107',
    {
      about: 'interrupts while the assistant speaks',
      live: async (phone) => {
        await pickUp(phone);
        await phone.listenInto(1_200, patienceMs);
        await phone.say('Sorry, one moment, what is this about?');
        await converse(phone, goingOn);
      },
    },
  ],
  [
    '+12025550108',
    {
      about: 'asks not to be called again',
      voice: 'awb',
      live: async (phone) => {
        await pickUp(phone);
        await converse(
          phone,
          saying(['Please do not call me again, and take me off your list.'], only('As I said, stop calling me.')),
        );
      },
    },
  ],
  [
    '+12025550109',
    {
      about: 'asks to repeat, gives unclear answers',
      live: async (phone) => {
        await pickUp(phone);
        await converse(
          phone,
          saying(['Sorry, could you repeat that?'], only('Hard to say.', 'Well, it depends, I am not sure.')),
        );
      },
    },
  ],
  [
    '+12025550110',
    {
      about: 'answers and stays silent',
      hears: 'loudness',
      live: async (phone) => {
        await phone.ring(ringMs);
        await phone.answer();
        await phone.wait(300_000);
        phone.hangUp();
      },
    },
  ],
  ['+12025550111', { about: 'a call screener asks who is calling and why', live: screener }],
  ['+12025550112', { about: 'a menu: "press 1 for …"', live: menu }],
  [
    '+12025550113',
    {
      about: 'number does not exist (404)',
      live: async (phone) => phone.refuse(404, 'Not Found', 1),
    },
  ],
  [
    '+12025550114',
    {
      about: 'the carrier fails (503)',
      live: async (phone) => phone.refuse(503, 'Service Unavailable', 38),
    },
  ],
  [
    '+12025550115',
    {
      about: 'wrong person',
      voice: 'awb',
      live: async (phone) => {
        await pickUp(phone);
        await converse(
          phone,
          saying(['I am afraid you have the wrong number.'], only('No, as I said, you have the wrong number.')),
        );
      },
    },
  ],
  [
    '+12025550116',
    {
      about: 'asks "who is this?" and "are you a robot?"',
      live: async (phone) => {
        await pickUp(phone);
        await converse(phone, saying(['Who is this?', 'But are you a robot?'], replyTo));
      },
    },
  ],
  [
    '+12025550199',
    {
      about: 'rings the phone in your browser',
      live: async (phone) => phone.refuse(480, 'No browser phone is open', 20),
    },
  ],
]);

export function personAt(number: string): Person {
  return people.get(number) ?? unlisted;
}
