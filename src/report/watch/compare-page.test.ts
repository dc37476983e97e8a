import { describe, expect, it } from 'vitest';
import { busyView } from '../../../test/report/busy-yard.ts';
import { colors } from '../../../test/report/ink.ts';
import { plain } from '../format/style.ts';
import { widthOf } from '../format/width.ts';
import { noQueueFacts } from '../run/queue-facts.ts';
import type { VariantView } from '../task/compare.ts';
import type { View } from '../view/view.ts';
import { sideRows, type VariantSide } from './compare-page.ts';
import { frameOf } from './frame.ts';
import { keyPressed } from './press.ts';
import type { PageText, Scene } from './scene.ts';
import { partFrom, scrolledLines } from './text-page.ts';
import { firstUi, type UiState } from './ui.ts';

const variant = (number: number, more: Partial<VariantView> = {}): VariantView => ({
  number,
  id: `search-index.v${number}`,
  state: 'finished',
  agent: ['', 'claude', 'codex', 'gemini'][number] ?? '',
  attempts: 1,
  gate: 'passed',
  files: ['a.ts'],
  added: number,
  removed: 1,
  turns: 1,
  tokens: 0,
  costUsd: number / 10,
  ms: 60_000 * number,
  ...more,
});
const file = (name: string, ...lines: readonly string[]): readonly string[] => [
  `diff --git a/${name} b/${name}`,
  ...lines,
];
const sides: readonly VariantSide[] = [
  { variant: variant(1), patch: [...file('a.ts', '-old', '+one'), ...file('c.ts', '+c')] },
  {
    variant: variant(2, { gate: 'failed', files: ['a.ts', 'b.ts'] }),
    patch: [...file('a.ts', '+two'), ...file('b.ts', '+b')],
  },
  { variant: variant(3, { gate: 'not run', files: [] }), patch: [] },
];
const text: PageText = { task: 'search-index', isCut: false, lines: ['the table'], sides };
const ids = sides.map((one) => one.variant.id);
const view: View = {
  ...busyView,
  tasks: busyView.tasks.map((task) =>
    task.id === 'search-index' ? { ...task, variants: ids } : task,
  ),
};
const ui = (more: Partial<UiState> = {}): UiState => ({
  ...firstUi({ drives: false }),
  width: 100,
  height: 16,
  page: 'compare',
  compared: 'search-index',
  zoomed: true,
  ...more,
});
const scene = (more: Partial<UiState> = {}, rest: Partial<Scene> = {}): Scene => ({
  view,
  ui: ui(more),
  project: 'shop',
  now: 0,
  style: plain,
  offsetMin: 0,
  queue: noQueueFacts,
  steps: [],
  text,
  ...rest,
});
const page = (more: Partial<UiState> = {}): string[] => frameOf(scene(more)).slice(2, -3);

describe('two variants side by side', () => {
  it('have their facts above their diffs, and each file at one line', () => {
    expect(`\n${page().join('\n')}\n`).toMatchSnapshot();
  });

  it('follow one another on a page of less than 100 columns', () => {
    expect(page({ width: 99 }).join()).toContain('the table');
    expect(page({ width: 160, height: 50, zoomed: false }).join()).toContain('the table');
  });

  it('name the commit that each contains, if these differ', () => {
    const based = (...starts: readonly string[]): string => {
      const withBase = sides.map(({ variant: one, ...side }, at) => {
        return { ...side, variant: { ...one, base: (starts[at] ?? '1').repeat(40) } };
      });
      return frameOf(scene({ width: 120 }, { text: { ...text, sides: withBase } })).join('\n');
    };
    expect(based('1', '1', '1')).not.toContain('from 1111111');
    expect(based('1', '2', '1')).toMatch(/from 1111111 +│ gate failed .* from 2222222/);
  });

  it('keep their facts in sight while the diffs are scrolled', () => {
    const lines = page({ height: 11, scroll: 3 });
    expect(lines[1]).toContain(' 1 search-index.v1 ');
    expect(lines[4]).toContain('b.ts');
    expect(lines[0]).toContain(' 4 to 6 of 7');
  });

  it('are chosen by keys that leave out the one on the other side', () => {
    const pairs = (...keys: readonly string[]): UiState['pair'] =>
      keys.reduce((now, key) => keyPressed(now, { text: key }, view).ui, ui()).pair;
    expect(pairs('{')).toEqual([2, 1]);
    expect(pairs('}')).toEqual([0, 2]);
    expect(pairs('}', '}')).toEqual([0, 1]);
    expect(pairs('{', '}')).toEqual([2, 0]);
    expect(page({ pair: [2, 0] })[1]).toMatch(/^ 3 search-index\.v3 .*│ 1 search-index\.v1/);
    const narrow = keyPressed(ui({ width: 99 }), { text: '{' }, view).ui;
    expect(narrow.note?.text).toContain('need 100 columns');
    const two = { ...view, tasks: view.tasks.map((task) => ({ ...task, variants: ['x', 'y'] })) };
    expect(keyPressed(ui(), { text: '}' }, two).ui.note?.text).toBe('There is no other variant.');
  });

  it('start with the first two again in the comparison of another task', () => {
    const chosen = keyPressed(ui({ zoomed: false, pair: [2, 0] }), { name: 'down' }, view).ui;
    expect(chosen.pair).toBeUndefined();
  });

  it('are gone through file by file, whichever side has the file', () => {
    const lines = scrolledLines(text, ui());
    expect(lines).toHaveLength(7);
    expect(partFrom('compare', lines, 0, 1)).toBe(3);
    expect(partFrom('compare', lines, 3, 1)).toBe(5);
    expect(partFrom('compare', lines, 5, 1)).toBeUndefined();
    expect(partFrom('compare', lines, 5, -1)).toBe(3);
    expect(scrolledLines(text, ui({ width: 80 }))).toEqual(['the table']);
  });

  it('never make a line wider than the screen', () => {
    const wide = { ...text, sides: sides.map((one) => ({ ...one, patch: longPatch })) };
    for (const width of [100, 101, 163]) {
      for (const style of [plain, colors]) {
        const frame = frameOf(scene({ width }, { text: wide, style }));
        for (const line of frame) expect(widthOf(line)).toBeLessThanOrEqual(width);
      }
    }
  });

  it('have no rows without changes', () => {
    const none = { variant: variant(1), patch: [] };
    expect(sideRows([none, none])).toEqual([]);
  });
});

const longPatch = file('宽.ts', `+${'宽'.repeat(200)}`, '-\u001b[2J', '+\ttab');
