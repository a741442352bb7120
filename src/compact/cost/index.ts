/** Compact plans: their time on machines that look the same from every chip, and bounds on it. */
export { compactLowerBound } from './bound.ts';
export { judgeCompactCertificate } from './certificate-check.ts';
export { latenciesToZero } from './distances.ts';
export { simulateCompact } from './simulate.ts';
