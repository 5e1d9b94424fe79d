import type { Handset, Person } from './person.ts';

const ringMs = 1_000;
const patienceMs = 12_000;
const answers = [
  'Yes, that is right.',
  'Tuesday at ten would suit me well.',
  'About twenty people work here.',
  'My address is twelve Main Street.',
  'No, nothing else. Thank you.',
];

async function pickUp(phone: Handset, greeting = 'Hello?'): Promise<void> {
  await phone.ring(ringMs);
  await phone.answer();
  await phone.wait(300);
  await phone.say(greeting);
}

/** Answers whatever is said, in turn, and asks twice into a silence before it hangs up. */
async function converse(phone: Handset, replies: string[]): Promise<never> {
  let silences = 0;
  for (let turn = 0; ; ) {
    const heard = await phone.listen(patienceMs);
    if (heard.kind === 'spoke') {
      silences = 0;
      await phone.say(replies[turn++ % replies.length] ?? 'Yes.');
    } else if (heard.kind === 'silence') {
      if (++silences > 2) phone.hangUp();
      await phone.say('Hello? Are you still there?');
    }
  }
}

async function friendly(phone: Handset): Promise<void> {
  await pickUp(phone);
  await converse(phone, answers);
}

async function voicemail(phone: Handset, hasBeep: boolean): Promise<void> {
  await phone.ring(ringMs);
  await phone.answer();
  await phone.wait(400);
  await phone.say(
    'Hello, you have reached the voicemail of Ada. I cannot take your call right now. Please leave a message after the tone and I will call you back.',
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
  for (let round = 0; round < 3; round++) {
    await phone.say('Thank you for calling Acme. Press one for sales. Press two for support.');
    for (;;) {
      const heard = await phone.listen(6_000);
      if (heard.kind === 'silence') break;
      if (heard.kind !== 'digit') continue;
      if (heard.digit === '1' || heard.digit === '2') {
        await phone.say(heard.digit === '1' ? 'Sales, hello?' : 'Support, hello?');
        await converse(phone, answers);
      }
      await phone.say('That is not a valid choice.');
      break;
    }
  }
  phone.hangUp();
}

async function screener(phone: Handset): Promise<void> {
  await phone.ring(ringMs);
  await phone.answer();
  await phone.say(
    'Hi. The person you are calling is using a screening service. Please say your name and why you are calling.',
  );
  if ((await phone.listen(15_000)).kind === 'silence') phone.hangUp();
  await phone.say('Thank you. Please stay on the line.');
  await phone.wait(3_000);
  await phone.say('Hello, this is Ada. What is it about?');
  await converse(phone, answers);
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
  ['+12025550104', { about: 'voicemail with a greeting and a beep', live: (phone) => voicemail(phone, true) }],
  ['+12025550105', { about: 'voicemail with a greeting and no beep', live: (phone) => voicemail(phone, false) }],
  [
    '+12025550106',
    {
      about: 'hangs up during the introduction',
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
        await converse(phone, answers);
      },
    },
  ],
  [
    '+12025550108',
    {
      about: 'asks not to be called again',
      live: async (phone) => {
        await pickUp(phone);
        await phone.listen(patienceMs);
        await phone.say('Please do not call me again. Take me off your list.');
        await converse(phone, ['As I said, stop calling me.']);
      },
    },
  ],
  [
    '+12025550109',
    {
      about: 'asks to repeat, gives unclear answers',
      live: async (phone) => {
        await pickUp(phone);
        await converse(phone, [
          'Sorry, could you repeat that?',
          'Well, it depends, I am not sure.',
          'Pardon? I did not get that.',
          'Maybe. Hard to say.',
        ]);
      },
    },
  ],
  [
    '+12025550110',
    {
      about: 'answers and stays silent',
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
      live: async (phone) => {
        await pickUp(phone);
        await phone.listen(patienceMs);
        await phone.say('You have the wrong number. Nobody of that name lives here.');
        await converse(phone, ['No, as I said, wrong number.']);
      },
    },
  ],
  [
    '+12025550116',
    {
      about: 'asks "who is this?" and "are you a robot?"',
      live: async (phone) => {
        await pickUp(phone);
        await converse(phone, ['Who is this?', 'Are you a robot?', ...answers]);
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
