import { loadScheduleFile } from './schedule/index.ts';
import { type ShippedKind, shippedNames, shippedSource } from './shipped.ts';
import { describeTopology } from './topology/index.ts';

/** Names of what is shipped, each with the sentence that its file has about it. */
export function describeShipped(kind: ShippedKind): readonly { readonly name: string; readonly about: string }[] {
  return shippedNames(kind).map((name) => ({
    name,
    about: kind === 'schedules' ? loadScheduleFile(name).about : describeTopology(shippedSource(kind, name)).about,
  }));
}
