/** Pages in a real browser: Debian's Chromium, where it is installed. */
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { emptyFolder } from '../temporary.ts';

const places = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
export const executable = places.find((place) => existsSync(place));

if (executable === undefined) {
  console.warn(
    'No Chromium is installed (Debian: apt-get install chromium): tests of the page in a browser are skipped.',
  );
}

export function launch(): Promise<Browser> {
  // Debian's needs no sandbox of its own in containers, where there is none to be had.
  return chromium.launch({ executablePath: executable ?? '', args: ['--no-sandbox'] });
}

export interface Opened {
  readonly page: Page;
  /** What the console said, errors of scripts, and requests for anything but the file. */
  readonly complaints: readonly string[];
}

/** Opens the text of a page as a file. */
export async function open(browser: Browser, text: string, options: BrowserContextOptions = {}): Promise<Opened> {
  const file = join(emptyFolder(), 'page.html');
  writeFileSync(file, text);
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, locale: 'en-US', ...options });
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('console', (message) => complaints.push(`${message.type()}: ${message.text()}`));
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('request', (request) => {
    if (request.url() !== `file://${file}`) complaints.push(`request: ${request.url()}`);
  });
  page.on('dialog', (dialog) => {
    complaints.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  await page.goto(`file://${file}`);
  return { page, complaints };
}
