/**
 * Finds GPUs of a host that differ from the others: fewer NVLinks, a narrower PCIe link, a NIC that is farther away. The reader accepts such a host,
 * since a plan for the machine as it is has its use; the notes point to the differences, which may be defects.
 */
import { counted } from '../../ir/units.ts';
import type { HostLink, HostNodeKind } from './host.ts';

/** The attributes of a GPU that are compared. Undefined values are not compared. */
export interface ComparedGpu {
  readonly rank: number;
  /** GPUs of one architecture are compared with each other. */
  readonly architecture: string;
  /** Total number of NVLinks or XGMI links of the GPU. */
  readonly links: number;
  /** The PCIe link that joins the GPU to its processor, such as `PCIe 32 GT/s x16`. */
  readonly pcie: string | undefined;
  /** Number of PCIe and processor links on the shortest path to a NIC; undefined if there is no such path. */
  readonly nicHops: number | undefined;
}

/** Returns a note for each attribute in which GPUs of one architecture differ, such as `gpu 1 has no NVLink, the other 3 have 18`. */
export function differencesAmong(gpus: readonly ComparedGpu[]): readonly string[] {
  const architectures = [...new Set(gpus.map(({ architecture }) => architecture))];
  return architectures.flatMap((architecture) => {
    const alike = gpus.filter((gpu) => gpu.architecture === architecture);
    return [
      ...differenceIn(alike, ({ links }) => (links === 0 ? 'no NVLink' : counted(links, 'NVLink'))),
      ...differenceIn(alike, ({ pcie }) => pcie),
      ...differenceIn(alike, ({ nicHops }) => nicHops && `the nearest NIC ${counted(nicHops, 'hop')} away`),
    ];
  });
}

function differenceIn(gpus: readonly ComparedGpu[], attribute: (gpu: ComparedGpu) => string | 0 | undefined): string[] {
  const byValue = new Map<string, number[]>();
  for (const gpu of gpus) {
    const value = attribute(gpu);
    if (value !== undefined && value !== 0) byValue.set(value, [...(byValue.get(value) ?? []), gpu.rank]);
  }
  if (byValue.size < 2) return [];
  const [most, ...fewer] = [...byValue].sort(([, a], [, b]) => b.length - a.length);
  const odd = fewer.map(([value, ranks]) => `${gpusNamed(ranks)} ${ranks.length === 1 ? 'has' : 'have'} ${value}`);
  const [value, ranks] = most;
  return [`${odd.join(', ')}, the other ${ranks.length} ${ranks.length === 1 ? 'has' : 'have'} ${value}`];
}

function gpusNamed(ranks: readonly number[]): string {
  return `${ranks.length === 1 ? 'gpu' : 'gpus'} ${ranks.join(', ')}`;
}

/** Returns the number of links on the shortest path over PCIe and processors from a node to a NIC, or undefined if there is none. */
export function hopsToNic(
  from: number,
  kinds: readonly HostNodeKind[],
  links: readonly HostLink[],
): number | undefined {
  const neighbours = new Map<number, number[]>();
  for (const { a, b, kind } of links) {
    if (kind !== 'pcie' && kind !== 'cpu') continue;
    neighbours.set(a, [...(neighbours.get(a) ?? []), b]);
    neighbours.set(b, [...(neighbours.get(b) ?? []), a]);
  }
  const distance = new Map([[from, 0]]);
  const queue = [from];
  for (const node of queue) {
    const hops = distance.get(node) ?? 0;
    if (kinds[node] === 'nic') return hops;
    for (const next of neighbours.get(node) ?? []) {
      if (distance.has(next)) continue;
      distance.set(next, hops + 1);
      queue.push(next);
    }
  }
  return undefined;
}
