/** Drawn command lines of `ccc compile`: shipped machines, all collectives, options of all kinds. */
import type { Random } from '../src/ir/random.ts';

const kinds = ['allgather', 'reducescatter', 'allreduce', 'broadcast', 'reduce', 'scatter', 'gather', 'alltoall'];
const rareKinds = ['scan', 'exscan', 'barrier'];
const machines = [
  ...['sg2260x4', 'sg2260x4-ddr', 'sg2260x8', 'dgx1', 'a100', 'h100', 'mi300x', 'a100:2', 'ring:5', 'ring:8', 'line:6'],
  ...[
    'full:4',
    'full:7',
    'switch:6',
    'torus:3x3',
    'torus:4x4',
    'mesh:3x4',
    'hypercube:3',
    'hypercube:4',
    'routed-line',
  ],
  ...['fattree:2,3,2', 'dragonfly:2,2,2', 'tree', 'mi250', 'dgx1-cluster:2', 'sg2260-cards:2', 'routed-ring:6'],
];
const sizes = ['1KiB', '64KiB', '1MiB', '8MiB', '64MiB', '1GiB'];
const extras = [
  '',
  '',
  '',
  '',
  '--in-place',
  '--op max',
  '--ordered',
  '--group 0,1,2',
  '--chunks 2',
  '--bulks 4',
  '--seed 3',
];
const machineExtras = ['', '', '', '--without link:0-1', '--objective latency', '--engine list'];

/** Command lines without `ccc`. Two of three are quick searches, which reach every engine too. */
export function drawnCommands(count: number, random: Random): readonly string[] {
  const pick = (from: readonly string[]): string => from[random.below(from.length)];
  return Array.from({ length: count }, (_, row) => {
    const kind = row % 8 === 7 ? pick(rareKinds) : pick(kinds);
    const size = kind === 'barrier' ? '' : `--size ${pick(sizes)}`;
    const effort = random.below(3) === 0 ? '' : '--effort quick';
    const machine = pick(machines);
    const onMachine = /^(?:a100|h100|mi300x)/.test(machine) ? pick(['', '--protocol auto']) : pick(machineExtras);
    const words = ['compile', kind, `--topo ${machine}`, size, effort, pick(extras), onMachine];
    return words.filter((word) => word !== '').join(' ');
  });
}
