/** The numbers of a machine that measurements may tell, each with a name, and the machine that values of them make. */
import { CccError } from '../ir/diagnostic.ts';
import { type LaneModel, type LocalWork, laneWith, localShare, type MachineProtocol } from '../ir/lanes.ts';
import type { Topology } from '../ir/topology.ts';
import type { Seconds } from '../ir/units.ts';
import { type LinkKind, type LinkParameters, linkKindsOf, machineWith } from './machine.ts';

/**
 * One number. Times are sums and maxima of products with values in these units, so they count in seconds, or seconds per byte where
 * people say a rate.
 */
export interface CalibratedParameter {
  /** `launch`, `overhead` and `bandwidth` of a lane (`LL.launch` under a protocol), `link2.gap`. */
  readonly name: string;
  readonly unit: 'seconds' | 'seconds per byte';
  /** The protocol whose times depend on it; undefined for all. */
  readonly protocol: string | undefined;
  /** The kind of links that a plan must use for its times to depend on it; undefined for all plans. */
  readonly link: number | undefined;
  /** What it is where measurements do not tell: the file's, or a value of its kind. */
  readonly standard: number;
  /** Whether the file says it. */
  readonly isSaid: boolean;
}

/** What is not fitted under a protocol, since times hardly tell it. */
interface Fixed {
  readonly inflight: number | undefined;
  readonly visible: number;
  readonly slice: number;
  readonly count: number;
  /** Messages of more bytes are long; undefined where none are. */
  readonly above: number | undefined;
  /** Where the file says it; undefined where local work goes with what is found of the lane. */
  readonly local: LocalWork | undefined;
}

/** Of the protocols of NCCL (docs/calibration.md). */
const ofNccl: Readonly<Record<string, Omit<Fixed, 'count' | 'above' | 'local'>>> = {
  LL: { inflight: 8, visible: 1, slice: 16 * 2 ** 10 },
  LL128: { inflight: 8, visible: 1, slice: 30 * 2 ** 10 },
  Simple: { inflight: 2, visible: 0.5, slice: 2 ** 21 },
};

/** Of its fastest link a lane moves such a part, to begin with. */
const laneShare = 1 / 10;
/** Of the shortest time the launch is such a part, and an overhead, to begin with. */
const launchShare = 1 / 2;
const overheadShare = 1 / 50;

/** The lane that a protocol has, for whoever writes it down. */
export interface FoundProtocol {
  readonly name: string | undefined;
  readonly launch: Seconds;
  readonly lane: LaneModel;
  readonly inflight: number | undefined;
  /** Whether times have told the shape of its messages. */
  readonly isShaped: boolean;
}

/** How messages of a protocol go in parts. Times jump with it, so that no slope leads to it: values are tried. */
export type MessageShape = Pick<LaneModel, 'visible' | 'slice'>;

/** All parameters of a machine for some protocols, and what machines they make. */
export class ParameterSet {
  readonly parameters: readonly CalibratedParameter[];
  readonly kinds: readonly LinkKind[];
  readonly protocols: readonly (string | undefined)[];
  /** The same parameters where the messages of a protocol have another shape. */
  readonly reshaped: (protocol: string | undefined, shape: MessageShape) => ParameterSet;
  /** The machine in one of its sizes: all say the same of protocols. */
  private readonly topology: Topology;
  private readonly shapes: ReadonlyMap<string | undefined, MessageShape>;
  private readonly fixed: ReadonlyMap<string | undefined, Fixed>;
  private readonly index: ReadonlyMap<string, number>;

