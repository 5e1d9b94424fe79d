/** What the benchmark's calls are about, and what the people who take them say. */
export const introMessage =
  'Hello, this is Robin from Acme. We visited your house last week to look at the roof, the windows and the front door, and I would like to ask you a few short questions about how it went and what we could do better.';

export const questions = [
  'Were you happy with our visit?',
  'How many people live in your house?',
  'When would another visit suit you?',
  'Is there anything else that we can do for you?',
];

/** To the introduction, then to each question. */
export const answers = [
  'Yes, sure, go ahead.',
  'Yes, I was very happy with it.',
  'There are five of us.',
  'Next Tuesday at ten would be good.',
  'No, that is all for now.',
];

export const interruptions = [
  'Sorry, what is this about?',
  'Wait a moment, who is calling?',
  'Excuse me, I have a question first.',
  'Hold on, I did not order anything.',
];

/** Hummed: the voices would spell it. */
export const mmHm = 'Mm-hm.';
export const backChannels = ['Okay.', 'Yeah.', 'Uh huh.', 'Right.', 'I see.', 'Sure.', mmHm];
