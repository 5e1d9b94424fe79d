import { pcmu } from '../src/rtp/g711.ts';
import { joined } from '../src/rtp/pcm.ts';
import { resample } from '../src/rtp/resample.ts';
import { type FliteVoice, runFlite } from '../src/speech/embedded/flite.ts';
import { randomFrom } from '../test/harness/audio.ts';

export const lineRate = 8_000;

export const testVoices = ['slt', 'rms', 'awb', 'kal16'] as const satisfies FliteVoice[];

export interface SpokenItem {
  text: string;
  voice: FliteVoice;
  pace: number;
  /** Of speech to noise; absent: no noise but that of µ-law. */
  noiseDb?: number;
}

/** Answers as people give them on the telephone; nothing of them was looked at when the decoder was tuned. */
export const testSentences = [
  'I would prefer an appointment on Wednesday afternoon.',
  'We moved into this house about three years ago.',
  'The heating stopped working last night and it is getting cold.',
  'My wife usually takes care of the insurance.',
  'Could you please send me the details by email?',
  'I already talked to one of your colleagues yesterday.',
  'There are four of us, two adults and two children.',
  'We are looking for something with a small garden.',
  'I work from home, so any time in the morning is fine.',
  'The last bill was much higher than I expected.',
  'Let me check my calendar before I say yes.',
  'No, I have never used a service like that before.',
  'The front door needs to be replaced before winter.',
  'It depends on how much it would cost every month.',
  'I think the old contract runs until the end of June.',
  'You can reach me at this number after six.',
  'We have two cars and one of them is electric.',
  'She is not at home right now, can I take a message?',
  'I saw your advertisement in the newspaper last week.',
  'My main concern is the noise from the street.',
  'Please put me down for the second of December.',
  'The kitchen is more important to us than the bathroom.',
  'I would say about fifteen minutes by car.',
  'Honestly, I am quite happy with what we have.',
  'We would need it delivered before the holidays.',
  'My neighbor told me that you also repair roofs.',
  'I am calling back because I missed your call.',
  'The building was constructed in nineteen seventy two.',
  'He will be back in the office on Monday morning.',
  'That sounds interesting, but I need to think about it.',
];

export const testShortAnswers = [
  'Yes.|No.|Yeah, sure.|No, thank you.|Not yet.|Maybe later.|I think so.|Seven.|Twelve.|Thirty five.',
  'Two hundred.|Next Thursday.|In the evening.|On Saturday.|This is Peter.|Just one.|Never.|Every week.',
  "About ten.|I don't remember.|Can you repeat that?|Who is calling?|By email, please.|October.",
  'Nine thirty.|Very happy.|My husband.|Not interested.|Go ahead.|Goodbye.',
].flatMap((line) => line.split('|'));

/** For trying changes of the decoder and its settings: other sentences, other voices' paces. */
export const tuningSentences = [
  'I have been a customer for more than ten years.',
  'The water in the basement is getting higher.',
  'Can we talk about this again in the spring?',
  'My daughter starts school in September.',
  'We had a very good experience with the last visit.',
  'Tuesday is difficult, but Thursday would work.',
  'I do not want to change anything at the moment.',
  'The office is on the third floor, next to the elevator.',
  'How long would the whole installation take?',
  'I paid the invoice at the beginning of the month.',
];

