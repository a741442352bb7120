import { loadScheduleFile } from './schedule/index.ts';
import { type ShippedKind, shippedNames, shippedSource } from './shipped.ts';
import { describeTopology } from './topology/index.ts';

/** The description that a shipped file gives of itself and of its parameters, in their order. */
export interface ShippedDescription {
  readonly name: string;
  readonly about: string;
  readonly parameters: readonly { readonly name: string; readonly about: string }[];
}

/** Descriptions of all shipped files of a kind, sorted by name. */
export function describeShipped(kind: ShippedKind): readonly ShippedDescription[] {
  return shippedNames(kind).map((name) => {
    const { about, parameters } =
      kind === 'schedules' ? loadScheduleFile(name) : describeTopology(shippedSource(kind, name));
    return { name, about, parameters };
  });
}
