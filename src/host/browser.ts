/** A browser as the host: what is shipped comes from generated modules, and there are no files. */
import { pageParts, shippedTexts } from '../generated/shipped.js';
import { CccError } from '../ir/diagnostic.ts';
import { type Host, installHost } from './host.ts';

const browserHost: Host = {
  shippedNames: (kind) =>
    Object.keys(shippedTexts)
      .filter((path) => path.startsWith(`${kind}/`))
      .map((path) => path.slice(kind.length + 1, -'.yaml'.length))
      .sort(),
  shippedText: (kind, name) => shippedTexts[`${kind}/${name}.yaml`] ?? '',
  shippedTree: () => undefined,
  exists: () => false,
  readFile(path) {
    throw new CccError('file', `cannot read ${path}: a browser has no file system; hand in the text of the file`);
  },
  pathFrom: (_, path) => path,
  pagePart: (name) => pageParts[name],
  // Imported when a solver is first needed: bundlers that split code keep its 1.6 MB in a file of their own.
  loadHighs: async () => (await import('../generated/highs.js')).loadHighs(),
  loadGlpk: () => Promise.reject(new CccError('unsupported', 'the solver glpk is available on Node only')),
};

installHost(browserHost);
