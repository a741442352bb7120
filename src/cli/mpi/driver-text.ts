/**
 * Writes the C program that calls an emitted collective. It checks the result against a reference computed from the definition of the collective, and
 * measures the plan and MPI's own function alternately in one run.
 */
import { type Collective, collectiveFacts } from '../../ir/collective.ts';
import { CccError } from '../../ir/diagnostic.ts';
import { type Dtype, isPair, operatorLacking, operatorsOf } from '../../ir/dtype.ts';
import { mainText } from './driver-main.ts';

/** The names in C and in MPI of each element type that MPI's C interface has. */
const types: Partial<Readonly<Record<Dtype, readonly [string, string]>>> = {
  i8: ['int8_t', 'MPI_INT8_T'],
  u8: ['uint8_t', 'MPI_UINT8_T'],
  i16: ['int16_t', 'MPI_INT16_T'],
  u16: ['uint16_t', 'MPI_UINT16_T'],
  i32: ['int32_t', 'MPI_INT32_T'],
  u32: ['uint32_t', 'MPI_UINT32_T'],
  i64: ['int64_t', 'MPI_INT64_T'],
  u64: ['uint64_t', 'MPI_UINT64_T'],
  f32: ['float', 'MPI_FLOAT'],
  f64: ['double', 'MPI_DOUBLE'],
  'i16+i32': ['struct { int16_t value; int32_t index; }', 'MPI_SHORT_INT'],
  'i32+i32': ['struct { int32_t value, index; }', 'MPI_2INT'],
  'i64+i32': ['struct { int64_t value; int32_t index; }', 'MPI_LONG_INT'],
  'f32+i32': ['struct { float value; int32_t index; }', 'MPI_FLOAT_INT'],
  'f64+i32': ['struct { double value; int32_t index; }', 'MPI_DOUBLE_INT'],
};

/** MPI's operator, and the C expression of a ⊕ b. */
const operators = {
  sum: ['MPI_SUM', 'a + b'],
  prod: ['MPI_PROD', 'a * b'],
  max: ['MPI_MAX', 'a > b ? a : b'],
  min: ['MPI_MIN', 'a < b ? a : b'],
  and: ['MPI_BAND', 'a & b'],
  or: ['MPI_BOR', 'a | b'],
  xor: ['MPI_BXOR', 'a ^ b'],
  minloc: ['MPI_MINLOC', 'a.value < b.value || (a.value == b.value && a.index < b.index) ? a : b'],
  maxloc: ['MPI_MAXLOC', 'a.value > b.value || (a.value == b.value && a.index < b.index) ? a : b'],
} as const;

/** C functions on elements: the value of element x of a rank's input, comparison of two elements, and conversion to a number for messages. */
const plainElements = `/* Element x of a rank's input: small whole numbers, which every element type adds up exactly. */
static element value(int64_t of, int64_t x)
{
  return (element)((of * 7 + x * 3 + x / 251) % VALUES + 1);
}

static int same(element a, element b) { return a == b; }
static double shown(element a) { return (double)a; }`;

const pairElements = `/* Element x of a rank's input: one of few values, so that the indices often decide. */
static element value(int64_t of, int64_t x)
{
  element pair = { 0 };
  pair.value = (of * 7 + x * 3 + x / 251) % VALUES + 1;
  pair.index = (int32_t)((of * 5 + x) % 11);
  return pair;
}

static int same(element a, element b) { return a.value == b.value && a.index == b.index; }
static double shown(element a) { return (double)a.value; }`;

/**
 * How a collective is called in C: the names of the two functions (MPI's and the emitted one), their arguments (`S` and `R` are the buffers, n the
 * number of elements of a shard), and the expected element x of the output.
 */
interface Calls {
  readonly names: readonly [string, string];
  readonly passed: string;
  readonly expected: string;
}

const whole = 'n, TYPE, OP, MPI_COMM_WORLD';
const sharded = 'S, n, TYPE, R, n, TYPE';

