/**
 * `npx tsx bench/view.ts [spans]`: the page of a plan with 200,000 spans (or as many as asked for) in Chromium: how long it takes to load until the timeline is drawn, and frames per
 * second while its window moves, at three zooms. Milliseconds are of the page's own clock.
 */
import '../src/host/node.ts';
import { mkdtempSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { defaultLimits } from '../src/ir/limits.ts';
import { lower } from '../src/lower/index.ts';
import { instantiate, loadScheduleFile, resolveTopology } from '../src/read/index.ts';
import { judgePlan } from '../src/verify/index.ts';
import { pagePlan, pageText } from '../src/view/index.ts';

const wanted = Number(process.argv[2] ?? 200_000);
/** Frames for each measurement of panning. */
const frames = 60;

// A ring of 64 in as many bulks as fit: each has 64 · 63 messages on links, and two operations for each.
const topology = resolveTopology('ring:64');
const request = {
  ranks: 64,
  root: 0,
  op: 'sum',
  ordered: false,
  inPlace: false,
  parameters: {},
  limits: defaultLimits,
} as const;
const inOne = lower(instantiate(loadScheduleFile('ring-allgather'), request));
const perBulk = inOne.ops.kind.length + 64 * 63;
const plan = { ...inOne, bulks: Math.max(1, Math.floor(wanted / perBulk)) };
const verification = judgePlan(inOne, { topology });
const drawn = pagePlan({ plan, verification, topology, size: 2 ** 26, bound: undefined, notes: [] });
const text = pageText({ title: 'bench', plans: [drawn], tuning: undefined, served: false, error: undefined });
const file = join(mkdtempSync(join(tmpdir(), 'ccc-bench-')), 'page.html');
writeFileSync(file, text);

/** Moves the window to and fro, a frame at a time, and says how many frames a second there were. */
const pan = `new Promise((resolve) => {
  const press = (key) => document.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
  let left = ${frames};
  let start = 0;
  const next = (now) => {
    if (start === 0) start = now;
    if (left-- === 0) { resolve(${frames} * 1000 / (now - start)); return; }
    press(left % 20 < 10 ? 'd' : 'a');
    requestAnimationFrame(next);
  };
  requestAnimationFrame(next);
})`;

const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] });
const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
await page.goto(`file://${file}`);
await page.waitForSelector('.time-canvas');
const loaded = await page.evaluate(
  'new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve(performance.now()))))',
);
const perSecond: string[] = [];
for (const zooms of [1, 4, 5]) {
  for (let at = 0; at < zooms; at++) await page.keyboard.press('+');
  const rate = Number(await page.evaluate(pan));
  perSecond.push(rate.toFixed(0));
}
const [width, height] = [
  await page.locator('.time-canvas').getAttribute('width'),
  await page.locator('.time-canvas').getAttribute('height'),
];
await browser.close();
const spans = plan.bulks * perBulk;
console.log(`${spans} spans, a file of ${(statSync(file).size / 2 ** 20).toFixed(1)} MiB`);
console.log(
  `drawn after ${Number(loaded).toFixed(0)} ms; panned at ${perSecond.join(', ')} frames a second (zoomed 2, 32 and 1024 times, canvas ${width} × ${height})`,
);