  /**
   * @param shortest by protocol, the shortest time that was measured
   * @param withLanes false for today's model, in which only links have numbers
   * @param shapes by protocol, in place of those that the machine or NCCL says
   */
  constructor(
    topologies: readonly Topology[],
    shortest: ReadonlyMap<string | undefined, Seconds>,
    withLanes: boolean,
    shapes: ReadonlyMap<string | undefined, MessageShape> = new Map(),
  ) {
    this.shapes = shapes;
    const [topology] = topologies;
    this.reshaped = (protocol, shape) =>
      new ParameterSet(topologies, shortest, withLanes, new Map([...shapes, [protocol, shape]]));
    this.topology = topology;
    this.kinds = linkKindsOf(topologies);
    this.protocols = withLanes ? [...shortest.keys()] : [];
    this.fixed = new Map(this.protocols.map((name) => [name, { ...fixedOf(topology, name), ...shapes.get(name) }]));
    const fastest = Math.max(...this.kinds.map(({ bandwidth }) => bandwidth));
    this.parameters = [
      ...this.protocols.flatMap((name) => laneParameters(topology, name, shortest.get(name) ?? 0, fastest)),
      ...this.kinds.flatMap((kind, index) => linkParameters(kind, index, withLanes)),
    ];
    this.index = new Map(this.parameters.map(({ name }, index) => [name, index]));
  }

  /** The shape of a protocol's messages; undefined where they do not go in slices. */
  shape(protocol: string | undefined): MessageShape | undefined {
    const { visible, slice } = this.fixed.get(protocol) ?? fixedOf(this.topology, protocol);
    return Number.isFinite(slice) ? { visible, slice } : undefined;
  }

  /** The place of a parameter. @throws CccError 'unknown-name' with the names that there are */
  numberOf(name: string): number {
    const found = this.index.get(name);
    if (found !== undefined) return found;
    const names = this.parameters.map((parameter) => parameter.name).join(', ');
    throw new CccError('unknown-name', `there is no parameter '${name}'; the parameters are ${names}`);
  }

  /** A machine of that file under a protocol. */
  machine(topology: Topology, values: ArrayLike<number>, protocol: string | undefined): Topology {
    const links = this.linkNumbers(values);
    if (this.protocols.length > 0) {
      return machineWith(topology, this.kinds, { ...this.protocol(values, protocol), links });
    }
    const { inflight } = topology;
    return machineWith(topology, this.kinds, { launch: 0, lane: undefined, inflight, links });
  }

  protocol(values: ArrayLike<number>, name: string | undefined): FoundProtocol {
    const {
      inflight,
      visible,
      slice,
      count,
      above,
      local: said,
    } = this.fixed.get(name) ?? fixedOf(this.topology, name);
    const value = (what: string): number => values[this.numberOf(nameIn(name, what))];
    const bandwidth = 1 / value('bandwidth');
    const overhead = value('overhead');
    const local = said ?? { overhead, bandwidth: localShare * bandwidth };
    const lane = { overhead, bandwidth, visible, slice, local, count };
    const found = { name, launch: value('launch'), inflight, isShaped: this.shapes.has(name) };
    if (above === undefined) return { ...found, lane };
    const long = { above, overhead: value('longOverhead'), bandwidth: 1 / value('longBandwidth') };
    return { ...found, lane: { ...lane, long } };
  }

  linkNumbers(values: ArrayLike<number>): readonly LinkParameters[] {
    return this.kinds.map(({ name, buffered }): LinkParameters => {
      const value = (what: string): number | undefined => {
        const index = this.index.get(`${name}.${what}`);
        return index === undefined ? undefined : values[index];
      };
      const [latency = 0, perByte = 0, gap = 0, connection, rendezvous] = [
        'latency',
        'bandwidth',
        'gap',
        'connection',
        'rendezvous',
      ].map(value);
      const numbers = { latency, bandwidth: 1 / perByte };
      if (buffered === undefined || this.protocols.length === 0) return { ...numbers, buffered: undefined };
      const above = buffered.rendezvous?.above ?? 0;
      const lane = {
        buffered: true,
        gap,
        bandwidth: connection === undefined ? Number.POSITIVE_INFINITY : 1 / connection,
        ...(rendezvous === undefined ? {} : { rendezvous: { above, gap: rendezvous } }),
      };
      return { ...numbers, buffered: lane };
    });
  }
}

/** A parameter's name under a protocol. */
export function nameIn(protocol: string | undefined, what: string): string {
  return protocol === undefined ? what : `${protocol}.${what}`;
}

/** What the file says of a protocol, whatever the case of its letters. */
function saidOf(topology: Topology, name: string | undefined): MachineProtocol | undefined {
  const found = Object.entries(topology.protocols ?? {}).find(([each]) => each.toLowerCase() === name?.toLowerCase());
  return found?.[1];
}

