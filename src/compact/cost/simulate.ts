/** Simulates compact plans on a machine that looks the same from every chip. */

import { type CompactPlan, type SymmetricTopology, soleProgram } from '../../ir/compact.ts';
import type { CostReport } from '../../ir/report.ts';
import { chunkBytesOf } from '../../ir/shards.ts';
import type { Bytes } from '../../ir/units.ts';
import { checkPorts, quotientConnections, quotientTopology } from '../../model/simulate/quotient.ts';
import { Simulation } from '../../model/simulate/simulation.ts';
import { measureTraffic } from '../../model/simulate/traffic.ts';
import { weigh } from '../../model/simulate/weights.ts';

/**
 * Simulates a proved compact plan for a message of `size` bytes. Totals are those of all ranks; `links` has one entry
 * per generator (a direction of links, such as "one step along axis 0", of which every rank has one), and stands for each of its N links; `criticalPath` refers to rank 0's program.
 * @throws CccError 'unsupported' for messages between chips that are not neighbours, and for chips with too few ports
 */
export function simulateCompact(compact: CompactPlan, machine: SymmetricTopology, size: Bytes): CostReport {
  const plan = soleProgram(compact);
  const topology = quotientTopology(machine);
  const connections = quotientConnections(compact, machine);
  checkPorts(connections, machine);
  const chunkBytes = chunkBytesOf(plan, size);
  const weights = weigh(plan);
  const simulation = new Simulation(plan, connections, topology, weights, chunkBytes);
  simulation.run();
  const { ranks } = plan.collective;
  const traffic = measureTraffic(plan, connections, topology, weights, chunkBytes);
  return {
    seconds: simulation.seconds,
    ...traffic,
    messages: traffic.messages * ranks,
    bytesMoved: traffic.bytesMoved * ranks,
    bytesOnLinks: traffic.bytesOnLinks * ranks,
    // All messages take one link. On the quotient machine all pairs of ranks look like one.
    stretch: connections.count === 0 ? 0 : 1,
    criticalPath: simulation.criticalPath(),
  };
}
