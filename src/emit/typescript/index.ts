/** Writes a plan as one executable TypeScript file: `ccc compile … --emit ts -o allgather.ts && npx tsx allgather.ts --check`. */
import { dtypeBytes, operatorLacking } from '../../ir/dtype.ts';
import { operationCount } from '../../ir/plan.ts';
import { type Emitter, openedRanges, type PlanBundle } from '../emitter.ts';
import { emitLimits } from '../limits.ts';
import { elementTypeOf } from './element-type.ts';
import { reducesAnything } from './features.ts';
import { sourceText } from './source-file.ts';

export const typescript: Emitter = {
  name: 'ts',
  about: 'a TypeScript module that runs the plan over any transport, with a transport within the process to try it',
  check: lackingFor,
  emit: (bundle) => [sourceText(openedRanges([{ from: 0, bundle }]))],
  emitRanges: (ranges) => [sourceText(openedRanges(ranges))],
};

function lackingFor({ proved: { plan }, dtype = 'f32' }: PlanBundle): readonly string[] {
  const lacking: string[] = [];
  const { kind, counts, op } = plan.collective;
  const element = elementTypeOf(dtype);
  if (element === undefined) {
    lacking.push(`JavaScript has no arrays of ${dtypeBytes[dtype]}-byte elements, as ${dtype} has`);
  }
  const unable = reducesAnything(plan) && kind !== 'barrier' ? operatorLacking(op, dtype) : undefined;
  if (unable !== undefined) lacking.push(unable);
  if (kind === 'custom')
    lacking.push('a function has the signature of a collective with a name, which custom ones lack');
  if (element?.arithmetic === 'none' && kind !== 'custom' && reducesAnything(plan)) {
    lacking.push(`JavaScript cannot reduce ${dtype}: it has no array type of such elements (f32 and f64 have one)`);
  }
  const odd = counts?.find((bytes) => bytes % dtypeBytes[dtype] !== 0);
  if (odd !== undefined) lacking.push(`a shard of ${odd} bytes is no whole number of ${dtype} elements`);
  const operations = operationCount(plan);
  if (operations > emitLimits.operations) {
    lacking.push(`${operations} operations are too many for a source file, which has at most ${emitLimits.operations}`);
  }
  return lacking;
}
