import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { after, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Media } from '../../src/rtp/media.ts';
import { PhoneNetwork } from '../../src/simulator/phone-network.ts';
import { startCallCentre } from '../harness/call-centre.ts';
import { collectGarbage, inspectorUrlIn } from '../harness/collect-garbage.ts';
import { residentMegabytes } from '../harness/resident-memory.ts';

const rounds = Number(process.env['FAULT_ROUNDS'] ?? 20);
/** 5,000 in twenty rounds. */
const callsInRound = 250;
/** What a day brings, mostly: busy, declined, no such number, a carrier that fails, people who hang up or only listen. */
const numbers = ['0101', '0103', '0113', '0114', '0101', '0103', '0199', '0106', '0113', '0106'];
const host = '127.0.0.1';
/** What the allocators do not give back; five kilobytes for each call would be 25 MB in a whole day. */
const strayMegabytes = 20;
/** Of all speech workers, which are not made to collect theirs: a rendering or an inference. */
const uncollectedMegabytes = 100;

describe(`a day of ${rounds * callsInRound} calls`, () => {
  it('leaves nothing behind: each call ended, no slot taken, memory, files and sockets as before', async (t) => {
    const media = new Media({ host, ports: { from: 30_000, to: 34_999 } });
    const network = new PhoneNetwork({ host, port: 0, media });
    await network.listen();
    after(async () => {
      await network.close();
      await media.close();
    });
    const centre = await startCallCentre({
      PARLEY_SIP_TRUNK: network.trunk,
      PARLEY_MAX_CALLS: '40',
      PARLEY_LOG_LEVEL: 'error',
      NODE_OPTIONS: '--inspect=127.0.0.1:0',
    });
    const processId = centre.parley.child.pid as number;
    const serviceMegabytes: number[] = [];
    const speechMegabytes: number[] = [];
    const files: number[] = [];
    const outcomes = new Map<string, number>();
    // The first round fills pools and caches.
    for (let round = 0; round <= rounds; round++) {
      const placed = await Promise.all(
        Array.from({ length: callsInRound }, (_, index) =>
          centre.place(`+1202555${numbers[index % numbers.length]}`, {
            introMessage: 'Hello Ada, this is Robin from Acme.',
          }),
        ),
      );
      for (const callId of placed) {
        const { outcome } = await centre.ended(callId);
        outcomes.set(outcome?.kind ?? '', (outcomes.get(outcome?.kind ?? '') ?? 0) + 1);
      }
      await sleep(2_000); // what is closed is closed within a moment
      await collectGarbage(inspectorUrlIn(centre.parley.output()));
      serviceMegabytes.push(residentMegabytes(processId));
      speechMegabytes.push(childrenOf(processId).reduce((sum, id) => sum + residentMegabytes(id), 0));
      files.push(readdirSync(`/proc/${processId}/fd`).length);
    }
    t.diagnostic(`the service after each round: ${serviceMegabytes.map(Math.round).join(', ')} MB`);
    t.diagnostic(`what it started, speech above all: ${speechMegabytes.map(Math.round).join(', ')} MB`);
    t.diagnostic(`open files and sockets: ${files.join(', ')}`);
    t.diagnostic(`outcomes: ${JSON.stringify(Object.fromEntries(outcomes))}`);
    const { body } = await centre.api('GET', '/api/v1/calls?status=in_progress');
    assert.deepEqual(body.data, []);
    const calls = (rounds + 1) * callsInRound;
    assert.deepEqual(Object.fromEntries(outcomes), {
      busy: calls * 0.2,
      declined: calls * 0.2,
      invalid_number: calls * 0.2,
      carrier_failed: calls * 0.1,
      no_answer: calls * 0.1,
      hung_up: calls * 0.2,
    });
    const [, warm = 0] = serviceMegabytes;
    assert.ok((serviceMegabytes.at(-1) as number) < warm + strayMegabytes, serviceMegabytes.join(', '));
    const early = Math.max(...speechMegabytes.slice(0, Math.ceil(speechMegabytes.length / 2)));
    assert.ok((speechMegabytes.at(-1) as number) < early + uncollectedMegabytes, speechMegabytes.join(', '));
    assert.ok((files.at(-1) as number) <= Math.max(...files.slice(0, 2)) + 5, files.join(', '));
  });
});

function childrenOf(processId: number): number[] {
  return readFileSync(`/proc/${processId}/task/${processId}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
}
