/** The part of an emitted file that tries it: all ranks in one process, with inputs whose results are known. */
import type { Collective } from '../../ir/collective.ts';
import { isPair } from '../../ir/dtype.ts';
import type { Features } from './features.ts';
import { pairInputText } from './pairs.ts';
import { parametersOf, sharedOffsets } from './signature.ts';

/** `main` and what it needs. */
export function demoText(features: Features, name: string): string {
  const { collective } = features.plan;
  const parts = collective.kind === 'barrier' ? [] : [valueText(features), expectedText(features)];
  return [...parts, mainText(features, name)].join('\n\n');
}

function valueText({ element, dtype, plan: { collective } }: Features): string {
  const hash = 'Math.imul(index * ranks + rank + 1, 0x9e3779b1)';
  if (isPair(dtype)) {
    return `/** Inputs to try it with: few values, so that the indices often decide. */
function inputOf(rank: number, length: number): Elements {
  const input = new Elements(length);
${pairInputText(dtype, hash)}  return input;
}`;
  }
  const number = collective.op === 'prod' ? `1 + (${hash} >>> 31)` : `${hash} >>> 25`;
  const value = element.arithmetic === 'bigint' ? `BigInt(${number})` : number;
  return `/** Inputs to try it with: whole numbers so small that no order of the ranks rounds. */
function inputOf(rank: number, length: number): Elements {
  const input = new Elements(length);
  for (let index = 0; index < length; index++) input[index] = ${value};
  return input;
}`;
}

