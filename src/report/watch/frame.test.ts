import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyRecords } from '../../../test/report/any-log.ts';
import {
  busyAttempts,
  busyNow,
  busyRecords,
  busyRun,
  busyView,
} from '../../../test/report/busy-yard.ts';
import { aRun } from '../../../test/report/fixtures.ts';
import { colors, shown } from '../../../test/report/ink.ts';
import { viewed } from '../../../test/report/viewed.ts';
import { inAscii } from '../format/ascii.ts';
import { glyphOf, stateOrder } from '../format/glyph.ts';
import { plain } from '../format/style.ts';
import { widthOf } from '../format/width.ts';
import type { View } from '../view/view.ts';
import { frameOf } from './frame.ts';
import type { Key } from './key.ts';
import { keyPressed } from './press.ts';
import { recordPages } from './records.ts';
import { noPages, type Scene } from './scene.ts';
import { partFrom } from './text-page.ts';
import { firstUi, pageWidth, type UiState } from './ui.ts';

const text = {
  task: 'search-index',
  isCut: false,
  lines: [
    '▸ Edit src/index/build.ts',
    '▸ Bash npm test -- index  exit 1  4 s',
    'The empty case returns undefined; I fix buildIndex() so that it returns an empty list instead.',
  ],
};

const stored = { tasks: busyRecords, run: busyRun, attempts: busyAttempts, queue: [] };
const ui = (more: Partial<UiState> = {}): UiState => ({ ...firstUi({ drives: false }), ...more });
const scene = (more: Partial<UiState> = {}, rest: Partial<Scene> = {}): Scene => ({
  view: busyView,
  ui: ui(more),
  project: 'shop',
  now: busyNow,
  style: plain,
  offsetMin: 0,
  steps: [],
  pages: recordPages(stored, {
    width: pageWidth(ui(more)),
    style: plain,
    now: busyNow,
    offsetMin: 0,
  }),
  text,
  ...rest,
});
const screen = (more: Partial<UiState> = {}, rest: Partial<Scene> = {}): string =>
  `\n${frameOf(scene(more, rest)).join('\n')}\n`;

