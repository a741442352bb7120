/**
 * What ccc needs of the system that it runs on: files, the packages of solvers, and the script of pages. Everything else in `src` that
 * `src/core.ts` exports is plain ECMAScript, so that the same code runs on Node (`node.ts` here) and in browsers (`src/core.ts`).
 */
import type { Highs } from 'highs';
import type { Bytes } from '../ir/units.ts';

/** Folders of YAML files that come with ccc. */
export const shippedKinds = ['topologies', 'schedules', 'hardware'] as const;
export type ShippedKind = (typeof shippedKinds)[number];

export type GlpkPackage = typeof import('glpk.js/node');

export interface Host {
  /** Names of the shipped files of a kind, sorted, without their ending: `ring-allgather`. */
  shippedNames(kind: ShippedKind): readonly string[];
  /** The text of a shipped file, which exists. */
  shippedText(kind: ShippedKind, name: string): string;
  /**
   * The syntax tree of a shipped file as JSON, if the build has made one (`read/kept-yaml.ts`): it loads faster than the text parses.
   *
   * @param file such as `schedules/ring-allgather.yaml`
   */
  shippedTree(file: string): string | undefined;
  /** Whether there is a file or folder of that name. Where there is no file system, there is none. */
  exists(path: string): boolean;
  /**
   * Reads a whole file, or standard input for `-`.
   *
   * @param limit the largest size that is read
   * @throws CccError 'file' if the file cannot be read, 'limit' if it is larger
   */
  readFile(path: string, limit: Bytes): Uint8Array<ArrayBuffer>;
  /** The path of a file that another file names: relative paths count from the folder of the file that names them. */
  pathFrom(file: string, path: string): string;
  /** The script or style of the pages that `ccc view` writes, as the build has bundled it from `src/view/page`. */
  pagePart(name: 'page.js' | 'page.css'): string;
  /** Loads HiGHS, compiled to WebAssembly. */
  loadHighs(): Promise<Highs>;
  /** Loads the optional package of GLPK; rejects where it is not installed. */
  loadGlpk(): Promise<GlpkPackage>;
}

let installed: Host | undefined;

/** Sets the host for everything that is called afterwards. Entry points of a program do so once, when they are loaded. */
export function installHost(host: Host): void {
  installed = host;
}

/** The host that the entry point has installed. @throws Error if none was: the importer of an inner module has to import a host, too */
export function host(): Host {
  if (installed === undefined) throw new Error('no host is installed: import src/host/node.ts (or src/core.ts) first');
  return installed;
}
