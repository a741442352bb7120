// Loaded into a measured process (node --import): at its end it says what the process used, in its own words.
import { writeFileSync } from 'node:fs';

process.on('exit', () => {
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
  const usage = { cpuSeconds: (userCPUTime + systemCPUTime) / 1e6, peakMiB: maxRSS / 1024 };
  if (process.env.CCC_USAGE_FILE) writeFileSync(process.env.CCC_USAGE_FILE, JSON.stringify(usage));
});
