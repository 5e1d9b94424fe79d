import { compare, type Figure, type Measure } from './figure.ts';
import { batchSize, contactsBare, contactsOverHttp, newCampaign, withClient } from './harness/contact-load.ts';
import { interleave } from './harness/interleave.ts';
import { type Service, withService } from './harness/service.ts';

const inFlight = 2;
const startRows = 10_000;
const startRounds = 5;
// The last batches of a round have nothing to overlap with: with 10 batches that cost a tenth of the rate.
const startBatches = 40;

// Each segment grows the table by half a million; every row of it is stored under the clock, so that
// checkpoints and full-page writes fall where they fall in use.
const segments = 4;
const segmentRounds = 5;
const segmentBatches = 50;
const segmentRows = 2 * segmentRounds * segmentBatches * batchSize;

/** How contacts a second hold while one campaign grows to 2 million, and how the bare statement does. */
export const measureContactsGrowth: Measure = ({ signal }) =>
  withService({ signal }, async (service) => {
    const campaign = await newCampaign(service, 'Growing');
    const sides = (batches: number) => {
      const load = { service, campaign, batches, inFlight, signal };
      return { ours: () => contactsOverHttp(load), bare: () => contactsBare(load) };
    };
    const warmUp = sides(2 * segmentBatches);
    await warmUp.ours();
    await warmUp.bare();

    const start = sides(startBatches);
    const atStart = await interleave(
      startRounds,
      {
        ours: () => emptyTable(service).then(start.ours),
        bare: () => emptyTable(service).then(start.bare),
      },
      signal,
    );
    const figures = [toFigure(startRows, atStart)];
    let latest = atStart;
    for (let segment = 1; segment <= segments; segment++) {
      latest = await interleave(segmentRounds, sides(segmentBatches), signal);
      figures.push(toFigure(segment * segmentRows, latest));
    }
    return [
      ...figures,
      compare({ name: 'contacts at 2,000,000 rows', unit: 'contacts/s', goal: 0.7 }, latest.ours, {
        name: 'contacts at 10,000 rows',
        rounds: atStart.ours,
      }),
      compare({ name: 'bare statement at 2,000,000 rows', unit: 'contacts/s' }, latest.bare, {
        name: 'bare statement at 10,000 rows',
        rounds: atStart.bare,
      }),
    ];

    /** Empty but for the rows of the starting point. */
    async function emptyTable({ databaseUrl }: Service): Promise<void> {
      await withClient(databaseUrl, (client) => client.query('TRUNCATE contacts'));
      await contactsBare({ service, campaign, batches: startRows / batchSize, inFlight, signal });
    }
  });

function toFigure(rows: number, { ours, bare }: { ours: number[]; bare: number[] }): Figure {
  return compare({ name: `contacts up to ${rows.toLocaleString('en-US')} rows`, unit: 'contacts/s' }, ours, {
    name: 'bare statement',
    rounds: bare,
  });
}
