import { compare, type Figure, type Measure } from './figure.ts';
import { type Campaign, contactsBare, contactsOverHttp, newCampaign } from './harness/contact-load.ts';
import { interleave } from './harness/interleave.ts';
import { type Service, withService } from './harness/service.ts';

const requestsInFlight = [1, 4];
const rounds = 5;
const batchesPerRound = 50;

/** Contacts a second in batches of 1,000, beside the one statement that stores a batch. */
export const measureContacts: Measure = ({ signal }) =>
  withService({ signal }, async (service) => {
    const warmUp = { service, batches: batchesPerRound, inFlight: 2, signal };
    await contactsOverHttp({ ...warmUp, campaign: await newCampaign(service, 'Warm-up over HTTP') });
    await contactsBare({ ...warmUp, campaign: await newCampaign(service, 'Warm-up, bare') });
    // One campaign for each side: the same table, equally many rows.
    const campaigns = {
      ours: await newCampaign(service, 'Over HTTP'),
      bare: await newCampaign(service, 'Bare'),
    };
    const figures: Figure[] = [];
    for (const inFlight of requestsInFlight) figures.push(await compareAt(inFlight, service, campaigns, signal));
    return figures;
  });

async function compareAt(
  inFlight: number,
  service: Service,
  campaigns: { ours: Campaign; bare: Campaign },
  signal: AbortSignal,
): Promise<Figure> {
  const load = { service, batches: batchesPerRound, inFlight, signal };
  const rates = await interleave(
    rounds,
    {
      ours: () => contactsOverHttp({ ...load, campaign: campaigns.ours }),
      bare: () => contactsBare({ ...load, campaign: campaigns.bare }),
    },
    signal,
  );
  return compare({ name: `contacts, ${inFlight} in flight`, unit: 'contacts/s', goal: 0.8 }, rates.ours, {
    name: 'bare statement',
    rounds: rates.bare,
  });
}
