/**
 * Reduces a host to the machine that collectives use: it keeps the requested links, and removes dead ends and PCIe bridges with only two neighbours.
 */
import type { HostLink, SystemHost } from './host.ts';

/** Which links are kept: `nvlink` keeps those that NCCL uses between GPUs, `all` keeps every link. */
export type LinkChoice = 'nvlink' | 'all';

/** A part of a host. Nodes have the same indices as in the host. */
export interface HostPart {
  readonly links: readonly HostLink[];
  /** Notes on what was left out. */
  readonly notes: readonly string[];
}

/**
 * Returns the links between GPUs and, with `network`, the links on the routes to the NICs. NCCL sends over PCIe only between GPUs that NVLink or XGMI
 * does not connect. If these connect all GPUs, PCIe is kept only on the routes to the NICs.
 */
export function partOf(host: SystemHost, choice: LinkChoice, network: boolean): HostPart {
  const isGpu = (node: number): boolean => host.nodes[node] === 'gpu';
  const fast = host.links.filter((link) => link.kind === 'nvlink');
  const joined = isJoined(host, fast);
  const slow = host.links.filter((link) => link.kind !== 'nvlink');
  const kept = choice === 'nvlink' && joined ? (network ? waysToNics(host, slow) : []) : slow;
  const isEnd = (node: number): boolean => isGpu(node) || (network && host.nodes[node] === 'nic');
  const notes =
    slow.length > 0 && choice === 'nvlink' && joined && fast.length > 0
      ? [`PCIe between GPUs is left out, as NCCL does where NVLink or XGMI joins all; --links all keeps it`]
      : [];
  const single = fastestOfEachPair([...fast, ...kept]);
  return { links: withoutBridges(host, withoutDeadEnds(single, isEnd), isEnd), notes };
}

/** Whether these links connect all GPUs with each other. */
function isJoined(host: SystemHost, links: readonly HostLink[]): boolean {
  const gpus = host.nodes.flatMap((kind, node) => (kind === 'gpu' ? [node] : []));
  const reached = (ends: (link: HostLink) => readonly [number, number, number, number]): number => {
    const next = host.nodes.map((): number[] => []);
    for (const link of links) {
      const [a, b, there, back] = ends(link);
      if (there > 0) next[a].push(b);
      if (back > 0) next[b].push(a);
    }
    const seen = new Set([gpus[0]]);
    for (const node of seen) for (const neighbour of next[node]) seen.add(neighbour);
    return gpus.filter((gpu) => seen.has(gpu)).length;
  };
  const forwards = reached(({ a, b, there, back }) => [a, b, there, back]);
  const backwards = reached(({ a, b, there, back }) => [a, b, back, there]);
  return forwards === gpus.length && backwards === gpus.length;
}

/** Returns the links on shortest paths, by number of hops, from any GPU to its nearest NICs. */
function waysToNics(host: SystemHost, links: readonly HostLink[]): readonly HostLink[] {
  const next = host.nodes.map((): { readonly link: HostLink; readonly to: number }[] => []);
  for (const link of links) {
    next[link.a].push({ link, to: link.b });
    next[link.b].push({ link, to: link.a });
  }
  const used = new Set<HostLink>();
  host.nodes.forEach((kind, gpu) => {
    if (kind !== 'gpu') return;
    const distance = new Map([[gpu, 0]]);
    let nearest = Number.POSITIVE_INFINITY;
    const nics: number[] = [];
    for (const [node, hops] of distance) {
      if (hops > nearest) break;
      if (host.nodes[node] === 'nic') {
        nearest = hops;
        nics.push(node);
        continue;
      }
      for (const { to } of next[node]) if (!distance.has(to) && host.nodes[to] !== 'gpu') distance.set(to, hops + 1);
    }
    const back = new Set(nics);
    for (const node of back) {
      for (const { link, to } of next[node]) {
        if (distance.get(to) !== (distance.get(node) ?? 0) - 1) continue;
        used.add(link);
        back.add(to);
      }
    }
  });
  return links.filter((link) => used.has(link));
}

function withoutDeadEnds(links: readonly HostLink[], isEnd: (node: number) => boolean): readonly HostLink[] {
  let left = links;
  for (;;) {
    const degrees = degreesOf(left);
    const kept = left.filter(({ a, b }) => [a, b].every((node) => isEnd(node) || (degrees.get(node) ?? 0) > 1));
    if (kept.length === left.length) return left;
    left = kept;
  }
}

/** Merges the two links of a PCIe bridge with only two neighbours into one link, with the bandwidth of the slower one. */
function withoutBridges(
  host: SystemHost,
  links: readonly HostLink[],
  isEnd: (node: number) => boolean,
): readonly HostLink[] {
  const left = new Set(links);
  for (const node of host.nodes.keys()) {
    if (host.nodes[node] !== 'pcie' || isEnd(node)) continue;
    const here = [...left].filter(({ a, b }) => a === node || b === node);
    if (here.length !== 2) continue;
    const [into, out] = here.map((link) => (link.b === node ? link : turned(link)));
    const onward = turned(out);
    if (into.a === onward.b || [...left].some((link) => joins(link, into.a, onward.b))) continue;
    for (const link of here) left.delete(link);
    const slower = into.there <= onward.there ? into : onward;
    left.add({
      ...slower,
      a: into.a,
      b: onward.b,
      there: Math.min(into.there, onward.there),
      back: Math.min(into.back, onward.back),
    });
  }
  return [...left];
}

/** Keeps one link between two nodes: if a GPU has NVLink and PCIe to its processor, messages take NVLink. */
function fastestOfEachPair(links: readonly HostLink[]): readonly HostLink[] {
  const fastest = new Map<string, HostLink>();
  for (const link of links) {
    const key = [Math.min(link.a, link.b), Math.max(link.a, link.b)].join(' ');
    const known = fastest.get(key);
    if (known === undefined || Math.max(link.there, link.back) > Math.max(known.there, known.back))
      fastest.set(key, link);
  }
  const kept = new Set(fastest.values());
  return links.filter((link) => kept.has(link));
}

function joins(link: HostLink, a: number, b: number): boolean {
  return (link.a === a && link.b === b) || (link.a === b && link.b === a);
}

function turned(link: HostLink): HostLink {
  return { ...link, a: link.b, b: link.a, there: link.back, back: link.there };
}

function degreesOf(links: readonly HostLink[]): ReadonlyMap<number, number> {
  const degrees = new Map<number, number>();
  for (const { a, b } of links) for (const node of [a, b]) degrees.set(node, (degrees.get(node) ?? 0) + 1);
  return degrees;
}
