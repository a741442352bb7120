/** Compiles for a machine with several protocols: under each of them, keeping the best plan. */
import { lowerBound } from '../bounds/index.ts';
import { CccError } from '../ir/diagnostic.ts';
import type { Topology } from '../ir/topology.ts';
import type { CompileRequest, CompileResult, ProtocolOutcome } from './compile.ts';

/**
 * Returns the best plan under any protocol that the target has room for. For the objective `time` a protocol is skipped if its lower bound
 * is not below the incumbent's time.
 * @param machines the machine as it is under each protocol
 * @throws CccError the first error of `compileOne` if no protocol has a plan
 */
export function compileUnderProtocols<Result extends CompileResult>(
  request: CompileRequest,
  machines: readonly Topology[],
  compileOne: (request: CompileRequest) => Result,
): Result {
  const { collective, chunks = 1, size, objective, shouldStop } = request;
  const bounds = machines.map((topology) => lowerBound({ ...collective, chunks }, topology, size).seconds);
  const order = machines
    .map((topology, index) => ({ topology, bound: bounds[index] }))
    .sort((a, b) => a.bound - b.bound);
  const outcomes: ProtocolOutcome[] = [];
  let best: Result | undefined;
  let failure: CccError | undefined;
  for (const { topology, bound } of order) {
    const protocol = topology.protocol ?? topology.name;
    const known = best?.bundle.cost.seconds ?? Number.POSITIVE_INFINITY;
    if (objective === 'time' && bound >= known) {
      outcomes.push({ protocol, reason: 'not tried, since its lower bound is no better than the best plan' });
      continue;
    }
    if (best !== undefined && shouldStop?.() === true) {
      outcomes.push({ protocol, reason: 'not tried, since the time limit was reached' });
      continue;
    }
    try {
      const result = compileOne({ ...request, topology });
      const lacking = request.lackingRoom?.(result.bundle.proved.plan, topology) ?? [];
      if (lacking.length > 0)
        throw new CccError('unsupported', `the target has no room for its plan: ${lacking.join('; ')}`);
      outcomes.push({ protocol, seconds: result.bundle.cost.seconds });
      if (result.bundle.cost.seconds < known) best = result;
    } catch (error) {
      if (!(error instanceof CccError)) throw error;
      failure ??= error;
      outcomes.push({ protocol, reason: error.message });
    }
  }
  if (best === undefined) throw failure ?? new CccError('no-plan', 'there is no protocol to choose from');
  return { ...best, protocols: outcomes };
}