/** What each rank's output must be, from the definition of the collective. */
function expectedText({ plan: { collective } }: Features): string {
  const functions: string[] = [];
  const result = expectedExpression(collective);
  if (result.includes('joined(')) functions.push(joinedText);
  if (result.includes('shardAt(')) functions.push(shardAtText);
  if (/combined\(|whole/.test(result)) functions.push(combinedText);
  const whole = result.includes('whole') ? '  const whole = combined(inputs);\n' : '';
  const shard = result.includes('shard)') ? ', shard: number' : '';
  functions.push(`/** What each rank must have in the end, from all ranks' inputs; nothing where that is not defined. */
function expected(inputs: readonly Elements[]${shard}): readonly (Elements | undefined)[] {
${whole}  return inputs.map((${/\brank\b/.test(result) ? '_, rank' : ''}) =>${collective.kind === 'alltoall' && collective.counts === undefined ? '\n    ' : ' '}${result}${collective.kind === 'alltoall' && collective.counts === undefined ? ',\n  ' : ''});
}`);
  return functions.join('\n\n');
}

function expectedExpression({ kind, counts }: Collective): string {
  const sizes = (rank: string): string => (counts === undefined ? `shardSizes(${rank}, shard)` : `shardSizes(${rank})`);
  switch (kind) {
    case 'allgather':
      return 'joined(inputs)';
    case 'gather':
      return '(rank === root ? joined(inputs) : new Elements(0))';
    case 'reducescatter':
      return `shardAt(whole, ${sizes('rank')}.input, rank)`;
    case 'allreduce':
      return 'whole';
    case 'reduce':
      return '(rank === root ? whole : new Elements(0))';
    case 'broadcast':
      return 'inputs[root]';
    case 'scatter':
      return `shardAt(inputs[root], ${sizes('root')}.input, rank)`;
    case 'alltoall':
      return `joined(inputs.map((input, from) => shardAt(input, ${sizes('from')}.input, rank)))`;
    case 'scan':
      return 'combined(inputs.slice(0, rank + 1))';
    case 'exscan':
      return '(rank === 0 ? undefined : combined(inputs.slice(0, rank)))';
    case 'barrier':
    case 'custom':
      return 'undefined';
  }
}

const joinedText = `function joined(parts: readonly Elements[]): Elements {
  const whole = new Elements(parts.reduce((total, { length }) => total + length, 0));
  let start = 0;
  for (const part of parts) {
    whole.set(part, start);
    start += part.length;
  }
  return whole;
}`;

const shardAtText = `function shardAt(elements: Elements, sizes: readonly number[], shard: number): Elements {
  const start = sizes.slice(0, shard).reduce((total, size) => total + size, 0);
  return elements.subarray(start, start + sizes[shard]);
}`;

const combinedText = `function combined(inputs: readonly Elements[]): Elements {
  const result = inputs[0].slice();
  for (const input of inputs.slice(1)) combine(result, result, input);
  return result;
}`;

function mainText(features: Features, name: string): string {
  const { collective } = features.plan;
  const runs = collective.kind === 'barrier' ? barrierRun(name) : collectiveRun(features, name);
  const sized = collective.kind !== 'barrier' && collective.counts === undefined;
  return `${sized ? `${parseSizeText}\n\n` : ''}${runs}

function main(): void {
  // The process runs out of work before its ranks have finished only when they wait for each other.
  const stuck = (): void => fail('the ranks wait for each other for ever');
  process.once('beforeExit', stuck);
  run()
    .then((report) => stdout.write(\`\${report}\\n\`))
    .catch((error: unknown) => fail(error instanceof Error ? error.message : String(error)))
    .finally(() => process.off('beforeExit', stuck));
}

function fail(message: string): void {
  stderr.write(\`${name}: \${message}\\n\`);
  process.exitCode = 1;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) main();`;
}

const parseSizeText = `/** Bytes from \`64MiB\`, \`1kB\`, \`4096\`. */
function parseSize(text: string): number {
  const [, number, unit] = /^(\\d+)(B|kB|MB|GB|KiB|MiB|GiB)?$/.exec(text) ?? [];
  if (number === undefined) throw new RangeError(\`--size \${text}: expected an amount such as 64MiB, 1kB or 4096\`);
  const scales: Record<string, number> = { kB: 1e3, MB: 1e6, GB: 1e9, KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30 };
  return Number(number) * (scales[unit] ?? 1);
}`;

function barrierRun(name: string): string {
  return `/** Calls it on all ranks, the later the higher the rank, and sees that nobody comes back before all have called. */
async function run(): Promise<string> {
  let entered = 0;
  const enter = async (transport: Transport): Promise<void> => {
    await setTimeout(2 * transport.rank);
    entered++;
    await ${name}(transport);
    if (entered < ranks) throw new Error(\`rank \${transport.rank} left when \${entered} of \${ranks} ranks had entered\`);
  };
  await Promise.all(localTransports().map(enter));
  return \`${name} of \${ranks} ranks: correct\`;
}`;
}

function collectiveRun({ plan: { collective } }: Features, name: string): string {
  const { counts, inPlace } = collective;
  const sized = counts === undefined;
  const shards = /ranks/.test(
    parametersOf(collective)
      .map(({ shards }) => shards)
      .join(),
  )
    ? ' / ranks'
    : '';
  const sizes = sized ? 'shardSizes(rank, shard)' : 'shardSizes(rank)';
  const usesShard = sized && expectedExpression(collective).includes('shard)');
  const lines = [
    'const { values } = parseArgs({',
    `  options: { ${sized ? "size: { type: 'string', default: '64MiB' }, " : ''}check: { type: 'boolean', default: false } },`,
    '});',
    ...(sized ? [`const shard = Math.floor(parseSize(values.size) / Elements.BYTES_PER_ELEMENT${shards});`] : []),
    `const sizes = Array.from({ length: ranks }, (_, rank) => ${sizes});`,
    'const inputs = sizes.map(({ input }, rank) => inputOf(rank, sum(input)));',
    ...(inPlace
      ? inPlaceBuffers(collective)
      : ['const outputs = sizes.map(({ output }) => new Elements(sum(output)));']),
    'const start = performance.now();',
    `await Promise.all(localTransports().map((transport, rank) => ${name}(transport, ${inPlace ? 'buffers[rank]' : 'inputs[rank], outputs[rank]'})));`,
    'const milliseconds = performance.now() - start;',
    `const report = \`${name} of \${ranks} ranks in \${milliseconds.toFixed(1)} ms\`;`,
    'if (!values.check) return report;',
    `expected(inputs${usesShard ? ', shard' : ''}).forEach((wanted, rank) => {`,
    '  const wrong = wanted?.findIndex((value, index) => outputs[rank][index] !== value) ?? -1;',
    '  if (wanted === undefined || wrong < 0) return;',
    '  const [is, should] = [outputs[rank][wrong], wanted[wrong]];',
    `  throw new Error(\`element \${wrong} of rank \${rank} is \${is}, but should be \${should}\`);`,
    '});',
    `return \`\${report}: correct\`;`,
  ];
  return `/** Calls it on all ranks at once; \`--check\` compares what they have then with the definition. */
async function run(): Promise<string> {
${lines.map((line) => `  ${line}\n`).join('')}}`;
}

/** Buffers that hold the inputs where the collective wants them in place, and the outputs as views of them. */
function inPlaceBuffers(collective: Collective): readonly string[] {
  const [input, output] = sharedOffsets(collective).map((first) =>
    first === '0' ? undefined : `sum(buffer.slice(0, ${first.replaceAll(' * chunks', '')}))`,
  );
  const outputs =
    output === undefined
      ? ['const outputs = sizes.map(({ output }, rank) => buffers[rank].subarray(0, sum(output)));']
      : [
          'const outputs = sizes.map(({ buffer, output }, rank) => {',
          `  const start = ${output};`,
          '  return buffers[rank].subarray(start, start + sum(output));',
          '});',
        ];
  return [
    'const buffers = sizes.map(({ buffer }, rank) => {',
    '  const elements = new Elements(sum(buffer));',
    `  elements.set(inputs[rank]${input === undefined ? '' : `, ${input}`});`,
    '  return elements;',
    '});',
    ...outputs,
  ];
}