const calls: Partial<Readonly<Record<Collective['kind'], Calls>>> = {
  allgather: {
    names: ['MPI_Allgather', 'ccc_allgather'],
    passed: `${sharded}, MPI_COMM_WORLD`,
    expected: 'value(x / n, x % n)',
  },
  alltoall: {
    names: ['MPI_Alltoall', 'ccc_alltoall'],
    passed: `${sharded}, MPI_COMM_WORLD`,
    expected: 'value(x / n, rank * n + x % n)',
  },
  gather: {
    names: ['MPI_Gather', 'ccc_gather'],
    passed: `${sharded}, ROOT, MPI_COMM_WORLD`,
    expected: 'value(x / n, x % n)',
  },
  scatter: {
    names: ['MPI_Scatter', 'ccc_scatter'],
    passed: `${sharded}, ROOT, MPI_COMM_WORLD`,
    expected: 'value(ROOT, rank * n + x)',
  },
  broadcast: {
    names: ['MPI_Bcast', 'ccc_bcast'],
    passed: 'R, n, TYPE, ROOT, MPI_COMM_WORLD',
    expected: 'value(ROOT, x)',
  },
  allreduce: { names: ['MPI_Allreduce', 'ccc_allreduce'], passed: `S, R, ${whole}`, expected: 'fold(RANKS - 1, x)' },
  reduce: {
    names: ['MPI_Reduce', 'ccc_reduce'],
    passed: 'S, R, n, TYPE, OP, ROOT, MPI_COMM_WORLD',
    expected: 'fold(RANKS - 1, x)',
  },
  reducescatter: {
    names: ['MPI_Reduce_scatter_block', 'ccc_reduce_scatter_block'],
    passed: `S, R, ${whole}`,
    expected: 'fold(RANKS - 1, rank * n + x)',
  },
  scan: { names: ['MPI_Scan', 'ccc_scan'], passed: `S, R, ${whole}`, expected: 'fold(rank, x)' },
  exscan: { names: ['MPI_Exscan', 'ccc_exscan'], passed: `S, R, ${whole}`, expected: 'fold(rank - 1, x)' },
  barrier: { names: ['MPI_Barrier', 'ccc_barrier'], passed: 'MPI_COMM_WORLD', expected: 'value(0, 0)' },
};

/**
 * Returns C expressions for the number of shards in a rank's buffers, and for where the input is in the output (allgather) or the output in the input
 * (scatter) when in place.
 */
function shapes({ kind, ranks }: Collective): { inputs: string; outputs: string; inputAt: string; outputAt: string } {
  const atRoot = (shards: number): string => `(rank == ROOT ? ${shards} : 0)`;
  const plain = { inputAt: '0', outputAt: '0' };
  switch (kind) {
    case 'allgather':
      return { inputs: '1', outputs: `${ranks}`, inputAt: 'rank', outputAt: '0' };
    case 'alltoall':
      return { ...plain, inputs: `${ranks}`, outputs: `${ranks}` };
    case 'gather':
      return { inputs: '1', outputs: atRoot(ranks), inputAt: '(rank == ROOT ? ROOT : 0)', outputAt: '0' };
    case 'scatter':
      return { inputs: atRoot(ranks), outputs: '1', inputAt: '0', outputAt: '(rank == ROOT ? ROOT : 0)' };
    case 'broadcast':
      return { ...plain, inputs: atRoot(1), outputs: '1' };
    case 'reduce':
      return { ...plain, inputs: '1', outputs: atRoot(1) };
    case 'reducescatter':
      return { ...plain, inputs: `${ranks}`, outputs: '1' };
    case 'exscan':
      return { ...plain, inputs: '1', outputs: '(rank > 0 ? 1 : 0)' };
    case 'barrier':
      return { ...plain, inputs: '0', outputs: '0' };
    default:
      return { ...plain, inputs: '1', outputs: '1' };
  }
}

/**
 * Writes the program. Its arguments are triples: elements of a shard, samples, calls per sample; with 0 samples it only checks. It prints one JSON
 * document.
 * @throws CccError 'unsupported' for an element type that MPI does not have
 */
