import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readWav } from '../src/rtp/wav.ts';

/** Debian's asterisk-core-sounds-en-wav: one woman's telephone prompts at 8 kHz. */
const folder = '/usr/share/asterisk/sounds/en_US_f_Allison';

export interface HumanItem {
  text: string;
  samples: Int16Array;
}

export function arePromptsInstalled(): boolean {
  return existsSync(folder);
}

function item([file, text]: [string, string]): HumanItem {
  const [samples = new Int16Array()] = readWav(readFileSync(join(folder, `${file}.wav`))).channels;
  return { text, samples };
}

export const humanSentences = (): HumanItem[] =>
  (
    [
      ['check-number-dial-again', 'Please check the number and dial again.'],
      ['conf-extended', 'The conference has been extended.'],
      ['conf-getconfno', 'Please enter your conference number followed by the pound key.'],
      ['conf-invalid', 'That is not a valid conference number. Please try again.'],
      ['conf-invalidpin', 'That pin is invalid for this conference.'],
      ['conf-leaderhasleft', 'The leader has left the conference.'],
      ['conf-locked', 'This conference is locked.'],
      ['conf-noempty', 'No empty conferences currently exist.'],
      ['conf-onlyone', 'There is currently one other participant in the conference.'],
      ['conf-onlyperson', 'You are currently the only person in this conference.'],
      ['conf-placeintoconf', 'You will now be placed into the conference.'],
      ['conf-waitforleader', 'The conference will begin when the leader arrives.'],
      ['demo-nomatch', "I'm sorry, there are no matches for those keywords."],
      ['feature-not-avail-line', 'That feature is not available on this line.'],
      ['pbx-invalidpark', 'I am sorry, but there is no call parked on that extension. Please try again.'],
      ['pls-hold-while-try', 'Please hold while we try to connect you.'],
      ['priv-callpending', 'I have a caller waiting who introduces themselves as'],
      ['priv-recordintro', 'At the tone, please say your name.'],
      ['privacy-prompt', 'Please enter your phone number, starting with the area code.'],
      ['privacy-unident', 'The party you are trying to reach does not accept unidentified calls.'],
      [
        'queue-periodic-announce',
        'All of our representatives are currently busy. Please stay on the line and your call will be answered by the next available representative.',
      ],
      ['queue-youarenext', 'Your call is now first in line and will be answered by the next available representative.'],
      ['ss-noservice', 'The number you have dialed is not in service. Please check the number and try again.'],
      ['tt-somethingwrong', 'Something is terribly wrong.'],
      ['tt-weasels', 'Weasels have eaten our phone system.'],
      ['vm-calldiffnum', 'Press two to enter a different number.'],
      ['vm-dialout', 'Please wait while I connect your call.'],
      ['vm-forward', 'Press one to enter an extension. Press two to use the directory.'],
      [
        'vm-instructions',
        'To listen to your messages, press one now. You may quit voicemail at any time by pressing the pound key.',
      ],
      ['vm-intro', 'Please leave your message after the tone. When done, hang up or press the pound key.'],
      ['vm-invalidpassword', 'That is not a valid password. Please try again.'],
      ['vm-mailboxfull', "Sorry, but the user's mailbox can't accept more messages."],
      ['vm-msgsaved', 'Your message has been saved.'],
      ['vm-nobodyavail', 'Nobody is available to take your call at the moment.'],
      ['vm-nobox', 'You cannot reply to this message because the sender does not have a mailbox.'],
      ['vm-nonumber', "I'm afraid I don't know who sent this message."],
      ['vm-rec-name', 'After the tone, say your name and then press the pound key.'],
      ['vm-repeat', 'Press five to repeat the current message.'],
      ['vm-savefolder', 'Which folder should I save this message to?'],
      ['vm-sorry', "I'm sorry, I did not understand your response."],
      ['vm-tempgreetactive', 'Your temporary greeting is currently active.'],
      ['vm-tocallback', 'Press two to call the person who sent this message.'],
      ['vm-tomakecall', 'Press four to place an outgoing call.'],
      ['vm-whichbox', 'To leave a message, please enter a mailbox number.'],
    ] as [string, string][]
  ).map(item);

const spokenNumbers =
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty';
const spokenDays = 'Sunday Monday Tuesday Wednesday Thursday Friday Saturday';
const spokenMonths = 'January February March April May June July August September October November December';

export const humanShortAnswers = (): HumanItem[] =>
  [
    ...spokenNumbers.split(' ').map((text, index): [string, string] => [`digits/${index}`, text]),
    ...spokenDays.split(' ').map((text, index): [string, string] => [`digits/day-${index}`, text]),
    ...spokenMonths.split(' ').map((text, index): [string, string] => [`digits/mon-${index}`, text]),
    ...([
      ['hello', 'Hello.'],
      ['goodbye', 'Goodbye.'],
      ['im-sorry', "I'm sorry."],
      ['digits/today', 'Today.'],
      ['digits/tomorrow', 'Tomorrow.'],
      ['one-moment-please', 'One moment, please.'],
      ['auth-thankyou', 'Thank you.'],
      ['please-try-again', 'Please try again.'],
      ['digits/yesterday', 'Yesterday.'],
      ['digits/30', 'Thirty.'],
      ['digits/40', 'Forty.'],
      ['digits/50', 'Fifty.'],
      ['digits/60', 'Sixty.'],
      ['digits/90', 'Ninety.'],
    ] as [string, string][]),
  ].map(item);
