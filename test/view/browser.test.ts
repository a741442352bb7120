/** The page in Chromium: what is clicked, dragged and typed, and what it never does. Where there is no Chromium a notice says so. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { lowerBound } from '../../src/bounds/index.ts';
import { resolveTopology } from '../../src/read/index.ts';
import { type PageDocument, type PagePlan, pageText } from '../../src/view/index.ts';
import { acting, hostileNames } from '../hostile-names.ts';
import { executable, launch, type Opened, open } from './browser.ts';
import { shippedPlan, shown } from './plans.ts';

const size = 2 ** 20;
const plan = shippedPlan('ring-allgather', 4);

function pageOf(plans: readonly PagePlan[], more: Partial<PageDocument> = {}): string {
  return pageText({ title: plans[0].name, plans, tuning: undefined, served: false, error: undefined, ...more });
}

function ring(): string {
  const topology = resolveTopology('ring:4');
  return pageOf([shown(plan, 'ring:4', { bound: { ...lowerBound(plan.collective, topology, size), stated: [] } })]);
}

/** One shard is sent twice in the last step, another never. */
function wrong(): string {
  const srcOffset = plan.ops.srcOffset.slice();
  const send = plan.ops.kind.findIndex((kind, operation) => kind === 2 && plan.ops.step[operation] === 3);
  srcOffset[send] = (srcOffset[send] + 1) % 4;
  return pageOf([shown({ ...plan, ops: { ...plan.ops, srcOffset } }, 'ring:4')]);
}

/** Moves the slider, as a pointer would. @param part of the whole time */
async function slideTo(page: Page, part: number): Promise<void> {
  await page.locator('.slider').fill(String(Math.round(part * 10_000)));
}

/** The timeline's place of a row and a part of the visible time, for the pointer. */
async function spotOf(page: Page, row: number, part: number): Promise<{ readonly x: number; readonly y: number }> {
  const canvas = page.locator('.time-canvas');
  await canvas.scrollIntoViewIfNeeded();
  const box = await canvas.boundingBox();
  if (box === null) throw new Error('the timeline is not shown');
  const left = box.width < 560 ? 92 : 168;
  return { x: box.x + left + part * (box.width - left - 6), y: box.y + 24 + 22 * row + 11 };
}

async function tipAt(page: Page, row: number, part: number): Promise<string> {
  const { x, y } = await spotOf(page, row, part);
  await page.mouse.move(x, y);
  return page.locator('.tip').innerText();
}

