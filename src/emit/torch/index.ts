/**
 * A plan as one Python file that runs it with torch.distributed alone: `--emit torch -o plan.py`. It holds the functions that torch has for the
 * collective, and works with gloo on CPUs, NCCL on GPUs and SOPHGO's sccl, since messages stand in an order that both ends agree on (levels.ts).
 */
import type { Collective, CollectiveKind, ReductionOperator } from '../../ir/collective.ts';
import { operatorLacking } from '../../ir/dtype.ts';
import { jsonText, oneLine } from '../../ir/plain-text.ts';
import { operationCount, type Plan } from '../../ir/plan.ts';
import { type Emitter, type OpenRange, openedRanges, type PlanBundle } from '../emitter.ts';
import { emitLimits } from '../limits.ts';
import { demoText } from './demo-text.ts';
import { functionTexts } from './function-texts.ts';
import { levelsOf } from './levels.ts';
import { type RankProgram, rankPrograms } from './program.ts';
import { runtimeText } from './runtime-text.ts';

export const torch: Emitter = {
  name: 'torch',
  about: 'a Python module for PyTorch that runs the plan over torch.distributed (gloo, NCCL, sccl)',
  check: lackingFor,
  emit: (bundle) => sourceText(openedRanges([{ from: 0, bundle }])),
  emitRanges: (ranges) => sourceText(openedRanges(ranges)),
};

const operators: readonly ReductionOperator[] = ['sum', 'prod', 'max', 'min', 'and', 'or', 'xor'];

/** Whether the collective combines data of several ranks. */
function reduces({ kind }: Collective): boolean {
  const reducing: readonly CollectiveKind[] = ['reducescatter', 'allreduce', 'reduce', 'scan', 'exscan'];
  return reducing.includes(kind);
}

function lackingFor({ proved: { plan }, dtype = 'f32' }: PlanBundle): readonly string[] {
  const { collective } = plan;
  const { kind, op, ordered } = collective;
  const lacking: string[] = [];
  if (functionTexts[kind] === undefined) lacking.push(`torch.distributed has no function for ${kind} collectives`);
  if (reduces(collective) && !operators.includes(op)) lacking.push(`torch.distributed has no operator ${op}`);
  if (ordered) lacking.push('torch reduces with operators that commute, and this plan keeps an order of operands');
  const unable = reduces(collective) ? operatorLacking(op, dtype) : undefined;
  if (unable !== undefined) lacking.push(unable);
  const operations = operationCount(plan);
  if (operations > emitLimits.operations) {
    lacking.push(`${operations} operations are too many for a source file, which has at most ${emitLimits.operations}`);
  }
  return lacking;
}

function* sourceText(ranges: readonly OpenRange[]): Iterable<string> {
  const [{ bundle }] = ranges;
  const { kind, ranks } = bundle.plan.collective;
  const names = [...new Set(ranges.map(({ bundle: { plan } }) => oneLine(plan.name)))].join(', ');
  yield `"""${kind} of ${ranks} ranks for torch.distributed, made by ccc: ${names.replaceAll('\\', '').replaceAll('"', "'")}.

Every plan in it is proved: the result is right in any timing, nothing races, nothing blocks. The file needs torch alone (1.13 or later).
python3 THIS_FILE --spawn ${ranks} checks and times it on this machine; torchrun --nproc-per-node N THIS_FILE does so in a job.
"""
import argparse
import json
import os
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor

import torch
import torch.distributed as dist

PLANS = [
`;
  for (const { from, bundle: each } of ranges) yield* planText(each.plan, from, each.limits?.alignment ?? 0);
  yield ']\n';
  yield runtimeText;
  yield functionTexts[kind];
  yield demoText;
}

function* planText(plan: Plan, from: number, alignment: number): Iterable<string> {
  const { collective, bulks, buffers, name } = plan;
  const { kind, ranks, chunks, root, op, inPlace, counts } = collective;
  const about = {
    ...{ name, from, kind, ranks, chunks, root, op, bulks, alignment },
    ...(counts === undefined ? {} : { counts }),
    buffers: buffers.map(({ input, output, scratch }) => [input, output, scratch]),
  };
  const flags = `"inPlace": ${pythonFlag(inPlace)}, "reduces": ${pythonFlag(reduces(collective))}`;
  yield `    {**json.loads(${pythonText(jsonText(about))}), ${flags}, "programs": [\n`;
  for (const program of rankPrograms(plan, levelsOf(plan))) {
    yield `        lambda: json.loads(${pythonText(rowsText(program))}),\n`;
  }
  yield '    ]},\n';
}

function rowsText({ first, levels }: RankProgram): string {
  return JSON.stringify({ first, levels: levels.map(({ messages, local }) => [messages, local]) });
}

/** Escapes JSON, which is ASCII here, as a Python string literal. */
function pythonText(json: string): string {
  return `'${json.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}

function pythonFlag(flag: boolean): string {
  return flag ? 'True' : 'False';
}
