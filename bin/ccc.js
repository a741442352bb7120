#!/usr/bin/env node
import { existsSync } from 'node:fs';
import { bundleFile, load } from './load.js';

if (existsSync(bundleFile)) {
  await load().main(process.argv);
} else {
  process.stderr.write('ccc is not built yet: npm ci (or npm run build) does it\n');
  process.exitCode = 2;
}
