import { type Command, InvalidArgumentError } from 'commander';
import type { CountryCode } from 'libphonenumber-js/min';
import { type Campaign, campaignInput } from '../domain/campaign.ts';
import { ask, refusal } from './ask-service.ts';
import type { Columns } from './contact-columns.ts';
import { readContactRows } from './contact-rows.ts';
import { readCsvRecords } from './csv-records.ts';
import { exitCode, Failure, toFailure } from './failure.ts';
import { addApiKeyOption, findService, need, type ServiceFlags } from './find-service.ts';
import { openReport } from './import-report.ts';
import { type ImportEnd, importRows } from './import-rows.ts';
import { importSummary } from './import-summary.ts';
import { outputOf, printable, remark } from './output.ts';
import { showProgress } from './progress.ts';
import { stopOnSignal } from './stop-on-signal.ts';
import { decodeText, openSource } from './text-source.ts';
import { validateId } from './validate.ts';
import { checkContacts, contactWriter } from './write-contacts.ts';

type ImportOptions = ServiceFlags & {
  campaign?: string;
  country?: CountryCode;
  dryRun?: boolean;
  report?: string;
  batch: number;
};

export function addContactsCommands(program: Command): void {
  const contacts = program
    .command('contacts')
    .description('work with the contacts of a campaign')
    .addHelpText('after', '\nExample:\n  parley contacts import people.csv --dry-run');

  const command = contacts
    .command('import')
    .description('add or update contacts from a CSV file with a header line; - reads stdin')
    .argument('<file>', 'CSV with commas, semicolons or tabs')
    .option('--campaign <campaign-id>', 'the campaign; else the one in credentials.json')
    .option('--country <code>', "where numbers without a country code are; else the campaign's country", readCountry)
    .option('--dry-run', 'check every row and send nothing')
    .option('--report <file>', 'write a CSV with what became of every row')
    .option('--batch <rows>', 'rows in one request', readBatchSize, 1000);
  addApiKeyOption(command)
    .addHelpText(
      'after',
      `
Columns are found by their names: phone (or mobile, tel, …), first name, last name, email.
Every other column becomes metadata of the contact. Empty cells leave the old value as it is.

Examples:
  parley contacts import people.csv --dry-run
  parley contacts import people.csv --country GB --report report.csv`,
    )
    .action(importFile);
}

async function importFile(path: string, options: ImportOptions, command: Command): Promise<void> {
  const dryRun = options.dryRun === true;
  const service = await findService(options);
  const { url } = service;
  const apiKey = need(service.apiKey, '--api-key or PARLEY_API_KEY', service);
  const asked = need(options.campaign ?? service.campaignId, '--campaign', service);
  const { campaignId, country } = await fetchCampaign(url, apiKey, validateId(asked, 'parley campaign list'));

  const { signal } = stopOnSignal();
  const source = await openSource(path, signal);
  try {
    const records = readCsvRecords(decodeText(source.chunks));
    const { columns, rows } = await readContactRows(records, options.country ?? (country as CountryCode));
    describeColumns(columns);
    const report = await openReport(options.report, path);
    const progress = showProgress();
    const summary = importSummary({ campaignId, dryRun }, outputOf(command).json);
    const onRetry = (reason: string, delayMs: number) =>
      progress.note(`The service gave ${reason}; trying again in ${(delayMs / 1000).toFixed(1)} s …`);
    const end = await importRows(rows, {
      batchSize: options.batch,
      write: dryRun ? checkContacts : contactWriter({ url, apiKey, campaignId }, { signal, onRetry }),
      signal,
      async onResults(results) {
        summary.add(results);
        const { rows, failed } = summary.counts;
        progress.update(rows, failed, source.size && source.bytesRead() / source.size);
        await report.add(results);
      },
    });
    progress.end();
    summary.end(end);
    await report.close();
    process.exitCode = exitCodeOf(end, summary.counts.failed);
  } finally {
    source.close();
  }
}

function exitCodeOf(end: ImportEnd, failed: number): number {
  if (end.kind === 'failed') return toFailure(end.error).exitCode;
  if (end.kind === 'interrupted') return exitCode.interrupted;
  return failed > 0 ? exitCode.partlyDone : exitCode.ok;
}

async function fetchCampaign(url: string, apiKey: string, campaignId: string): Promise<Campaign> {
  const path = `/api/v1/campaigns/${campaignId}`;
  const answer = await ask(url, { method: 'GET', path, headers: { 'x-api-key': apiKey } });
  if (answer.status !== 200) throw refusal(url, answer);
  const campaign = answer.body as Campaign;
  if (campaign.status === 'archived') {
    throw new Failure(exitCode.refused, 'The campaign is archived: it takes no contacts.');
  }
  return campaign;
}

function describeColumns({ fields, metadata }: Columns): void {
  const found = Object.entries(fields).flatMap(([field, column]) =>
    column === undefined ? [] : [`${field} (column ${column + 1})`],
  );
  const rest = metadata.length > 0 ? `; metadata: ${metadata.map(({ key }) => key).join(', ')}` : '';
  remark(printable(`Columns: ${found.join(', ')}${rest}`));
}

function readCountry(value: string): string {
  const parsed = campaignInput.shape.country.safeParse(value.toUpperCase());
  if (parsed.success) return parsed.data;
  throw new InvalidArgumentError('It must be a two-letter country code such as US.');
}

function readBatchSize(value: string): number {
  if (/^\d{1,5}$/.test(value) && Number(value) >= 1 && Number(value) <= 10_000) return Number(value);
  throw new InvalidArgumentError('It must be a number from 1 to 10000.');
}
