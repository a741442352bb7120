/** MPI in C: one file with the plan as tables, a function with the signature of MPI's own function, and a shim for LD_PRELOAD. */
import type { Collective } from '../../ir/collective.ts';
import { type Bytes, formatBytes } from '../../ir/units.ts';
import { blockComment } from '../block-comment.ts';
import { type Emitter, type OpenRange, openedRanges, type PlanBundle, type RangedBundle } from '../emitter.ts';
import { callText } from './call-text.ts';
import { executorText } from './executor-text.ts';
import { type MpiInterface, mpiInterfaces } from './interfaces.ts';
import {
  agreeingText,
  equalCountsText,
  matchingText,
  movingText,
  placesText,
  reducingText,
  shardAddressText,
  shardBytesText,
} from './moving-text.ts';
import { roomLacking, sendsThatLeave } from './room.ts';
import { sizedInterfaces } from './sized-interfaces.ts';
import { planTables } from './tables.ts';

export const mpiC: Emitter = {
  name: 'mpi-c',
  about: "a C file for MPI: the plan as a function with MPI's own signature, and as a shim that replaces MPI's",
  ownership: 'strict',
  check,
  emit: (bundle) => emitRanges([{ from: 0, bundle }]),
  emitRanges,
};

/**
 * The maximum tag that every MPI library supports (minimum of MPI_TAG_UB). Channels must be below it, since messages to oneself need one more tag.
 */
const highestTag = 32_767;

function check({ proved }: PlanBundle): readonly string[] {
  const { plan, verification } = proved;
  const lacks: string[] = [];
  if (interfaceOf(plan.collective) === undefined) {
    lacks.push(`MPI has no call for a ${plan.collective.kind} collective`);
  }
  const needed = verification.smallestInflight ?? 0;
  if (needed > 1) {
    lacks.push(`the plan needs room for ${needed} undelivered messages on a connection; only one is made there`);
  } else if (needed === 1) lacks.push(...roomLacking(proved));
  if (plan.ops.channel.some((channel) => channel >= highestTag)) {
    lacks.push(`channels are tags there, and MPI promises no tag above ${highestTag}`);
  }
  return lacks;
}

function interfaceOf({ kind, counts }: Collective): MpiInterface | undefined {
  return (counts === undefined ? mpiInterfaces : sizedInterfaces)[kind];
}

function emitRanges(ranges: readonly RangedBundle[]): Iterable<string> {
  return fileText(openedRanges(ranges));
}

function* fileText(ranges: readonly OpenRange[]): Iterable<string> {
  const [{ bundle }] = ranges;
  const { collective } = bundle.plan;
  const call = interfaceOf(collective);
  if (call === undefined) throw new Error(`${collective.kind} is no collective of MPI`);
  yield heading(ranges, call);
  yield* planTables(
    ranges.map(({ from, bundle: open }) => {
      const alignment = open.topology?.messages?.alignment ?? 1;
      return { from, plan: open.plan, leaving: sendsThatLeave(open), alignment };
    }),
  );
  yield `${executorText}\n${callText(collective)}\n`;
  yield* callTexts(call, collective.ranks);
}

function* callTexts(call: MpiInterface, ranks: number): Iterable<string> {
  const { reduces, variant } = call;
  const bodies = call.body + (variant?.body ?? '');
  yield reduces ? reducingText : movingText;
  yield '\n';
  if (bodies.includes('ccc_bytes(')) yield shardBytesText;
  if (bodies.includes('ccc_shard_at')) yield shardAddressText;
  if (bodies.includes('ccc_writable')) yield writableText;
  if (bodies.includes('ccc_shift_to')) yield shiftText;
  if (bodies.includes('ccc_all_equal')) yield equalCountsText;
  if (bodies.includes('ccc_place(')) yield placesText;
  if (bodies.includes('ccc_matches')) yield matchingText;
  if (bodies.includes('ccc_all_agree')) yield agreeingText;
  if (variant !== undefined) yield* functionText(variant, ranks);
  yield* functionText(call, ranks);
}

