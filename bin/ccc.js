#!/usr/bin/env node
const { existsSync } = require('node:fs');
const { bundleFile, load } = require('./load.js');

if (existsSync(bundleFile)) {
  load().main(process.argv);
} else {
  process.stderr.write('ccc is not built yet: npm ci (or npm run build) does it\n');
  process.exitCode = 2;
}