export const tuningShortAnswers = [
  "Nope.|Of course.|Four.|Eight.|Fifty.|Monday.|Tomorrow.|Hello?|Speaking.|Okay.|I don't know.",
  'Wrong number.|Stop calling me.|Next week.|Absolutely.|Two.|Three thirty.|Who is this?',
  'Probably not.|Sure thing.|That works for me.|Eleven.|Six.|Nineteen.|Forty two.|One hundred and ten.|Last Friday.',
  'In the morning.|On Sunday.|My name is Susan.|Only two.|Always.|Once a month.|About twenty.|I have no idea.',
  'Say that again, please.|Who are you?|By phone, please.|February.|Ten fifteen.|Quite satisfied.|My wife.',
  "I am not interested.|Please continue.|Bye.|Yes, please.|No, I don't.|Not at all.|Maybe tomorrow.|I suppose so.",
  'Three.|Five.|Fourteen.|Sixty.|A thousand.|Next Tuesday.|At noon.|After work.|This is Mary.|Just the two of us.',
  'Sometimes.|Twice a year.|Around fifty.|I forgot.|What did you say?|What is this about?|By mail.|August.',
  'Half past eight.|Not happy.|My son.|No way.|Hold on.|Thank you.|Excellent.|Terrible.|It was good.|Pretty bad.',
  'I rent.|We own it.|A house.|An apartment.|Two bedrooms.|Gas.|Electric.|Neither.|Both.|The first one.',
].flatMap((line) => line.split('|'));

/** As short, but nothing that many people say: what must not suffer from a preference for what they do say. */
export const tuningUnusualAnswers = [
  'The blue one.|We sold it.|Nobody told me.|Send it to me.|She moved out.|Near the station.|It broke again.',
  'My landlord pays.|Try the office.|They were late.|He fixed it.|It smells bad.|Green, I think.|Ask my brother.',
  'No one came.|The kitchen.|In Boston.|At the bank.|With milk.|For my mother.|Since the storm.|Too expensive.',
  'A red car.|It is raining.|Our roof leaks.|We have a dog.|Left side.|Upstairs.|Downtown.|I work nights.',
  'Never heard of it.|Ask again later.|He is sleeping.|She is out.|They left.|Over there.|Room twelve.',
  'Behind the church.|On the corner.|The old one.|Okay, go ahead.|Sure, go ahead.|Yes, at ten.|No, my wife does.',
  'Okay, who is it?|No, it was bad.|Yes, on Monday.|No, just me.|Well, maybe.|Right, I see.|Hello, who is it?',
  'Sorry, I am busy.|Fine, go on.|Thanks, but no.|No, five.|Yes, two.|Ten or twelve.|Monday or Tuesday.',
  'Once or twice.|In May or June.',
].flatMap((line) => line.split('|'));

/** What a telephone delivers: 8 kHz, µ-law, silence around it, and noise where the item has some. */
export function spoken({ text, voice, pace, noiseDb }: SpokenItem, seed: number): Int16Array {
  const sound = runFlite({ text, voice, rate: pace });
  const speech = resample(sound.samples, sound.sampleRate, lineRate);
  const silence = new Int16Array((lineRate * 4) / 10);
  const line = joined(silence, speech, new Int16Array(lineRate * 2));
  if (noiseDb !== undefined) addNoise(line, loudness(speech) / 10 ** (noiseDb / 20), seed);
  return throughMuLaw(line);
}

export function throughMuLaw(samples: Int16Array): Int16Array {
  const payload = new Uint8Array(samples.length);
  pcmu.newEncoder()(samples, payload);
  const decoded = new Int16Array(samples.length);
  pcmu.newDecoder()(payload, decoded);
  return decoded;
}

export function addNoise(samples: Int16Array, level: number, seed: number): void {
  const random = randomFrom(seed);
  // Brown at heart, as in rooms and cars: white noise alone would leave the low band to the voice.
  let low = 0;
  for (let at = 0; at < samples.length; at++) {
    const white = (random() + random() + random() - 1.5) * 2;
    low = 0.9 * low + 0.1 * white;
    const noise = (0.6 * white + 2.2 * low) * level;
    samples[at] = Math.max(-32_768, Math.min(32_767, Math.round((samples[at] as number) + noise)));
  }
}

/** The root mean square of the parts that are not silent. */
export function loudness(samples: Int16Array): number {
  let [sum, count] = [0, 0];
  for (const sample of samples) {
    if (Math.abs(sample) < 100) continue;
    sum += sample * sample;
    count++;
  }
  return Math.sqrt(sum / Math.max(1, count));
}