describe.skipIf(executable === undefined)('the page of a plan', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launch();
  });
  afterAll(() => browser.close());

  describe('of a ring allgather on four chips', () => {
    let opened: Opened;
    let page: Page;
    beforeAll(async () => {
      opened = await open(browser, ring());
      page = opened.page;
    });
    afterAll(() => {
      expect(opened.complaints).toEqual([]);
    });

    it('says what the plan reaches', async () => {
      expect(await page.locator('h1').innerText()).toBe('ring-allgather');
      expect(await page.locator('.facts').innerText()).toMatch(/✓ proved[\s\S]*81\.64 µs[\s\S]*lower bound/i);
    });

    it('moves chunks with the slider: four messages in the middle of each step, none at the end', async () => {
      await slideTo(page, 0.5);
      expect(await page.locator('.message:not(.away)').count()).toBe(4);
      expect(await page.locator('.message:not(.away) text').allInnerTexts()).toHaveLength(4);
      expect(await page.locator('.link.busy').count()).toBe(4);
      await slideTo(page, 1);
      expect(await page.locator('.message:not(.away)').count()).toBe(0);
    });

    it('steps from one instant at which something starts to the next', async () => {
      await page.locator('.to-start').click();
      const times: string[] = [];
      for (let at = 0; at < 3; at++) {
        await page.locator('.forward').click();
        times.push((await page.locator('.now').innerText()).split(' / ')[0]);
      }
      expect(times).toEqual(['27.21 µs', '54.43 µs', '81.64 µs']);
      await page.locator('.back').click();
      expect(await page.locator('.now').innerText()).toContain('54.43 µs /');
    });

    it('plays until the end, and can be paused', async () => {
      await page.locator('.to-start').click();
      await page.locator('.speed').selectOption('4');
      await page.locator('.play').click();
      // By a locator: a polled expression would be evaluated in the page, which its policy forbids.
      await page.locator('.link.busy').nth(3).waitFor({ state: 'attached' });
      expect(await page.locator('.play').getAttribute('aria-label')).toContain('Pause');
      await page.locator('.play').click();
      expect(await page.locator('.play').getAttribute('aria-label')).toContain('Play');
    });

    it('leads from a message to its rank, its step, its program and its line, and back', async () => {
      await slideTo(page, 0.1);
      await page.locator('.message:not(.away)').first().dispatchEvent('click');
      const chosen = page.locator('.chosen-part');
      expect(await chosen.innerText()).toContain('send input[0] to');
      expect(await page.locator('.node.chosen').count()).toBe(2);
      expect(await page.locator('.link.chosen').count()).toBe(1);
      await chosen.getByRole('button', { name: 'Programs' }).click();
      const row = page.locator('.list-row[aria-selected=true]');
      expect(await row.innerText()).toContain('send input[0]');
      await chosen.getByRole('button', { name: 'ring-allgather.yaml' }).click();
      expect(await row.innerText()).toContain('copy: r -> (r + 1) % N');
      await row.click();
      expect(await chosen.innerText()).toContain('ring-allgather.yaml:');
      expect(await page.locator('.link.chosen').count()).toBe(4);
      await page.locator('[data-tab=programs]').click();
      expect(await row.count()).toBeGreaterThan(1);
    });

    it('leads from a step to its links, and from a link in the table to the machine', async () => {
      await page.locator('[data-tab=steps]').click();
      await page.locator('.list-row', { hasText: '27.21 µs' }).last().click();
      await page.locator('[data-tab=links]').click();
      expect(await page.locator('.list-head').innerText()).toMatch(/in step 3/i);
      await page.locator('.list-row').nth(2).click();
      expect(await page.locator('.link.chosen').count()).toBe(1);
      expect(await page.locator('.chosen-part').innerText()).toContain('→');
    });

    it('chooses a chip by keyboard, and shows how much has come to it', async () => {
      await page.locator('.node').first().focus();
      await page.keyboard.press('Enter');
      await page.keyboard.press('End');
      expect(await page.locator('.chosen-part').innerText()).toContain('100 % of its receives');
      await page.keyboard.press('Home');
      expect(await page.locator('.chosen-part').innerText()).toContain('0 % of its receives');
      await page.keyboard.press('Escape');
      expect(await page.locator('.node.chosen').count()).toBe(0);
    });

    it('names every span under the pointer, on links and in lanes', async () => {
      expect(await tipAt(page, 0, 0.5)).toMatch(
        /send output\[\d\] to rank 1[\s\S]*27\.21 µs – 54\.43 µs[\s\S]*chip 0 → chip 1/i,
      );
      expect(await tipAt(page, 6, 0.5)).toMatch(/rank 0: receive output/i);
    });

    it('zooms at the pointer and back, by wheel and by keys', async () => {
      const before = await tipAt(page, 0, 0.5);
      await page.keyboard.down('Control');
      await page.mouse.wheel(0, -900);
      await page.keyboard.up('Control');
      expect(await tipAt(page, 0, 0.02)).toBe(before);
      await page.keyboard.press('0');
      expect(await tipAt(page, 0, 0.02)).not.toBe(before);
      await page.keyboard.press('Home');
      for (let at = 0; at < 3; at++) await page.keyboard.press('+');
      expect(await tipAt(page, 0, 0.95)).toMatch(/input\[0\]/);
      await page.keyboard.press('d');
      await page.keyboard.press('0');
      expect(await tipAt(page, 0, 0.95)).toMatch(/output/);
    });

    it('chooses the span that is clicked', async () => {
      const { x, y } = await spotOf(page, 1, 0.9);
      await page.mouse.click(x, y);
      expect(await page.locator('.chosen-part').innerText()).toContain('54.43 µs – 81.64 µs');
    });

    it('leaves only the rows that are asked for', async () => {
      await page.locator('[data-rows=links]').click();
      const links = await page.locator('.time-spacer').evaluate((spacer) => spacer.style.height);
      await page.locator('[data-rows=all]').click();
      const all = await page.locator('.time-spacer').evaluate((spacer) => spacer.style.height);
      expect(Number.parseInt(all, 10)).toBeGreaterThan(Number.parseInt(links, 10));
      expect(links).toBe(`${4 * 22}px`);
    });

    it('draws what a certificate speaks of', async () => {
      await page.locator('[data-tab=bound]').click();
      const cards = page.locator('.certificate');
      const marked: number[] = [];
      for (let index = 0; index < (await cards.count()); index++) {
        await page.locator(`[data-certificate="${index}"]`).click();
        marked.push(await page.locator('.link.counted, .link.crossing').count());
        expect(await page.locator('.caption').innerText()).not.toBe('');
      }
      expect(Math.max(...marked)).toBeGreaterThan(0);
      await page.keyboard.press('Escape');
      expect(await page.locator('.link.counted, .link.crossing').count()).toBe(0);
    });

    it('marks the critical path, with a sign beside the colour, unless that is turned off', async () => {
      expect(await page.locator('.link.critical').count()).toBeGreaterThan(0);
      await page.locator('.switches .critical').click();
      expect(await page.locator('.link.critical').count()).toBe(0);
    });
  });

  it('walks through a counterexample step by step', async () => {
    const { page, complaints } = await open(browser, wrong());
    expect(await page.locator('.fact.wrong').innerText()).toContain('✗');
    const first = page.locator('.finding').first();
    expect(await first.locator('.story').count()).toBeGreaterThan(0);
    await first.locator('.next').click();
    expect(await first.locator('li.chosen').count()).toBe(1);
    const text = await first.locator('li.chosen').innerText();
    const [, rank] = /rank (\d+)/.exec(text) ?? [];
    expect(await page.locator('.chosen-part').innerText()).toMatch(new RegExp(`rank ${rank}:`, 'i'));
    expect(await first.locator('.position').innerText()).toMatch(/^1 of \d+$/);
    expect(complaints).toEqual([]);
  });

  it('speaks Chinese to those whose browser does, and changes with a key', async () => {
    const { page, complaints } = await open(browser, ring(), { locale: 'zh-CN' });
    expect(await page.locator('.facts').innerText()).toContain('已证明');
    expect(await page.locator('html').getAttribute('lang')).toBe('zh-CN');
    await page.keyboard.press('l');
    expect(await page.locator('.facts').innerText()).toContain('proved');
    await page.keyboard.press('t');
    expect(await page.locator('html').getAttribute('data-theme')).toBe('light');
    expect(complaints).toEqual([]);
  });

  it('fits a phone: nothing is wider than the screen, and a finger pans the timeline', async () => {
    const { page, complaints } = await open(browser, ring(), {
      viewport: { width: 360, height: 740 },
      hasTouch: true,
      isMobile: true,
    });
    const width = await page.evaluate('document.documentElement.scrollWidth');
    expect(width).toBeLessThanOrEqual(360);
    for (const part of ['.machine', '.transport', '.tabs', '.time-canvas', '.overview']) {
      const box = await page.locator(part).boundingBox();
      expect(box?.width).toBeGreaterThan(200);
      expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(360);
    }
    const { x, y } = await spotOf(page, 0, 0.5);
    await page.touchscreen.tap(x, y);
    expect(await page.locator('.chosen-part').innerText()).toContain('27.21 µs – 54.43 µs');
    expect(complaints).toEqual([]);
  });

  it('shows names as text, whatever they would like to be', async () => {
    const named = { ...plan, name: hostileNames.filter((name) => name.length < 1000).join(' ') };
    const text = pageOf([shown(named, 'ring:4', { notes: hostileNames })], { title: named.name });
    const { page, complaints } = await open(browser, text);
    expect(await page.locator('h1').innerText()).toContain('</script><script>evil()</script>');
    expect(await page.locator('h1').evaluate((heading) => heading.children.length)).toBe(0);
    await page.locator('[data-tab=proof]').click();
    const shownText = await page.locator('.page').innerText();
    expect(shownText.split(/[\n\t]/).filter((line) => acting.test(line))).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it('runs no script but its own', async () => {
    const evil = ring().replace(
      '</body>',
      '<script>window.evil = 1</script><img src="https://example.org/x.png"></body>',
    );
    const { page, complaints } = await open(browser, evil);
    expect(await page.evaluate("'evil' in window")).toBe(false);
    expect(complaints.filter((text) => text.includes('Content Security Policy')).length).toBeGreaterThan(1);
  });

  it('draws rows with more spans than pixels as bars, and each span when zoomed in', async () => {
    const bulks = 6000;
    const { page, complaints } = await open(browser, pageOf([shown({ ...plan, bulks }, 'ring:4', { size: 2 ** 26 })]));
    await slideTo(page, 0.5);
    expect(await page.locator('.link.busy').count()).toBe(4);
    // A link of the ring carries three messages of each bulk, one after the other.
    const bars = await tipAt(page, 0, 0.5);
    expect(bars).toContain(`${3 * bulks} spans in sight`);
    expect(bars).toContain('100.0 %');
    for (let zoom = 0; zoom < 9; zoom++) await page.keyboard.press('+');
    const span = await tipAt(page, 0, 0.51);
    expect(span).toMatch(/rank 0: send \w+\[\d\] to rank 1/i);
    expect(span).toMatch(/bulk (2999|3000)/i);
    const { x, y } = await spotOf(page, 0, 0.51);
    await page.mouse.click(x, y);
    expect(await page.locator('.chosen-part').innerText()).toMatch(/bulk (2999|3000)/i);
    expect(complaints).toEqual([]);
  });

  it('loads itself anew when it is served and told so, and shows again what it showed', async () => {
    let text = pageOf([shown(plan, 'ring:4')], { served: true });
    let tell: ((event: string) => void) | undefined;
    const server = createServer((request, response) => {
      if (request.url === '/') response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(text);
      else if (request.url === '/changes') {
        response.writeHead(200, { 'content-type': 'text/event-stream' }).write('\n');
        tell = (event) => response.write(event);
      } else response.writeHead(404).end();
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    const page = await browser.newPage({ locale: 'en-US' });
    try {
      const asked = page.waitForRequest('**/changes');
      await page.goto(`http://127.0.0.1:${port}/`);
      await asked;
      await page.locator('[data-tab=links]').click();
      await slideTo(page, 0.5);
      text = pageOf([shown({ ...plan, name: 'changed' }, 'ring:4')], { served: true });
      const loaded = page.waitForEvent('load');
      await expect.poll(() => tell !== undefined).toBe(true);
      tell?.('data: changed\n\n');
      await loaded;
      expect(await page.locator('h1').innerText()).toBe('changed');
      expect(await page.locator('[role=tab][aria-selected=true]').innerText()).toBe('Links');
      expect(await page.locator('.now').innerText()).toContain('40.82 µs /');
    } finally {
      await page.close();
      server.closeAllConnections();
      server.close();
    }
  });

  it('draws a measured run in rows of its own', async () => {
    const start = Float64Array.from(plan.ops.kind, (_, operation) => operation * 1e-3);
    const measured = { name: 'trace.json', start, end: start.map((begin) => begin + 1e-3) };
    const { page, complaints } = await open(browser, pageOf([shown(plan, 'ring:4', { measured })]));
    expect(await page.locator('.facts').innerText()).toMatch(/measured run/i);
    const height = Number.parseInt(await page.locator('.time-spacer').evaluate((spacer) => spacer.style.height), 10);
    expect(height).toBe(4 * 22 + plan.laneId.length * (22 + 14));
    await page.locator('[data-rows=lanes]').click();
    // The copy of rank 0 is the first of all operations: it lasts the first part of the measured time.
    const { x, y } = await spotOf(page, 0, 0.5 / plan.ops.kind.length);
    await page.mouse.move(x, y + 18);
    expect(await page.locator('.tip').innerText()).toMatch(/rank 0: copy[\s\S]*0 s – 1 ms/i);
    expect(complaints).toEqual([]);
  });

  it('draws a tuning, and opens the plan of a range', async () => {
    const tuning = {
      ...{ collective: 'allgather', topology: 'ring:4', sizes: [1024, 2048], bound: [1e-6, 2e-6] },
      ranges: [
        { from: 1024, to: 1500, plan: 'ring-allgather' },
        { from: 1500, to: 2048, plan: 'bruck-allgather' },
      ],
      curves: [{ algorithm: 'ring-allgather', inUse: true, seconds: [2e-6, 3e-6] }],
    };
    const plans = [shown(plan, 'ring:4'), shown(shippedPlan('bruck-allgather', 4), 'ring:4')];
    const { page, complaints } = await open(browser, pageOf(plans, { tuning }));
    await page.locator('.ranges button').nth(1).click();
    expect(await page.locator('h1').innerText()).toBe('bruck-allgather');
    const alone = await open(browser, pageText({ title: 'alone', plans: [], tuning, served: false, error: undefined }));
    expect(await alone.page.locator('.chart polyline').count()).toBeGreaterThan(1);
    expect([...complaints, ...alone.complaints]).toEqual([]);
  });

  it('changes between plans', async () => {
    const text = pageOf([shown(plan, 'ring:4'), shown(shippedPlan('full-mesh-alltoall', 3), undefined)]);
    const { page, complaints } = await open(browser, text);
    await page.locator('.plans').selectOption('1');
    expect(await page.locator('h1').innerText()).toBe('full-mesh-alltoall');
    expect(await page.locator('.node').count()).toBe(3);
    expect(complaints).toEqual([]);
  });
});
