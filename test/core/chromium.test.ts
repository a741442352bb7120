/** `ccc/core` in Chromium: it answers what ccc answers on Node. Where there is no Chromium a notice says so. */
import { beforeAll, describe, expect, it } from 'vitest';
import * as api from '../../src/index.ts';
import { executable, launch } from '../view/browser.ts';
import { bundled } from './bundle.ts';
import { type Answers, answersOf } from './requests.ts';

describe.skipIf(executable === undefined)('ccc/core in Chromium', () => {
  let onNode: Answers;
  let inBrowser: Answers;
  beforeAll(async () => {
    const program = "import * as ccc from 'ccc/core'; import { answersOf } from './requests.ts';\n";
    const { outputFiles } = await bundled(`${program}globalThis.answers = answersOf(ccc);`);
    const browser = await launch();
    try {
      const page = await browser.newPage();
      await page.addScriptTag({ content: outputFiles[0].text, type: 'module' });
      inBrowser = await page.evaluate('answers');
    } finally {
      await browser.close();
    }
    onNode = await answersOf(api);
  });

  it('answers the same requests', () => {
    expect(Object.keys(inBrowser)).toEqual(Object.keys(onNode));
  });

  it.each(['plan', 'time', 'bound', 'certificates', 'verdict', 'page'])(
    'gives the same %s as Node, text by text',
    (what) => {
      const names = Object.keys(onNode).filter((name) => name.endsWith(`: ${what}`));
      expect(names.length).toBeGreaterThanOrEqual(10);
      expect(names.filter((name) => inBrowser[name] !== onNode[name])).toEqual([]);
    },
  );

  it('finds every plan correct and every certificate valid', () => {
    const said = (what: string): readonly string[] =>
      Object.entries(inBrowser).flatMap(([name, answer]) => (name.endsWith(`: ${what}`) ? answer.split(',') : []));
    expect(new Set(said('verdict'))).toEqual(new Set(['correct']));
    expect(new Set(said('certificates'))).toEqual(new Set(['true']));
  });

  it('shows with a counterexample what is wrong with a schedule', () => {
    const answer = inBrowser['a wrong schedule'];
    expect(answer).toBe(onNode['a wrong schedule']);
    expect(JSON.parse(answer)).toMatchObject([{ verdict: 'uninitialised' }]);
    expect(answer).toContain('rank 0 lane 0 op 0: send output[3] to rank 1 – reads output[3]');
  });

  it('improves a plan on dgx1 by linear programs', () => {
    expect(JSON.parse(inBrowser['broadcast on dgx1: plan']).origin).toMatchObject({ engine: 'ilp' });
  });
});
