import type { Link } from '../ir/topology.ts';
import type { CheckedMachine } from './machine.ts';

/** The links to the chip from the root's side, on to a rank's chip and back, if there is one of each and they block. */
export function passageAt(chip: number, root: number, machine: CheckedMachine): readonly Link[] | undefined {
  const near = machine.partAround(root, chip);
  const entering = machine.linksAt(chip, 'in');
  const inward = entering.filter(({ from }) => near.has(from));
  const back = entering.filter(({ from }) => !near.has(from));
  const onward = machine.linksAt(chip, 'out').filter(({ to }) => !near.has(to));
  if (inward.length !== 1 || back.length !== 1 || onward.length !== 1) return undefined;
  const links = [...inward, ...onward, ...back];
  const isPassage = machine.chips.includes(onward[0].to) && links.every((link) => link.occupancy === 'blocking');
  return isPassage ? links : undefined;
}
