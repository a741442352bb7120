/** The nodes and links that a certificate of a bound is about, to be marked in the drawing of the machine: a cut, a hub, the longest route. */
import type { Certificate, Direction } from '../ir/certificate.ts';
import { Routes } from '../ir/routes.ts';
import type { Topology } from '../ir/topology.ts';

export interface Marks {
  /** Nodes on one side of a cut, whose outgoing links are counted. */
  readonly inside: readonly number[];
  /** Nodes that the certificate names in its reason. */
  readonly nodes: readonly number[];
  /** Links whose bandwidth the certificate adds up. */
  readonly links: readonly number[];
}

const none: Marks = { inside: [], nodes: [], links: [] };

export function marksOf(certificate: Certificate, topology: Topology): Marks {
  const { chips } = topology;
  switch (certificate.kind) {
    case 'latency': {
      const { from, to } = certificate.witness;
      const links = from === to ? [] : (Routes.of(topology).between(from, to)?.links ?? []);
      return { ...none, nodes: [chips[from], chips[to]], links };
    }
    case 'cut':
      return cutMarks(certificate.witness.inside, topology);
    case 'spreading':
    case 'families':
      return hubMarks(chips[certificate.witness.hub], certificate.witness.direction, topology);
    case 'gathering':
    case 'row':
    case 'copied-first':
      return hubMarks(chips[certificate.witness.rank], certificate.witness.direction, topology);
    case 'first-hand': {
      const marks = hubMarks(chips[certificate.witness.rank], 'in', topology);
      return { ...marks, nodes: [...marks.nodes, ...certificate.witness.contributors.map((rank) => chips[rank])] };
    }
    case 'relay':
    case 'handing-on': {
      const marks = hubMarks(chips[certificate.witness.root], certificate.witness.direction, topology);
      return { ...marks, nodes: [...marks.nodes, ...certificate.witness.chips.map((rank) => chips[rank])] };
    }
    case 'passing': {
      const marks = hubMarks(chips[certificate.witness.root], certificate.witness.direction, topology);
      return { ...marks, nodes: [...marks.nodes, chips[certificate.witness.through]] };
    }
    case 'distances':
    case 'spans':
    case 'stretches':
    case 'routes': {
      const { lengths } = certificate.witness;
      return { ...none, links: lengths.flatMap((length, link) => (length > 0 ? [link] : [])) };
    }
    default:
      return none;
  }
}

/** The links that leave the inside of a cut. */
function cutMarks(inside: readonly number[], { links }: Topology): Marks {
  const within = new Set(inside);
  const crossing = links.flatMap(({ from, to }, link) => (within.has(from) && !within.has(to) ? [link] : []));
  return { inside, nodes: [], links: crossing };
}

function hubMarks(hub: number, direction: Direction, { links }: Topology): Marks {
  const own = links.flatMap(({ from, to }, link) => ((direction === 'out' ? from : to) === hub ? [link] : []));
  return { ...none, nodes: [hub], links: own };
}
