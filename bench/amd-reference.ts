/** What Asterisk's AMD says, and why, in the words of its channel variables. */
export interface AmdVerdict {
  status: 'HUMAN' | 'MACHINE' | 'NOTSURE';
  cause: 'INITIALSILENCE' | 'HUMAN' | 'LONGGREETING' | 'MAXWORDLENGTH' | 'MAXWORDS' | 'TOOLONG';
  atMs: number;
}

/** The defaults of Asterisk 22's amd.conf, in ms. */
export const amdDefaults = {
  initialSilence: 2_500,
  greeting: 1_500,
  afterGreetingSilence: 800,
  totalAnalysisTime: 5_000,
  minimumWordLength: 100,
  betweenWordsSilence: 50,
  maximumNumberOfWords: 3,
  maximumWordLength: 5_000,
  /** Of the mean magnitude of a frame's samples. */
  silenceThreshold: 256,
};

const frameMs = 20;

/**
 * The rules of Asterisk's AMD() on 8 kHz sound: it counts stretches of voice as words and judges by how
 * many there are, how long they last, and the silence before and after them. It hears levels, no words.
 */
export function judgeByAmdRules(samples: Int16Array, rules = amdDefaults): AmdVerdict {
  const frame = 160;
  let silence = 0;
  let voice = 0;
  let word = 0;
  let words = 0;
  let isInWord = true;
  let isGreeting = false;
  const totalFrames = Math.floor(samples.length / frame);
  for (let index = 0; index < totalFrames; index++) {
    const atMs = (index + 1) * frameMs;
    if (atMs >= rules.totalAnalysisTime) return { status: 'NOTSURE', cause: 'TOOLONG', atMs };
    if (meanMagnitude(samples.subarray(index * frame, (index + 1) * frame)) < rules.silenceThreshold) {
      silence += frameMs;
      if (silence >= rules.betweenWordsSilence) {
        isInWord = false;
        word = 0;
      }
      if (!isGreeting && silence >= rules.initialSilence) return { status: 'MACHINE', cause: 'INITIALSILENCE', atMs };
      if (isGreeting && silence >= rules.afterGreetingSilence) return { status: 'HUMAN', cause: 'HUMAN', atMs };
      continue;
    }
    silence = 0;
    word += frameMs;
    voice += frameMs;
    if (word >= rules.minimumWordLength && !isInWord) {
      words++;
      isInWord = true;
    }
    if (word >= rules.maximumWordLength) return { status: 'MACHINE', cause: 'MAXWORDLENGTH', atMs };
    if (words >= rules.maximumNumberOfWords) return { status: 'MACHINE', cause: 'MAXWORDS', atMs };
    if (isGreeting && voice >= rules.greeting) return { status: 'MACHINE', cause: 'LONGGREETING', atMs };
    if (word >= rules.minimumWordLength) isGreeting = true;
  }
  return { status: 'NOTSURE', cause: 'TOOLONG', atMs: totalFrames * frameMs };
}

function meanMagnitude(frame: Int16Array): number {
  return frame.reduce((sum, sample) => sum + Math.abs(sample), 0) / frame.length;
}
