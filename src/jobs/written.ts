/** Checks the output of emitters before it is returned, for targets that require it: the text is read back and checked. */
import type { Emitter, PlanBundle } from '../emit/index.ts';
import { CccError } from '../ir/diagnostic.ts';
import type { Plan } from '../ir/plan.ts';
import { type Verification, verdictText } from '../ir/verification.ts';

/**
 * The text of the target, in pieces.
 * @throws CccError 'unsupported' if the text is too large to be checked
 */
export async function checkedTargetText(emitter: Emitter, bundle: PlanBundle): Promise<Iterable<string>> {
  const text = await emitter.emit(bundle);
  if (emitter.reread === undefined) return text;
  const whole = [...text].join('');
  await proveExecutionPlan(whole, bundle.proved.plan);
  return [whole];
}

/** Checks an execution plan without relying on the emitter, like a file that somebody else wrote. */
async function proveExecutionPlan(text: string, plan: Plan): Promise<void> {
  const [{ readMscclpp }, { judgeExecutionPlan }] = await Promise.all([
    import('../mscclpp/read/index.ts'),
    import('../mscclpp/check/index.ts'),
  ]);
  const read = readMscclpp({ name: plan.name, text });
  const verification = judged(() =>
    judgeExecutionPlan(read, { collective: collectiveAsWritten(plan, read.gpus[0].chunks) }),
  );
  const warning = verification.findings.find(({ code }) => code === 'race');
  if (verification.verdict !== 'correct') throw new Error(`${plan.name} as written: ${verdictText(verification)}`);
  if (warning !== undefined) throw new Error(`${plan.name} as written: ${warning.message}`);
}

/** @throws CccError 'unsupported' if the checker reports that the file is too large for it */
function judged(judge: () => { readonly verification: Verification }): Verification {
  try {
    return judge().verification;
  } catch (error) {
    if (!(error instanceof CccError) || error.code !== 'limit') throw error;
    const message = `what would be written is too long to be proved: ${error.message} (--chunks and --bulks make it shorter)`;
    throw new CccError('unsupported', message);
  }
}

/** The plan's collective in the chunks of the file, for collectives that the file calls `custom`; others are defined by the file. */
function collectiveAsWritten(
  { collective, buffers }: Plan,
  { input, output }: { readonly input: number; readonly output: number },
): Plan['collective'] | undefined {
  const { kind, chunks } = collective;
  if (kind === 'custom') return collective;
  if (['allgather', 'allreduce', 'reducescatter', 'alltoall'].includes(kind)) return undefined;
  const inPlan = Math.max(buffers[0].input, buffers[0].output);
  return { ...collective, chunks: (chunks * Math.max(input, output)) / inPlan };
}
