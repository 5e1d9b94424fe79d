import { Media } from '../../src/rtp/media.ts';
import { SdpSide } from '../../src/rtp/sdp.ts';

/** The other side of many calls: answers offers and sends 50 packets a second for each. */
const host = '127.0.0.1';
const media = new Media({ host, ports: { from: 41_000, to: 55_999 } });

process.on('message', async (offers: string[]) => {
  const answers: string[] = [];
  for (const offer of offers) {
    const line = await media.open();
    const answer = new SdpSide({ host, port: line.port, srtp: false }).answer(offer);
    if (typeof answer === 'string') throw new Error(answer);
    line.connect(answer.media);
    answers.push(answer.sdp);
  }
  process.send?.(answers);
});
process.on('disconnect', () => process.exit());