function laneOf(topology: Topology, name: string | undefined): LaneModel | undefined {
  return laneWith(topology.lane, saidOf(topology, name)?.lane ?? {});
}

function fixedOf(topology: Topology, name: string | undefined): Fixed {
  const said = laneOf(topology, name);
  const known = name === undefined ? undefined : ofNccl[name];
  return {
    inflight: saidOf(topology, name)?.inflight ?? known?.inflight ?? topology.inflight,
    visible: said?.visible ?? known?.visible ?? 1,
    slice: said?.slice ?? known?.slice ?? Number.POSITIVE_INFINITY,
    count: said?.count ?? Number.POSITIVE_INFINITY,
    above: said?.long?.above,
    local: said !== undefined && isOwn(said) ? said.local : undefined,
  };
}

/** Whether local work has numbers of its own, and not those that follow from the lane's, as far as four digits tell. */
function isOwn({ overhead, bandwidth, local }: LaneModel): boolean {
  const differs = (value: number, from: number): boolean => Math.abs(value - from) > 1e-3 * from;
  return differs(local.overhead, overhead) || differs(local.bandwidth, localShare * bandwidth);
}

/** Transfers that a connection buffers under a protocol; undefined where it is any number. */
export function inflightOf(topology: Topology, name: string | undefined): number | undefined {
  return fixedOf(topology, name).inflight;
}

/** A protocol as the machine, or NCCL, writes it, whatever the case of its letters. */
export function canonicalProtocolName(topology: Topology, name: string): string {
  const known = [...Object.keys(topology.protocols ?? {}), ...Object.keys(ofNccl)];
  return known.find((each) => each.toLowerCase() === name.toLowerCase()) ?? name;
}

function laneParameters(
  topology: Topology,
  protocol: string | undefined,
  shortest: Seconds,
  fastest: number,
): readonly CalibratedParameter[] {
  const lane = laneOf(topology, protocol);
  const said = saidOf(topology, protocol)?.launch ?? topology.launch;
  const launch = said === undefined || said === 0 ? launchShare * shortest : said;
  const make = (
    what: string,
    unit: CalibratedParameter['unit'],
    standard: number,
    isSaid: boolean,
  ): CalibratedParameter => {
    return { name: nameIn(protocol, what), unit, protocol, link: undefined, standard, isSaid };
  };
  return [
    make('launch', 'seconds', launch, said !== undefined && said > 0),
    make('overhead', 'seconds', lane?.overhead ?? overheadShare * shortest, lane !== undefined),
    make('bandwidth', 'seconds per byte', 1 / (lane?.bandwidth ?? laneShare * fastest), lane !== undefined),
    ...(lane?.long === undefined
      ? []
      : [
          make('longOverhead', 'seconds', lane.long.overhead, true),
          make('longBandwidth', 'seconds per byte', 1 / lane.long.bandwidth, true),
        ]),
  ];
}

/** A duration of 0 has no logarithm to move along: where the file says 0, this is where the search begins. */
const leastDuration = 1e-7;

function linkParameters(kind: LinkKind, link: number, withLanes: boolean): readonly CalibratedParameter[] {
  const { name, latency, bandwidth, buffered } = kind;
  const make = (what: string, unit: CalibratedParameter['unit'], standard: number): CalibratedParameter => {
    return { name: `${name}.${what}`, unit, protocol: undefined, link, standard, isSaid: true };
  };
  const duration = (what: string, value: Seconds): CalibratedParameter =>
    make(what, 'seconds', Math.max(leastDuration, value));
  const own = [duration('latency', latency), make('bandwidth', 'seconds per byte', 1 / bandwidth)];
  if (buffered === undefined || !withLanes) return own;
  const { gap, bandwidth: connection, rendezvous } = buffered;
  return [
    ...own,
    duration('gap', gap),
    ...(Number.isFinite(connection) ? [make('connection', 'seconds per byte', 1 / connection)] : []),
    ...(rendezvous === undefined ? [] : [duration('rendezvous', rendezvous.gap)]),
  ];
}
