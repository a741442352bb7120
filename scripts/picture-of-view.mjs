// Takes the picture of docs/view.md: node scripts/picture-of-view.mjs, with ccc built and Chromium installed. The page is that of a real plan.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';

const root = fileURLToPath(new URL('../', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'ccc-picture-'));
const [plan, page] = [join(folder, 'plan.json'), join(folder, 'plan.html')];
const ccc = (...args) => execFileSync(process.execPath, [join(root, 'bin/ccc.js'), ...args], { stdio: 'ignore' });
ccc('compile', 'allgather', '--topo', 'dgx1', '--size', '1MiB', '--effort', 'quick', '-o', plan);
ccc('view', plan, '-o', page);

const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] });
const tab = await browser.newPage({ viewport: { width: 1240, height: 940 }, colorScheme: 'light', locale: 'en-US' });
await tab.goto(`file://${page}`);
await tab.locator('.slider').fill('5400');
await tab.locator('[data-rows=links]').click();
await tab.locator('h1').click();
await tab.screenshot({ path: join(root, 'docs/images/view.png') });
await browser.close();
rmSync(folder, { recursive: true });
