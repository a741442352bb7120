/** The target formats that the command line knows by name. */
import { join } from 'node:path';
import type { Emitter, PlanBundle } from '../emit/index.ts';
import { CccError } from '../ir/diagnostic.ts';
import { defaultLimits } from '../ir/limits.ts';
import { checkTarget, makeFolder, writeResult } from './output.ts';

/** A page about the plan, for people, beside the formats that programs read. */
const html: Emitter = {
  name: 'html',
  about: 'a page for the browser, as `ccc view` writes it',
  check: () => [],
  emit: async (bundle) => [await (await import('./view/page.ts')).pageOfBundle(bundle)],
};

/** All that `--emit` may say. */
export async function allEmitters(): Promise<readonly Emitter[]> {
  return [...(await import('../targets/index.ts')).emitters, html];
}

/** @throws CccError 'unknown-name' with the nearest right names */
export async function emitterNamed(name: string): Promise<Emitter> {
  const [emitters, { nearestNames }] = await Promise.all([allEmitters(), import('../read/nearest.ts')]);
  const found = emitters.find((emitter) => emitter.name === name);
  if (found !== undefined) return found;
  const names = emitters.map((emitter) => emitter.name);
  throw new CccError('unknown-name', `there is no emitter '${name}'; ${nearestNames(name, names)}`);
}

/**
 * The target's text and what people should know of it, read back and judged where the target asks for it.
 * @throws CccError 'unsupported' where it is too large to be judged
 */
export async function writtenWith(
  emitter: Emitter,
  bundle: PlanBundle,
): Promise<{ readonly text: Iterable<string>; readonly remarks: readonly string[] }> {
  const { checkedTargetText } = await import('../jobs/written.ts');
  const text = await checkedTargetText(emitter, bundle);
  const remarks = emitter.remarks?.(bundle) ?? [];
  if (emitter.inOneBulk === undefined || bundle.topology?.lane === undefined) return { text, remarks };
  const whole = [...text].join('');
  return { text: [whole], remarks: [...remarks, ...(await oneBulkRemarks(emitter, bundle, whole))] };
}

/** What a plan takes as its target has it: in one bulk and the largest chunks there are, of which lanes make slices. */
async function oneBulkRemarks({ name }: Emitter, bundle: PlanBundle, text: string): Promise<readonly string[]> {
  const { proved, topology, size } = bundle;
  const { bulks, collective } = proved.plan;
  if (size === undefined) return [];
  const [{ readMsccl }, { timeLine }] = await Promise.all([
    import('../read/msccl/index.ts'),
    import('./timed-plan.ts'),
  ]);
  const { plan, extra } = readMsccl({ name: proved.plan.name, text }, collective);
  const time = timeLine(plan, extra, { topology, size }, defaultLimits).trim();
  if (bulks === 1) return [`read back from ${name}, the plan ${time}`];
  return [
    `${name} has no bulks: instead of in ${bulks}, the plan goes in one and ${time}; --bulks 1 searches for that`,
  ];
}

/**
 * The plan as the target needs it.
 * @throws CccError 'unsupported' with all that the target lacks
 */
export async function readyFor(emitter: Emitter, bundle: PlanBundle): Promise<PlanBundle> {
  const { withTimeline } = await import('../jobs/timed.ts');
  const ready = withTimeline(
    emitter.ownership === 'strict'
      ? (await import('../jobs/owning-strictly.ts')).owningStrictly(bundle, emitter.name)
      : bundle,
  );
  const lacking = emitter.check(ready);
  if (lacking.length === 0) return ready;
  throw new CccError('unsupported', `${emitter.name} cannot express this plan: ${lacking.join('; ')}`);
}

/**
 * Writes the target's text, or its folder of files.
 * @returns what people should know of it
 * @throws CccError 'usage' for a folder without a name; those of writing and of `writtenWith`
 */
export async function writeEmitted(
  emitter: Emitter,
  bundle: PlanBundle,
  output: string | undefined,
): Promise<readonly string[]> {
  if (emitter.files === undefined) {
    const { text, remarks } = await writtenWith(emitter, bundle);
    await writeResult(text, output);
    return remarks;
  }
  const folder = folderFor(emitter, output);
  makeFolder(folder);
  for (const { path, content } of emitter.files(bundle)) {
    await writeResult(typeof content === 'string' ? [content] : content, join(folder, path));
  }
  return emitter.remarks?.(bundle) ?? [];
}

/** Tries before a long search whether the target could be written. @throws CccError 'usage', 'file' */
export function checkTargetIsWritable(emitter: Emitter, output: string | undefined): void {
  if (emitter.files === undefined) checkTarget(output);
  else makeFolder(folderFor(emitter, output));
}

function folderFor({ name }: Emitter, output: string | undefined): string {
  if (output !== undefined && output !== '-') return output;
  throw new CccError('usage', `${name} is a folder of files: say where with -o`);
}
