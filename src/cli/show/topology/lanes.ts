/** Writes the protocols and lane models of a machine, and how well each parameter is known. */
import type { LaneModel, LinkLane, MachineProtocol, PartialLane } from '../../../ir/lanes.ts';
import { oneLine } from '../../../ir/plain-text.ts';
import type { Topology } from '../../../ir/topology.ts';
import { formatBytes, formatBytesPerSecond, formatSeconds } from '../../../ir/units.ts';
import { wrap } from '../text.ts';

/** Returns no lines for a machine that has only links and engines. */
export function laneLines(
  { launch, lane, links, protocols = {}, status = {} }: Topology,
  width: number,
): readonly string[] {
  const proxies = new Set(links.flatMap((link) => (link.lane === undefined ? [] : [linkText(link.lane)])));
  const known = Object.entries(status).map(([path, word]) => `${path}: ${word}`);
  return [
    ...(launch === undefined ? [] : [`launch: ${formatSeconds(launch)}`]),
    ...(lane === undefined ? [] : wrap('each lane: ', laneWords(lane), width, ',')),
    ...[...proxies].filter((text) => text !== '').map((text) => `links with lanes: ${text}`),
    ...Object.entries(protocols).flatMap(([name, protocol]) => protocolLines(name, protocol, status, width)),
    ...(known.length === 0 ? [] : wrap('known: ', known, width, ',')),
  ];
}

function protocolLines(
  name: string,
  protocol: MachineProtocol,
  status: NonNullable<Topology['status']>,
  width: number,
): readonly string[] {
  const { launch, inflight, lane = {}, gap, source } = protocol;
  const words = [
    status[`protocols.${name}`] ?? 'assumed',
    ...(launch === undefined ? [] : [`launch ${formatSeconds(launch)}`]),
    ...laneWords(lane),
    ...(inflight === undefined ? [] : [`${inflight} in flight`]),
    ...(gap === undefined ? [] : [`gap ${formatSeconds(gap)}`]),
  ];
  const from = source === undefined ? [] : wrap('  from ', oneLine(source).split(' '), width);
  return [...wrap(`protocol ${name}: `, words, width, ','), ...from];
}

function laneWords({
  overhead,
  bandwidth,
  visible,
  slice,
  local,
  long,
  count,
}: LaneModel | PartialLane): readonly string[] {
  return [
    ...(overhead === undefined ? [] : [`overhead ${formatSeconds(overhead)}`]),
    ...(bandwidth === undefined ? [] : [formatBytesPerSecond(bandwidth)]),
    ...(visible === undefined ? [] : [`visible ${visible}`]),
    ...(slice === undefined || slice === Number.POSITIVE_INFINITY ? [] : [`slices of ${formatBytes(slice)}`]),
    ...(long === undefined
      ? []
      : [
          `above ${formatBytes(long.above)} ${formatSeconds(long.overhead)} and ${formatBytesPerSecond(long.bandwidth)}`,
        ]),
    ...(local?.overhead === undefined ? [] : [`local overhead ${formatSeconds(local.overhead)}`]),
    ...(local?.bandwidth === undefined ? [] : [`local ${formatBytesPerSecond(local.bandwidth)}`]),
    ...(count === undefined || count === Number.POSITIVE_INFINITY ? [] : [`${count} at most`]),
  ];
}

function linkText({ buffered, gap, rendezvous, bandwidth, latency }: LinkLane): string {
  return [
    ...(latency === undefined ? [] : [`latency ${formatSeconds(latency)}`]),
    ...(buffered ? [`a proxy, gap ${formatSeconds(gap)}`] : []),
    ...(rendezvous === undefined
      ? []
      : [`${formatSeconds(rendezvous.gap)} more above ${formatBytes(rendezvous.above)}`]),
    ...(Number.isFinite(bandwidth) ? [`${formatBytesPerSecond(bandwidth)} per connection`] : []),
  ].join(', ');
}
