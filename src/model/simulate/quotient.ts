/**
 * The quotient of a symmetric machine: one chip whose links lead back to itself. If all ranks run the same program, shifted, all do the same at the
 * same time: the message that rank r sends over a generator arrives at r ⊕ offset exactly when the corresponding message arrives at r. So a run of
 * the program on the quotient is the run of every rank on the full machine, with the same occupied links and ports in the same order. The exception
 * are chips with fewer ports than messages: there rank numbers decide which message goes first, and shifting does not preserve their order
 * (`checkPorts`).
 */
import { type CompactPlan, type SymmetricTopology, shiftedConnections, soleProgram } from '../../ir/compact.ts';
import { CccError } from '../../ir/diagnostic.ts';
import type { Topology } from '../../ir/topology.ts';
import { TranslationGroup } from '../../ir/translation-group.ts';
import type { SimulatedConnections } from './connections.ts';

/** The one chip, with one link for each generator, in the order of the generators. */
export function quotientTopology(machine: SymmetricTopology): Topology {
  const { name, ports, reduce, copy, inflight, notes } = machine;
  const chip = { kind: 'chip', name: 'every chip', ports, reduce, copy, multicast: false, origin: undefined } as const;
  const links = machine.generators.map(({ latency, bandwidth, occupancy, units }) => {
    return { from: 0, to: 0, latency, bandwidth, occupancy, units, origin: undefined };
  });
  return { name, nodes: [chip], links, chips: [0], inflight, shape: undefined, groups: [], notes };
}

/**
 * The connections of the program, by offset of the receiver and channel. A message to offset p is received from offset ⊖p.
 * @throws CccError 'unsupported' for a message to a chip without a direct link
 */
export function quotientConnections(compact: CompactPlan, machine: SymmetricTopology): SimulatedConnections {
  const program = soleProgram(compact);
  const group = new TranslationGroup(machine.shape);
  const { count, of, sends, firstSend, receives, firstReceive } = shiftedConnections(program, group);
  // Each connection has a send, since the plan is proved.
  const { peer } = program.ops;
  const links = Array.from({ length: count }, (_, c) => linkTo(peer[sends[firstSend[c]]], machine));
  const along = (number: 'latency' | 'bandwidth') => Float64Array.from(links, (g) => machine.generators[g][number]);
  return {
    ...{ count, of, sends, firstSend, receives, firstReceive },
    sender: new Int32Array(count),
    receiver: new Int32Array(count),
    firstRouteLink: Int32Array.from({ length: count + 1 }, (_, c) => c),
    routeLink: Int32Array.from(links),
    sameRoute: Int32Array.from(links.keys()),
    latency: along('latency'),
    bandwidth: along('bandwidth'),
  };
}

function linkTo(offset: number, machine: SymmetricTopology): number {
  const link = machine.generators.findIndex((generator) => generator.offset === offset);
  if (link >= 0) return link;
  const message = `${machine.name} has no link from chip 0 to chip ${offset}: compact plans are timed for messages between neighbours only`;
  throw new CccError('unsupported', message);
}

/** @throws CccError 'unsupported' if a chip has fewer ports than messages that may be in flight */
export function checkPorts(connections: SimulatedConnections, { name, ports }: SymmetricTopology): void {
  if (ports.send >= connections.count && ports.receive >= connections.count) return;
  const message = `${name}: compact plans are timed for chips with a port for each of their ${connections.count} connections, not ${Math.min(ports.send, ports.receive)}`;
  throw new CccError('unsupported', message);
}
