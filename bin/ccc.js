#!/usr/bin/env node
import { existsSync } from 'node:fs';

const built = new URL('../dist/bin/main.js', import.meta.url);
if (existsSync(built)) {
  const { main } = await import(built.href);
  await main(process.argv);
} else {
  process.stderr.write('ccc is not built yet: npm ci (or npm run build) does it\n');
  process.exitCode = 2;
}
