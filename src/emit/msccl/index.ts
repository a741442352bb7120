/** Writes MSCCL XML, with one emitter for each family of runtimes that reads it. */
import { collectiveFacts } from '../../ir/collective.ts';
import type { Plan } from '../../ir/plan.ts';
import { type Emitter, opened, type PlanBundle } from '../emitter.ts';
import { arrange } from './arrange.ts';
import { inLargestChunks } from './coarse.ts';
import { depths, emittedProtocolName, legacy, type MscclProfile, rccl } from './target.ts';
import { algorithmText } from './text.ts';

export const mscclXml = emitterFor(legacy, 'MSCCL XML with fused steps, for the original runtime and simulators');
export const mscclXmlRccl = emitterFor(rccl, 'MSCCL XML without fused steps, for RCCL from ROCm 6.1');

/** Operators that the runtimes' reductions support. */
const operators: ReadonlySet<string> = new Set(['sum', 'prod', 'max', 'min']);

function emitterFor(profile: MscclProfile, about: string) {
  return {
    name: profile.name,
    about,
    inOneBulk: 'msccl',
    check: (bundle: PlanBundle): readonly string[] => {
      const lacking = notInFormat(bundle, profile);
      if (lacking.length > 0) return lacking;
      return lackingRoom(bundle.proved.plan, profile);
    },
    lackingRoom: (plan: Plan): readonly string[] => {
      const { kind, counts } = plan.collective;
      return profile.spelling[kind] === undefined || counts !== undefined ? [] : lackingRoom(plan, profile);
    },
    emit: (bundle: PlanBundle): Iterable<string> => {
      const open = opened(bundle);
      const plan = inLargestChunks(open.plan);
      const arranged = arrange(plan, profile);
      if ('lacking' in arranged) throw new Error(`${plan.name} was not checked: ${arranged.lacking.join('; ')}`);
      return algorithmText(plan, arranged, profile, emittedProtocolName(open.topology?.protocol));
    },
  } satisfies Emitter;
}

/** Reasons why no arrangement of an expressible plan satisfies the limits of the runtimes. */
function lackingRoom(plan: Plan, profile: MscclProfile): readonly string[] {
  const arranged = arrange(inLargestChunks(plan), profile);
  return 'lacking' in arranged ? arranged.lacking : [];
}

/** Features of the plan that the format cannot express, however the plan is arranged. */
function notInFormat({ proved, topology }: PlanBundle, { spelling }: MscclProfile): readonly string[] {
  const protocol = emittedProtocolName(topology?.protocol);
  const { plan, verification } = proved;
  const { kind, op, ordered, counts } = plan.collective;
  const reduces = collectiveFacts[kind].reduces;
  const lacking: string[] = [];
  if (spelling[kind] === undefined) {
    lacking.push(`the format has ${Object.keys(spelling).join(', ')}, not ${kind}`);
  }
  if (counts !== undefined) lacking.push('the format has no shards of different sizes');
  if (reduces && !operators.has(op)) lacking.push(`the runtimes reduce with ${[...operators].join(', ')}, not ${op}`);
  if (reduces && ordered) lacking.push('the runtimes keep no order of operands');
  if (verification.inflight !== undefined && verification.inflight < depths[protocol]) {
    lacking.push(
      `connections hold ${depths[protocol]} transfers there${protocol === 'Simple' ? '' : ` under ${protocol}`}, and the plan is proved for ${verification.inflight} ` +
        '(ccc convert proves it again, for connections without limit)',
    );
  }
  return lacking;
}
