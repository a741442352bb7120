/** What `ccc verify` says: for people (text) and for programs (`--json`). */
import { topologyDigest } from '../emit/index.ts';
import { formatRange } from '../ir/diagnostic.ts';
import type { Topology } from '../ir/topology.ts';
import type { Finding, PlanPlace } from '../ir/verification.ts';
import type { FileReport, FileVerdict } from '../verify-file.ts';
import { caretLines, jsonSource } from './failure.ts';

/** Progress over a range of ranks, on a terminal only. */
export async function progressBar(): Promise<{ update(done: number, total: number): void; stop(): void }> {
  if (!process.stderr.isTTY) return { update: () => {}, stop: () => {} };
  const { SingleBar } = await import('cli-progress');
  const bar = new SingleBar({
    format: 'verifying {bar} {value}/{total}',
    clearOnComplete: true,
    stream: process.stderr,
  });
  let started = false;
  return {
    update(done, total) {
      if (!started && total > 1) bar.start(total, 0);
      started ||= total > 1;
      if (started) bar.update(done);
    },
    stop: () => bar.stop(),
  };
}

/** The verdict with its proof or its story. */
export function verifyText(report: FileReport): string {
  const wrong = report.verdicts.find(({ verification }) => verification.verdict !== 'correct');
  return wrong === undefined ? correctText(report) : wrongText(wrong);
}

function correctText(report: FileReport): string {
  const { verdicts } = report;
  const { collective, verification } = verdicts[verdicts.length - 1];
  const smallest = verdicts.map((v) => v.verification.smallestInflight ?? 0);
  const lines = [
    `correct: ${collective.kind}, ${ranksText(verdicts)}`,
    ...verification.proved.map((line) => `  ${line}`),
    `  channels: proved with ${verification.inflight ?? 'unbounded'} in flight; safe from ${Math.max(...smallest)} up`,
  ];
  for (const { collective: c, verification: v } of verdicts) {
    for (const finding of v.findings) lines.push(`  ${finding.severity} (N = ${c.ranks}): ${finding.message}`);
  }
  return `${lines.join('\n')}\n`;
}

/** `N = 1 … 16` when every number in between was verified, else each run of numbers. */
function ranksText(verdicts: readonly FileVerdict[]): string {
  const runs: [number, number][] = [];
  for (const { collective } of verdicts) {
    const last = runs.at(-1);
    if (last !== undefined && last[1] === collective.ranks - 1) last[1] = collective.ranks;
    else runs.push([collective.ranks, collective.ranks]);
  }
  const names = runs.map(([first, last]) => (first === last ? `${first}` : `${first} … ${last}`));
  return `verified for N = ${names.join(', ')}`;
}

function wrongText({ collective, verification }: FileVerdict): string {
  const errors = verification.findings.filter((finding) => finding.severity === 'error');
  const head = `${verification.verdict}: ${collective.kind} on ${collective.ranks} ranks\n`;
  return head + errors.map(findingText).join('');
}

function findingText(finding: Finding): string {
  const range = finding.story.find(({ place }) => place.range !== undefined)?.place.range;
  const where = range === undefined ? '' : `${formatRange(range)}: `;
  const carets = range === undefined ? '' : caretLines(range);
  const story = finding.story.map(({ text, place }) => `  ${placeText(place)}: ${text}${lineText(place)}\n`).join('');
  return `\n${where}${finding.message}\n${carets}${story}`;
}

function placeText({ rank, lane, index, bulk }: PlanPlace): string {
  return `rank ${rank}, lane ${lane}, op ${index}${bulk === 0 ? '' : `, bulk ${bulk}`}`;
}

function lineText(place: PlanPlace): string {
  return place.range === undefined ? '' : `   (${formatRange(place.range)})`;
}

/** The document of `--json`: the first verdict that is not correct, else the last. */
export function verifyDocument(report: FileReport): object {
  const { verdicts, skipped } = report;
  const wrong = verdicts.find((v) => v.verification.verdict !== 'correct');
  const { verification, collective } = wrong ?? verdicts[verdicts.length - 1];
  return {
    ok: wrong === undefined,
    verdict: verification.verdict,
    findings: verification.findings.map((finding) => ({
      code: finding.code,
      severity: finding.severity,
      message: finding.message,
      source: jsonSource(finding.story.find(({ place }) => place.range !== undefined)?.place.range),
      story: finding.story.map(({ text, place }) => ({
        text,
        ...place,
        range: undefined,
        source: jsonSource(place.range),
      })),
    })),
    // The smallest limit at which nothing deadlocks (0 = rendezvous), and the limit that was assumed for the proof.
    inflight: verification.smallestInflight ?? null,
    inflightAssumed: verification.inflight ?? 'unbounded',
    bitwise: verification.determinism === undefined ? undefined : verification.determinism.identical,
    proved: verification.proved,
    collective: collective.kind,
    ranks: wrong === undefined ? verdicts.map((v) => v.collective.ranks) : [collective.ranks],
    skipped,
  };
}

/** What people should know beside the verdict. */
export function remarks(report: FileReport, topology: Topology | undefined): readonly string[] {
  const result = report.skipped.map(({ ranks, reason }) => `not verified for N = ${ranks}: ${reason}`);
  const made = report.document?.extra.topology;
  if (topology !== undefined && typeof made === 'object' && made !== null && 'digest' in made) {
    const name = 'name' in made ? String(made.name) : 'another topology';
    if (made.digest !== topologyDigest(topology))
      result.push(`the plan was made for ${name}, which differs from ${topology.name}`);
  }
  return result;
}
