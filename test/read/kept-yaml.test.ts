/** Trees of shipped files that are kept when ccc is built (src/read/kept-yaml.ts). */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readYaml, storedYamlText, storedYamlTree } from '../../src/read/kept-yaml.ts';
import { shippedFiles } from '../../src/read/shipped.ts';
import { parseYaml } from '../../src/read/yaml.ts';

const sources = shippedFiles();

describe('the trees that are kept', () => {
  it('are those of all shipped files, places and all', () => {
    expect(sources.length).toBeGreaterThan(60);
    for (const source of sources) {
      const kept = readFileSync(new URL(`../../dist/kept/${source.name}.json`, import.meta.url), 'utf8');
      expect(storedYamlTree(kept, source), source.name).toEqual(parseYaml(source));
      expect(readYaml(source), source.name).toEqual(parseYaml(source));
    }
  });

  it('keep quotes, empty texts and the order of keys', () => {
    const source = { name: 'mine.yaml', text: 'b: "1, \'2\'"\na: [x, "", {}]\nc:\n' };
    const tree = storedYamlTree(storedYamlText(source), source);
    expect(tree).toEqual(parseYaml(source));
    expect(tree?.kind === 'mapping' && [...tree.entries.keys()]).toEqual(['b', 'a', 'c']);
  });

  it('count for no other text', () => {
    const [source] = sources;
    const changed = { name: source.name, text: `${source.text}\n# a word more\nunknown: 1\n` };
    expect(storedYamlTree(storedYamlText(source), changed)).toBeUndefined();
    const tree = readYaml(changed);
    expect(tree.kind === 'mapping' && tree.entries.has('unknown')).toBe(true);
  });
});
