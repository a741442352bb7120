/** The parameters of a machine that can be fitted to measured times, and the machine with given values of them. */
import { CccError } from '../ir/diagnostic.ts';
import { type LaneModel, type LocalWork, laneWith, localShare, type MachineProtocol } from '../ir/lanes.ts';
import type { Topology } from '../ir/topology.ts';
import type { Seconds } from '../ir/units.ts';
import { type LinkKind, type LinkParameters, linkKindsOf, machineWith } from './machine.ts';

/**
 * One parameter. Its value is in seconds, or in seconds per byte where files and reports have a rate: predicted times are then sums and
 * maxima of linear terms in the values.
 */
export interface CalibratedParameter {
  /** `launch`, `overhead` and `bandwidth` of a lane (`LL.launch` under a protocol), `link2.gap`. */
  readonly name: string;
  readonly unit: 'seconds' | 'seconds per byte';
  /** The protocol whose times depend on it; undefined if those of all protocols do. */
  readonly protocol: string | undefined;
  /** The kind of links that it belongs to: only plans that use such links depend on it; undefined if all plans do. */
  readonly link: number | undefined;
  /** The value that it keeps if the measurements do not determine it: the file's, or a typical value. */
  readonly standard: number;
  /** Whether the standard value comes from the topology file. */
  readonly isSaid: boolean;
}

/** The numbers of a protocol that are not fitted, since times hardly depend on them. */
interface Fixed {
  readonly inflight: number | undefined;
  readonly visible: number;
  readonly slice: number;
  readonly count: number;
  /** Messages of more than this many bytes are long; undefined if no message is. */
  readonly above: number | undefined;
  /** Overhead and bandwidth of local work, if the file declares them; undefined if they follow from the fitted ones of the lane. */
  readonly local: LocalWork | undefined;
}

/** The numbers of NCCL's protocols that are not fitted (docs/calibration.md). */
const ofNccl: Readonly<Record<string, Omit<Fixed, 'count' | 'above' | 'local'>>> = {
  LL: { inflight: 8, visible: 1, slice: 16 * 2 ** 10 },
  LL128: { inflight: 8, visible: 1, slice: 30 * 2 ** 10 },
  Simple: { inflight: 2, visible: 0.5, slice: 2 ** 21 },
};

/** The start value for the bandwidth of a lane, as a share of its fastest link's bandwidth. */
const laneShare = 1 / 10;
/** The start values for the launch and for an overhead, as shares of the shortest measured time. */
const launchShare = 1 / 2;
const overheadShare = 1 / 50;

/** The lane model of a protocol, as it is written into the topology file. */
export interface FoundProtocol {
  readonly name: string | undefined;
  readonly launch: Seconds;
  readonly lane: LaneModel;
  readonly inflight: number | undefined;
  /** Whether the measured times have determined the shape of its messages. */
  readonly isShaped: boolean;
}

/** How a protocol cuts messages into slices. Times are not continuous in it, so that the fit tries values instead of following slopes. */
export type MessageShape = Pick<LaneModel, 'visible' | 'slice'>;

/** All parameters of a machine under some protocols; makes machines with given values of them. */
export class ParameterSet {
  readonly parameters: readonly CalibratedParameter[];
  readonly kinds: readonly LinkKind[];
  readonly protocols: readonly (string | undefined)[];
  /** The same parameters with another shape of messages for one protocol. */
  readonly reshaped: (protocol: string | undefined, shape: MessageShape) => ParameterSet;
  /** The machine with one number of ranks; its protocols do not depend on that number. */
  private readonly topology: Topology;
  private readonly shapes: ReadonlyMap<string | undefined, MessageShape>;
  private readonly fixed: ReadonlyMap<string | undefined, Fixed>;
  private readonly index: ReadonlyMap<string, number>;

  /**
   * @param shortest by protocol, the shortest time that was measured
   * @param withLanes false for the model of links alone
   * @param shapes by protocol, shapes of messages that replace those of the machine or of NCCL
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

  /** The shape of a protocol's messages; undefined if it does not cut them into slices. */
  shape(protocol: string | undefined): MessageShape | undefined {
    const { visible, slice } = this.fixed.get(protocol) ?? fixedOf(this.topology, protocol);
    return Number.isFinite(slice) ? { visible, slice } : undefined;
  }

  /** The index of the parameter with that name. @throws CccError 'unknown-name' with the names that there are */
  numberOf(name: string): number {
    const found = this.index.get(name);
    if (found !== undefined) return found;
    const names = this.parameters.map((parameter) => parameter.name).join(', ');
    throw new CccError('unknown-name', `there is no parameter '${name}'; the parameters are ${names}`);
  }

  /** The machine, made of the same topology file, with these values under a protocol. */
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

/** The full name of a parameter, with its protocol in front if there is one. */
export function nameIn(protocol: string | undefined, what: string): string {
  return protocol === undefined ? what : `${protocol}.${what}`;
}

/** The protocol of that name in the topology file; the case of letters does not matter. */
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

/** Whether the overhead or bandwidth of local work differs from what follows from the lane's, in the first four digits. */
function isOwn({ overhead, bandwidth, local }: LaneModel): boolean {
  const differs = (value: number, from: number): boolean => Math.abs(value - from) > 1e-3 * from;
  return differs(local.overhead, overhead) || differs(local.bandwidth, localShare * bandwidth);
}

/** How many transfers a connection buffers under a protocol; undefined for any number. */
export function inflightOf(topology: Topology, name: string | undefined): number | undefined {
  return fixedOf(topology, name).inflight;
}

/** A protocol's name in the spelling of the topology file or of NCCL; the case of letters does not matter. */
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

/** The start value for a duration that is 0 in the file, in seconds: the search moves along logarithms, and 0 has none. */
const minDuration = 1e-7;

function linkParameters(kind: LinkKind, link: number, withLanes: boolean): readonly CalibratedParameter[] {
  const { name, latency, bandwidth, buffered } = kind;
  const make = (what: string, unit: CalibratedParameter['unit'], standard: number): CalibratedParameter => {
    return { name: `${name}.${what}`, unit, protocol: undefined, link, standard, isSaid: true };
  };
  const duration = (what: string, value: Seconds): CalibratedParameter =>
    make(what, 'seconds', Math.max(minDuration, value));
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