export function driverText(collective: Collective, dtype: Dtype): string {
  const { kind, ranks, root, op, inPlace, counts } = collective;
  const type = types[dtype];
  if (counts !== undefined) {
    const instead = '--on workers runs them, and --emit mpi-c makes a function for programs that call MPI with counts';
    throw new CccError('unsupported', `shards of different sizes do not run under mpirun here; ${instead}`);
  }
  const call = calls[kind];
  if (call === undefined) throw new CccError('unsupported', `MPI has no call for a ${kind} collective`);
  if (type === undefined) {
    throw new CccError('unsupported', `MPI has no ${dtype}; it has ${Object.keys(types).join(' ')}`);
  }
  const lacking = operatorLacking(op, dtype);
  if (lacking !== undefined && collectiveFacts[kind].reduces) throw new CccError('unsupported', lacking);
  // If nothing is reduced, any operator of the type will do, since no code that uses it is called.
  const [mpiOperator, combined] = operators[lacking === undefined ? op : operatorsOf(dtype)[0]];
  const { inputs, outputs, inputAt, outputAt } = shapes(collective);
  const parameters = `const void *s, void *r, int n`;
  const own = kind === 'scatter' ? 'in_place && rank == ROOT' : 'in_place';
  // Decides where MPI_IN_PLACE goes: rooted collectives take it at the root only, a scatter in place of the output.
  const sends = kind === 'gather' || kind === 'reduce' ? 'in_place && rank == ROOT' : own;
  const passed = call.passed
    .replace(/\bS\b/, kind === 'scatter' ? 's' : `${sends} ? MPI_IN_PLACE : s`)
    .replace(/\bR\b/, kind === 'scatter' ? `${own} ? MPI_IN_PLACE : r` : 'r');
  const unused = kind === 'broadcast' || kind === 'barrier' ? '  (void)s, (void)r, (void)n, (void)in_place;\n' : '';
  return `/* Checks ${call.names[1]} and times it beside ${call.names[0]}. Written by ccc. */
#define _DEFAULT_SOURCE
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

typedef ${type[0]} element;
#define TYPE ${type[1]}
#define OP ${mpiOperator}
enum { RANKS = ${ranks}, ROOT = ${root}, TIMED_IN_PLACE = ${inPlace || kind === 'broadcast' ? 1 : 0}, ONE_BUFFER = ${kind === 'broadcast' ? 1 : 0}, VALUES = ${op === 'prod' ? 2 : 5} };

int ${call.names[1]}(${prototypeOf(kind)});

static int rank;

${isPair(dtype) ? pairElements : plainElements}

static element combine(element a, element b)
{
  return ${isPair(dtype) ? '' : '(element)'}(${combined});
}

/* Element x of all inputs from rank 0 to last, combined. */
static element fold(int64_t last, int64_t x)
{
  element sum = value(0, x);
  for (int64_t of = 1; of <= last; of++) sum = combine(sum, value(of, x));
  return sum;
}

static int by_mpi(${parameters}, int in_place)
{
${unused}  return ${call.names[0]}(${passed});
}

static int by_plan(${parameters}, int in_place)
{
${unused}  return ${call.names[1]}(${passed});
}

static int64_t input_shards(void) { return ${inputs}; }
static int64_t output_shards(void) { return ${outputs}; }
static int64_t input_at(void) { return ${inputAt}; }
static int64_t output_at(void) { return ${outputAt}; }

static element expected(int64_t n, int64_t x)
{
  (void)n, (void)x;
  (void)fold;
  return ${call.expected};
}
${mainText}`;
}

function prototypeOf(kind: Collective['kind']): string {
  switch (kind) {
    case 'allgather':
    case 'alltoall':
      return 'const void *, int, MPI_Datatype, void *, int, MPI_Datatype, MPI_Comm';
    case 'gather':
    case 'scatter':
      return 'const void *, int, MPI_Datatype, void *, int, MPI_Datatype, int, MPI_Comm';
    case 'broadcast':
      return 'void *, int, MPI_Datatype, int, MPI_Comm';
    case 'reduce':
      return 'const void *, void *, int, MPI_Datatype, MPI_Op, int, MPI_Comm';
    case 'barrier':
      return 'MPI_Comm';
    default:
      return 'const void *, void *, int, MPI_Datatype, MPI_Op, MPI_Comm';
  }
}
