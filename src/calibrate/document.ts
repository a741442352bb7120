/** Writes the topology file of a calibrated machine: the original file with the fitted numbers, and a `status` block on how well each is known. */
import { type Document, isMap, isSeq, type Pair, parseDocument, type YAMLMap } from 'yaml';
import type { SourceText } from '../ir/diagnostic.ts';
import type { Knowledge } from '../ir/lanes.ts';
import type { Calibration, FoundParameter } from './calibrate.ts';
import type { LinkKind, LinkParameters } from './machine.ts';
import type { FoundProtocol } from './parameters.ts';
import { durationText, rateText } from './quantities.ts';

/** The column at which lines of YAML are folded. */
const lineWidth = 140;

/** The text of the calibrated topology file. @param notes sentences that every report on the machine repeats */
export function calibratedFile(
  source: SourceText,
  calibration: Calibration,
  about: string,
  notes: readonly string[],
): string {
  const { set, values, parameters } = calibration;
  const document = parseDocument(source.text);
  document.set('name', `${String(document.get('name'))}-calibrated`);
  const said = document.get('source');
  document.set('source', said === undefined ? about : `${String(said)}; ${about}`);
  document.set('notes', document.createNode([...notes]));
  const found = set.protocols.map((name) => set.protocol(values, name));
  for (const protocol of found) writeProtocol(document, protocol, about);
  const numbers = set.linkNumbers(values);
  set.kinds.forEach((kind, index) => {
    writeLink(document, kind, numbers[index]);
  });
  for (const parameter of parameters) document.setIn(['status', pathOf(parameter)], wordOf(parameter));
  for (const protocol of found) {
    const isKnown = parameters.some(
      ({ parameter, knowledge }) => parameter.protocol === protocol.name && knowledge === 'calibrated',
    );
    if (protocol.name !== undefined && isKnown) document.setIn(['status', `protocols.${protocol.name}`], 'calibrated');
    for (const [path, word] of wordsOf(protocol)) document.setIn(['status', path], word);
  }
  return document.toString({ lineWidth });
}

/** The path of a parameter's key in the topology file. */
function pathOf({ parameter: { name, protocol, link } }: FoundParameter): string {
  const last = name.split('.').at(-1) ?? name;
  if (link !== undefined) {
    const own = { connection: 'lane.bandwidth', gap: 'lane.gap', rendezvous: 'lane.rendezvous' }[last] ?? last;
    return `links.${link + 1}.${own}`;
  }
  const long = { longOverhead: 'long.overhead', longBandwidth: 'long.bandwidth' }[last] ?? last;
  if (last === 'launch') return protocol === undefined ? 'launch' : `protocols.${protocol}.launch`;
  return protocol === undefined ? `chip.lane.${long}` : `protocols.${protocol}.lane.${long}`;
}

function wordOf({ knowledge, parameter }: FoundParameter): string {
  return knowledge === 'fixed' ? (parameter.isSaid ? 'published' : 'assumed') : knowledge;
}

/** The status of a protocol's numbers that are not fitted, by their paths. */
function wordsOf({ name, inflight, lane, isShaped }: FoundProtocol): readonly (readonly [string, Knowledge])[] {
  const [own, ofLane] = name === undefined ? ['', 'chip.lane'] : [`protocols.${name}.`, `protocols.${name}.lane`];
  const shape = isShaped ? 'calibrated' : 'assumed';
  return [
    ...(inflight === undefined || name === undefined ? [] : [[`${own}inflight`, 'assumed'] as const]),
    [`${ofLane}.visible`, shape],
    ...(Number.isFinite(lane.slice) ? [[`${ofLane}.slice`, shape] as const] : []),
    [`${ofLane}.local`, 'assumed'],
  ];
}

function writeProtocol(document: Document, { name, launch, lane, inflight }: FoundProtocol, source: string): void {
  const { visible, slice, local, long, count } = lane;
  const numbers = {
    overhead: durationText(lane.overhead),
    bandwidth: rateText(lane.bandwidth),
    visible,
    ...(Number.isFinite(slice) ? { slice: `${slice / 2 ** 10} KiB` } : {}),
    local: { overhead: durationText(local.overhead), bandwidth: rateText(local.bandwidth) },
    ...(long === undefined
      ? {}
      : {
          long: {
            above: `${long.above} B`,
            overhead: durationText(long.overhead),
            bandwidth: rateText(long.bandwidth),
          },
        }),
    ...(Number.isFinite(count) ? { count } : {}),
  };
  if (name === undefined) {
    document.set('launch', durationText(launch));
    document.setIn(['chip', 'lane'], document.createNode(numbers, { flow: true }));
    return;
  }
  if (document.hasIn(['protocols', name])) document.deleteIn(['protocols', name]);
  document.setIn(['protocols', name, 'source'], source);
  document.setIn(['protocols', name, 'launch'], durationText(launch));
  if (inflight !== undefined) document.setIn(['protocols', name, 'inflight'], inflight);
  document.setIn(['protocols', name, 'lane'], document.createNode(numbers, { flow: true }));
}

function writeLink(document: Document, { place }: LinkKind, { latency, bandwidth, buffered }: LinkParameters): void {
  const statement = place === undefined ? undefined : statementAt(document.get('links'), place.start);
  if (statement === undefined) return;
  statement.set('latency', durationText(latency));
  statement.set('bandwidth', rateText(bandwidth));
  if (buffered === undefined) {
    statement.delete('lane');
    return;
  }
  const { gap, rendezvous, bandwidth: connection } = buffered;
  const lane = {
    buffered: true,
    gap: durationText(gap),
    ...(rendezvous === undefined
      ? {}
      : { rendezvous: { above: `${rendezvous.above} B`, gap: durationText(rendezvous.gap) } }),
    ...(Number.isFinite(connection) ? { bandwidth: rateText(connection) } : {}),
  };
  statement.set('lane', document.createNode(lane, { flow: true }));
}

/** The statement of the YAML document whose `link` or `duplex` starts at that offset. */
function statementAt(node: unknown, start: number): YAMLMap | undefined {
  if (isSeq(node)) {
    for (const item of node.items) {
      const found = statementAt(item, start);
      if (found !== undefined) return found;
    }
  }
  if (!isMap(node)) return undefined;
  const isThere = node.items.some(({ key, value }: Pair) => {
    const [first] = rangeOf(key);
    const [, last] = rangeOf(value);
    return ['link', 'duplex'].includes(String(key)) && start >= first && start <= last;
  });
  return isThere ? node : statementAt(node.get('do'), start);
}

function rangeOf(node: unknown): readonly [number, number] {
  const range = typeof node === 'object' && node !== null && 'range' in node ? node.range : undefined;
  return Array.isArray(range) ? [Number(range[0]), Number(range[1])] : [-1, -1];
}
