import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { chromium } from 'playwright-core';
import { startService } from '../harness/service.ts';

const service = await startService();
const browser = await chromium.launch({
  executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium',
  args: [
    '--no-sandbox',
    '--disable-gpu',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
  ],
});
after(() => browser.close());

describe('the API reference at /docs', () => {
  it('shows every operation, asks nobody else for anything, and has no errors', async () => {
    const page = await browser.newPage({ viewport: { width: 1200, height: 1600 } });
    const faults: string[] = [];
    const elsewhere: string[] = [];
    page.on('console', (message) => void (message.type() === 'error' && faults.push(message.text())));
    page.on('pageerror', (error) => void faults.push(error.message));
    page.on('request', (request) => {
      if (!request.url().startsWith(service.url) && !request.url().startsWith('data:')) elsewhere.push(request.url());
    });
    await page.goto(`${service.url}/docs`);
    await page.getByText('Trigger an outbound call').waitFor();
    await page.getByText('Add, update or remove campaign contacts').waitFor();
    assert.equal(await page.locator('.opblock').count(), await documentedOperations());
    await page.getByText('Trigger an outbound call').click();
    await page.getByText('toPhoneNumber').first().waitFor();
    const screenshot = process.env['SCREENSHOT'];
    if (screenshot) await page.screenshot({ path: screenshot, fullPage: true });
    assert.deepEqual(faults, []);
    assert.deepEqual(elsewhere, []);
  });
});

async function documentedOperations(): Promise<number> {
  const { paths } = (await (await fetch(`${service.url}/openapi.json`)).json()) as { paths: Record<string, object> };
  const operations = Object.values(paths).flatMap((path) => Object.keys(path));
  assert.ok(operations.length > 20);
  return operations.length;
}