function* functionText(call: MpiInterface, ranks: number): Iterable<string> {
  const { name, parameters, passed, body, reduces, otherwise } = call;
  const own = functionName(call);
  yield `/* ---- MPI_${name} ---- */\n\nint ${own}(${parameters});\n\n`;
  yield `int ${own}(${parameters})\n{\n  const char *why = "the plans are for one group of ${ranks} ranks";\n`;
  yield `  struct ccc_state *state;\n  int rc${reduces ? ', commutes' : ''};\n`;
  yield '  if ((rc = ccc_state_of(comm, &state)) != MPI_SUCCESS) return ccc_report(comm, rc);\n';
  yield `  if (state != NULL) {\n    state->caller = "MPI_${name}";${body.replaceAll('\n', '\n  ')}\n`;
  yield `    why = "${otherwise}";\n  }\n`;
  yield `  ccc_tell_why(comm, "MPI_${name}", why);\n`;
  yield `  return PMPI_${name}(${passed});\n}\n`;
  yield `\n#ifdef CCC_PMPI\nint MPI_${name}(${parameters})\n{\n  return ${own}(${passed});\n}\n#endif\n\n`;
}

/** The C function for a plan's collective, such as `ccc_allgather`. */
function functionName({ name }: MpiInterface): string {
  return `ccc_${name.toLowerCase()}`;
}

const writableText = `/* What the plan only reads: writes_input and may_spoil see to it. */
static char *ccc_writable(const void *buffer)
{
  return (char *)(uintptr_t)buffer;
}

`;

const shiftText = `/* For another root all ranks take the parts of others, round about. */
static int ccc_shift_to(int root)
{
  return (root + CCC_RANKS - CCC_ROOT) % CCC_RANKS;
}

`;

function heading(ranges: readonly OpenRange[], call: MpiInterface): string {
  const [{ bundle }] = ranges;
  const { kind, ranks, counts } = bundle.plan.collective;
  const functions = [call, ...(call.variant === undefined ? [] : [call.variant])];
  const lines = [
    ...ranges.map(({ from, bundle: { plan } }) => `${rangeText(from, ranges.length)}${plan.name}`),
    `${kind} of ${ranks} ranks, written by ccc.`,
    '',
    ...functions.map((each) => `int ${functionName(each)}(${each.parameters})`),
    `${functions.length === 1 ? 'takes' : 'take'} the arguments of ${functions.map(({ name }) => `MPI_${name}`).join(' and ')} and ${functions.length === 1 ? 'means' : 'mean'} the same. Other numbers of ranks${counts === undefined ? '' : ', other counts'} and what no plan is for go to`,
    "MPI's own function. Collective over the communicator, whose first call makes a private one.",
    'CCC_VERBOSE=1 in the environment: rank 0 says which plan serves each call, and which calls go on to MPI.',
    '',
    'As a part of a program:   mpicc -c FILE.c',
    `Under existing programs:  mpicc -DCCC_PMPI -shared -fPIC -O2 -o shim.so FILE.c; mpirun -x LD_PRELOAD=./shim.so …`,
    '',
    ...ranges.flatMap(({ from, bundle: { plan, verification } }) => [
      `Proved${ranges.length === 1 ? '' : `, ${rangeText(from, ranges.length)}${plan.name}`}:`,
      ...verification.proved.map((line) => `- ${line}`),
    ]),
  ];
  return `${blockComment(lines, '/*')}${includes}`;
}

/** `from 64 KiB on: ` if there are several plans, else empty. */
function rangeText(from: Bytes, plans: number): string {
  return plans === 1 ? '' : `from ${formatBytes(from)} on: `;
}

const includes = `#if defined(__linux__) && !defined(_DEFAULT_SOURCE)
#define _DEFAULT_SOURCE /* for madvise */
#endif
#include <limits.h>
#include <mpi.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef __linux__
#include <sys/mman.h>
#endif

`;
