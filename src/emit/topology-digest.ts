import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import type { SymmetricTopology } from '../ir/compact.ts';
import { type CopyEngine, isPlain, type ReduceEngine, type Topology } from '../ir/topology.ts';

/**
 * A fingerprint of what a plan's proof and cost depend on: nodes, links, rank placement and the in-flight limit, not
 * names or source positions. Equal machines have equal digests.
 */
export function topologyDigest(topology: Topology): string {
  const nodes = topology.nodes.map((node) => [
    node.kind,
    limit(node.ports.send),
    limit(node.ports.receive),
    node.reduce === undefined ? null : reduceFacts(node.reduce),
    node.copy === undefined ? null : copyFacts(node.copy),
    node.multicast,
  ]);
  const links = topology.links.map((l) => [l.from, l.to, l.latency, limit(l.bandwidth), l.occupancy, l.units]);
  const { inflight, staging, messages } = topology;
  const more = [
    ...(staging ? [staging.memory] : []),
    ...(messages ? [messages] : []),
    ...(isPlain(topology) ? [] : [laneFacts(topology)]),
  ];
  return digestOf([nodes, links, topology.chips, inflight ?? null, ...more]);
}

/**
 * The fingerprint of a symmetric machine, from its description by what one chip sees. It differs from the `topologyDigest` of the same machine built
 * in full.
 */
export function symmetricDigest({ shape, generators, ports, reduce, copy, inflight }: SymmetricTopology): string {
  const links = generators.map((g) => [g.offset, g.latency, limit(g.bandwidth), g.occupancy, g.units]);
  const engines = [reduce === undefined ? null : reduceFacts(reduce), copy === undefined ? null : copyFacts(copy)];
  return digestOf([shape, links, limit(ports.send), limit(ports.receive), engines, inflight ?? null]);
}

function digestOf(facts: readonly unknown[]): string {
  return `sha256:${bytesToHex(sha256(utf8ToBytes(JSON.stringify(facts))))}`;
}

function reduceFacts({ throughput, overlap, operators }: ReduceEngine): unknown {
  return [limit(throughput), overlap, ...(operators === undefined ? [] : [operators])];
}

/** The parameters of lanes, proxies and launching that affect times. Links list only deviations from a link without a proxy. */
function laneFacts({ launch = 0, lane, links }: Topology): unknown {
  if (lane === undefined) return { launch };
  const { overhead, bandwidth, visible, slice, local, long } = lane;
  const proxies = links.flatMap(({ lane: own }, index) => {
    if (own?.buffered !== true) return [];
    return [[index, own.gap, own.rendezvous?.above ?? null, own.rendezvous?.gap ?? null, limit(own.bandwidth)]];
  });
  return {
    launch,
    lane: [overhead, bandwidth, visible, limit(slice), local.overhead, local.bandwidth],
    proxies,
    ...(long === undefined ? {} : { long }),
  };
}

function copyFacts({ throughput, duplex }: CopyEngine): unknown {
  return duplex === true ? [limit(throughput), 'duplex'] : limit(throughput);
}

/** JSON cannot represent infinity. */
function limit(value: number): number | string {
  return Number.isFinite(value) ? value : 'unlimited';
}
