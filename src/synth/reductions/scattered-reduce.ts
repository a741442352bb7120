/**
 * Reduce as a reducescatter and a gather (Rabenseifner 2004), made by other engines. The reducescatter keeps all links busy from the
 * first step to the last, where a pipeline up trees has to fill first: for messages of medium size that takes less.
 */
import { type Collective, messageChunks } from '../../ir/collective.ts';
import { leastCommonMultiple } from '../../ir/whole-numbers.ts';
import { compose } from '../../passes/index.ts';
import { type Candidate, dismissed, type Engine, type Problem, type Proposal } from '../engine.ts';

/** Reducescatters that are tried: those that their engine proposes first. */
const mostScattered = 3;

/**
 * @param scattering candidates for the reducescatter
 * @param gathering whom to ask for the gather; its first candidate is taken
 */
export function* scatteredReduce(
  problem: Problem,
  scattering: (part: Problem) => Iterable<Candidate>,
  gathering: Engine,
  engine: string,
): Iterable<Proposal> {
  const { collective, chunks } = problem;
  const { ranks } = collective;
  const name = 'reducescatter and gather';
  const shard = chunks === undefined ? undefined : chunks / ranks;
  if (shard !== undefined && !Number.isInteger(shard)) {
    const reason = `needs a multiple of ${ranks} chunks, not ${chunks}`;
    yield dismissed(name, reason);
    return;
  }
  const partOf = (kind: Collective['kind']): Problem => ({
    ...problem,
    chunks: shard,
    collective: { ...collective, kind, chunks: 1 },
  });
  const gather = [...gathering.propose(partOf('gather'))].find((proposal) => proposal.kind === 'candidate');
  if (gather?.kind !== 'candidate') return;
  let left = mostScattered;
  for (const scatter of scattering(partOf('reducescatter'))) {
    if (left-- === 0) return;
    const made = `${scatter.name}, then ${gather.candidate.name}`;
    const build = (multiple: number) => inTurn(made, collective, [scatter, gather.candidate], multiple);
    yield { kind: 'candidate', candidate: { name: made, origin: { engine, schedule: made }, build } };
  }
}

/** Both on the same chunks: as many as the least that suit both, times the multiple. */
function inTurn(name: string, collective: Collective, parts: readonly [Candidate, Candidate], multiple: number) {
  const [first, second] = parts.map((part) => part.build(1));
  const chunks = multiple * leastCommonMultiple(messageChunks(first.collective), messageChunks(second.collective));
  const whole = [first, second].map((schedule, i) => parts[i].build(chunks / messageChunks(schedule.collective)));
  const composed = compose(whole, { name, collective: { ...collective, chunks } });
  return first.inStep === true ? { ...composed, inStep: true as const } : composed;
}