describe('a frame of the dashboard', () => {
  it.each([
    [40, 24],
    [80, 24],
    [160, 50],
    [300, 60],
  ])('of %d columns and %d lines shows what needs you first', (width, height) => {
    expect(screen({ width, height })).toMatchSnapshot();
  });

  it('does not count canceled tasks in its bar', () => {
    const counts = { landed: 3, canceled: 4 };
    const { 1: line } = frameOf(scene({ width: 120 }, { view: { ...busyView, counts } }));
    expect(line).toMatch(/█ 3\/3$/);
  });

  it.each(['tasks', 'graph', 'timeline', 'spend', 'events', 'help'] as const)(
    'shows the page %s on the whole screen',
    (page) => {
      expect(screen({ page, zoomed: true })).toMatchSnapshot();
    },
  );

  it('says what to type, to confirm and to choose on the line above the keys', () => {
    const line = (mode: UiState['mode'], drives = false): string =>
      frameOf(scene({ mode, drives })).at(-3) ?? '';
    const typing = { id: 'typing', asked: 'answer', task: 'pay-retry', text: 'only 5xx' } as const;
    expect(line(typing)).toBe(' pay-retry: answer: only 5xx█');
    expect(line({ ...typing, text: `${'long '.repeat(40)}end` })).toMatch(/g end█$/);
    const action = { id: 'stop', how: 'finish', by: 'Ann' } as const;
    expect(line({ id: 'confirm', question: 'Stop?', action })).toContain(' Stop?  y yes');
    expect(line({ id: 'leaving' }, true)).toContain('The run ends if you leave');
  });

  it('asks questions that fit 80 columns with their answers', () => {
    const asked = (...keys: readonly Key[]): string => {
      const last = keys.reduce((now, key) => keyPressed(now, key, busyView).ui, ui());
      return frameOf(scene(last)).at(-3) ?? '';
    };
    const [tab, down] = [{ name: 'tab' }, { name: 'down' }] as const;
    const questions = [
      asked({ text: 's' }),
      asked({ text: '+' }),
      asked({ text: '-' }),
      asked(tab, { text: 'p' }),
      asked(down, { text: 'y' }),
      asked(down, down, { text: 'r' }),
    ];
    for (const question of questions) expect(question).toMatch(/\? .*y yes, else no$/);
    expect(questions[3]).toContain('Pause slot 1 when its agent has finished this turn?');
  });

  it('keeps what needs a person in sight on a small screen', () => {
    const small = screen({ width: 40, height: 15 });
    expect(small).toContain('›? pay-retry');
    expect(small).toContain(' ! auth-cook');
    expect(small).toContain('── OUTPUT');
  });

  it('follows the newest output until a person scrolls up', () => {
    const lines = Array.from({ length: 100 }, (_, at) => `line ${at}`);
    const long = { text: { ...text, lines } };
    const last = (scroll: number): string =>
      frameOf(scene({ scroll, zoomed: true }, long))
        .slice(0, -3)
        .findLast((line) => line !== '') ?? '';
    expect(last(0)).toBe(' line 99');
    expect(last(10)).toBe(' line 89');
    expect(screen({ scroll: 10, zoomed: true }, long)).toContain('10 lines below, f follows');
    expect(last(1_000_000)).toBe(' line 17');
  });

  it('of the past shows which event it is, and no keys that decide', () => {
    const event = {
      seq: 7,
      at: 5_000,
      version: 1,
      type: 'stop-asked',
      run: 'r1',
      how: 'finish',
      by: 'Ann',
    } as const;
    const rest = {
      moment: { seq: 7, last: 28, at: 5_000 },
      steps: [{ event, context: { record: () => undefined } }],
    };
    const frame = (width: number): string[] =>
      frameOf(scene({ width, past: { seq: 7, last: 28 } }, rest));
    expect(frame(80)[2]).toBe(
      ' PAST ██░░░░░░░░ event 7 of 28  00:00:05  stopping finish, asked by Ann',
    );
    expect(frame(120)[2]).toMatch(/ event 7 of 28 {2}1970-01-01 00:00:05 {2}stopping/);
    expect(frame(80).join()).not.toMatch(/a answer|y yes/);
    expect(frame(80).at(-2)).toContain('T now');
    const reading = frameOf(scene({ width: 80, past: { seq: 7, last: 28 } }));
    expect(reading[2]).toBe(' PAST reads the event log up to event 7; T goes back to now');
  });

  it('says that nothing runs while things need a person', () => {
    const idle: View = {
      ...busyView,
      slots: busyView.slots.map(({ slot }) => ({ slot, status: 'open', phase: 'idle' })),
      gates: [],
      train: [],
      candidates: [],
    };
    expect(screen({}, { view: idle })).toContain(' nothing runs; 3 things need you\n');
    const one = { ...idle, needsYou: idle.needsYou.slice(0, 1) };
    expect(screen({}, { view: one })).toContain(' nothing runs; 1 thing needs you\n');
    expect(screen({}, { view: { ...idle, needsYou: [] } })).not.toContain('nothing runs');
    expect(screen({}, { view: { ...idle, gates: busyView.gates } })).not.toContain('nothing runs');
    expect(screen({}, { view: { ...idle, slots: busyView.slots } })).not.toContain('nothing runs');
    expect(screen()).not.toContain('nothing runs');
  });

  it('gives what needs a person its lines first, and counts rows that do not fit', () => {
    const [need] = busyView.needsYou;
    const needsYou = Array.from({ length: 9 }, (_, at) => ({ ...need, task: `task-${at}` }));
    const many = { view: { ...busyView, needsYou } as View };
    expect(screen({}, many)).toMatch(/NEEDS YOU 9 {2}\d more/);
    expect(screen({ height: 40 }, many)).toContain('NEEDS YOU 9 ──');
    expect(screen({ height: 40 }, many)).toContain(' task-8 ');
    expect(screen({}, many)).toContain(' task-3 ');
  });

  it('says how many tasks are not in the run, and how often the target was green', () => {
    const more = { view: { ...busyView, outside: 7 } };
    expect(screen({ width: 200, height: 50 }, more)).toContain('7 others not in this run');
    const queue = { values: 23, green: 23, landed: 46, gates: 19 };
    const pages = { ...noPages, queue };
    expect(screen({}, { pages })).toContain(
      '── MERGE QUEUE 3  main green 23/23  0.41 gates per landing ──',
    );
    expect(frameOf(scene({ width: 160 }, { pages }))[0]).toMatch(/tokens {3}main green 23\/23$/);
  });

  it('says that no usage is known where no agent reported any', () => {
    const how = { width: 80, style: plain, now: busyNow, offsetMin: 0 };
    const pages = recordPages({ ...stored, attempts: [] }, how);
    expect(screen({ page: 'spend', zoomed: true }, { pages })).toContain(
      'No agent has reported its usage yet.',
    );
  });

  it('goes from part to part of a comparison and of a diff', () => {
    const lines = ['table', '# a.v1', 'diff --git a/x b/x', '+1', '# a.v2', 'diff --git a/x b/x'];
    expect(partFrom('compare', lines, 0, 1)).toBe(1);
    expect(partFrom('compare', lines, 1, 1)).toBe(4);
    expect(partFrom('compare', lines, 4, 1)).toBeUndefined();
    expect(partFrom('compare', lines, 4, -1)).toBe(1);
    expect(partFrom('compare', lines, 1, -1)).toBe(0);
    expect(partFrom('diff', lines, 2, 1)).toBe(5);
    expect(partFrom('why', lines, 2, 1)).toBeUndefined();
  });

  it('has a sign in ASCII for every state and key', () => {
    expect(stateOrder.map(glyphOf).map(inAscii).join('')).not.toContain('?');
    expect(inAscii('← → ↑ ↓ ›')).toBe('< > ^ v >');
  });

  it('has neither colors nor Unicode where the terminal has none', () => {
    const lines = frameOf(scene({ width: 160, height: 50 })).map(inAscii);
    expect(`\n${lines.join('\n')}\n`).toMatchSnapshot();
    // biome-ignore lint/suspicious/noControlCharactersInRegex: reason: all of ASCII is meant
    expect(lines.join('')).toMatch(/^[\x00-\x7f]*$/);
  });

  it('shows control characters of agents instead of sending them', () => {
    const evil = { ...text, lines: ['\u001b]0;owned\u0007\u001b[2J red \u009b31m'] };
    const sent = frameOf(scene({}, { text: evil, style: colors }))
      .map(shown)
      .join('\n');
    expect(sent).toContain('\\x1b]0;owned\\x07\\x1b[2J red \\x9b31m');
    expect(sent).not.toContain('\u001b]');
  });

  it('has exactly the lines of the screen, none wider, whatever is shown and typed', () => {
    const names = ['up', 'down', 'tab', 'right', 'enter', 'escape', 'page-up', 'end'] as const;
    const keys: fc.Arbitrary<Key> = fc.oneof(
      fc.constantFrom(...names).map((name) => ({ name })),
      fc.constantFrom(...'123456gt$e?wdGqjklfzhS/:vsaynmrxbMo').map((letter) => ({ text: letter })),
      fc.string({ unit: 'grapheme', maxLength: 9 }).map((typed) => ({ text: typed })),
    );
    const sizes = fc.tuple(fc.integer({ min: 1, max: 300 }), fc.integer({ min: 1, max: 60 }));
    const output = fc.array(fc.string({ unit: 'grapheme', maxLength: 200 }), { maxLength: 30 });
    fc.assert(
      fc.property(
        anyRecords,
        sizes,
        fc.array(keys, { maxLength: 12 }),
        output,
        fc.boolean(),
        (records, [width, height], pressed, lines, tinted) => {
          const view = viewed(records, aRun(), 9_000);
          const last = pressed.reduce(
            (now, key) => keyPressed(now, key, view).ui,
            ui({ width, height, drives: tinted }),
          );
          const style = tinted ? colors : plain;
          const found = { tasks: records, run: aRun(), attempts: busyAttempts, queue: [] };
          const pages = recordPages(found, {
            width: pageWidth(last),
            style,
            now: 9_000,
            offsetMin: 0,
          });
          const frame = frameOf({
            ...scene({}, { style, pages, text: { ...text, lines } }),
            view,
            ui: last,
          });
          expect(frame).toHaveLength(height);
          for (const line of [...frame, ...frame.map(inAscii)]) {
            expect(widthOf(line)).toBeLessThanOrEqual(width);
            expect(line).not.toContain('\n');
          }
        },
      ),
    );
  });
});
