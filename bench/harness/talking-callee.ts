import { Media } from '../../src/rtp/media.ts';
import { joined } from '../../src/rtp/pcm.ts';
import { resample } from '../../src/rtp/resample.ts';
import type { Handset, Person } from '../../src/simulator/person.ts';
import { liveThrough } from '../../src/simulator/simulated-call.ts';
import { parseSipUri } from '../../src/sip/uri.ts';
import { UserAgent } from '../../src/sip/user-agent.ts';
import { type FliteVoice, runFlite } from '../../src/speech/embedded/flite.ts';
import { trimSilence } from '../../src/speech/embedded/trim-silence.ts';
import { randomFrom } from '../../test/harness/audio.ts';
import { answers, backChannels, interruptions, mmHm } from '../conversation-texts.ts';

/** Somebody to talk to who costs next to nothing: says what was rendered before, and hears by loudness. */
const host = '127.0.0.1';
const patienceMs = 15_000;
const voices = ['rms', 'awb', 'kal16'] as const satisfies FliteVoice[];
const random = randomFrom(20_261_115);
/** So that many calls at once are not all at the same sentence. */
const longestRingMs = Number(process.argv[2] ?? 0);

const sounds = new Map<string, Int16Array>();
function sound(voice: FliteVoice, text: string, sampleRate: number): Int16Array {
  const key = `${voice} ${sampleRate} ${text}`;
  const known = sounds.get(key);
  if (known) return known.slice();
  if (text === mmHm) return hummed(sampleRate);
  const spoken = runFlite({ text, voice, rate: 1 });
  const made = trimSilence(resample(spoken.samples, spoken.sampleRate, sampleRate), sampleRate);
  sounds.set(key, made);
  return made.slice();
}
/** Two hums through the nose, the second one higher: a low voice with overtones that fade quickly. */
function hummed(sampleRate: number): Int16Array {
  const hum = (pitch: number, ms: number) => {
    const length = (ms * sampleRate) / 1_000;
    return Int16Array.from({ length }, (_, at) => {
      const phase = (2 * Math.PI * pitch * at) / sampleRate;
      const voiced =
        Math.sin(phase) + 0.5 * Math.sin(2 * phase) + 0.2 * Math.sin(3 * phase) + 0.05 * Math.sin(8 * phase);
      return 4_000 * Math.sin((Math.PI * at) / length) * voiced;
    });
  };
  return joined(hum(115, 180), new Int16Array((40 * sampleRate) / 1_000), hum(140, 220));
}

for (const voice of voices) {
  for (const text of ['Hello?', ...answers, ...interruptions, ...backChannels]) sound(voice, text, 8_000);
}

const one = <T>(list: readonly T[]) => list[Math.floor(random() * list.length)] as T;

async function pickUp(phone: Handset): Promise<void> {
  await phone.ring(100 + random() * longestRingMs);
  await phone.answer();
  await phone.wait(300 + random() * 500);
  await phone.say('Hello?');
}

const people: Record<string, Person['live']> = {
  // Answers one question after the other.
  0: async (phone) => {
    await pickUp(phone);
    for (let turn = 0; ; ) {
      const heard = await phone.listen(patienceMs);
      if (heard.kind === 'spoke') await phone.say(answers[turn++ % answers.length] as string);
      else if (heard.kind === 'silence') phone.hangUp();
    }
  },
  // Speaks into what is said, three times.
  1: async (phone) => {
    await pickUp(phone);
    for (let turn = 0; turn < 3; turn++) {
      const heard = await phone.listenInto(turn === 0 ? 2_500 : 1_200 + random() * 800, patienceMs);
      if (heard.kind !== 'speaking') break;
      await phone.say(one(interruptions));
    }
    await phone.listen(patienceMs);
    phone.hangUp();
  },
  // Says that it listens, now and then.
  2: async (phone) => {
    await pickUp(phone);
    for (let turn = 0; turn < 4; turn++) {
      const heard = await phone.listenInto(2_500 + random() * 1_500, patienceMs);
      if (heard.kind !== 'speaking') break;
      await phone.say(one(backChannels));
    }
    await phone.listen(patienceMs);
    phone.hangUp();
  },
};

const media = new Media({ host, ports: { from: 40_000, to: 49_999 } });
const agent = new UserAgent({
  host,
  port: 0,
  onInvite: (call) => {
    const number = parseSipUri(call.request.uri)?.user?.split(';')[0] ?? '';
    const voice = one(voices);
    const live = people[number.slice(-4, -3)] ?? people['0'];
    const person: Person = { about: '', live: live as Person['live'] };
    const parts = { media, voice: async (text: string, rate: number) => sound(voice, text, rate), stt: undefined };
    void liveThrough(call, person, parts);
  },
});
await agent.listen();
process.send?.(agent.localPort('udp'));
process.on('disconnect', () => process.exit());
