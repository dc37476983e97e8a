import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyRecords } from '../../../test/report/any-log.ts';
import {
  busyNow,
  busyPast,
  busyRecords,
  busyRun,
  busyView,
} from '../../../test/report/busy-yard.ts';
import { failures } from '../../../test/report/failures.ts';
import { aRecord, aRun, endedPhase } from '../../../test/report/fixtures.ts';
import { colors, shown } from '../../../test/report/ink.ts';
import { viewed } from '../../../test/report/viewed.ts';
import { inAscii } from '../format/ascii.ts';
import { glyphOf, stateOrder } from '../format/glyph.ts';
import { plain } from '../format/style.ts';
import { widthOf } from '../format/width.ts';
import { noQueueFacts } from '../run/queue-facts.ts';
import type { View } from '../view/view.ts';
import { frameOf } from './frame.ts';
import type { Key } from './key.ts';
import { keyPressed } from './press.ts';
import type { Scene } from './scene.ts';
import { partFrom } from './text-page.ts';
import { firstUi, type UiState } from './ui.ts';

const text = {
  task: 'search-index',
  isCut: false,
  lines: [
    '▸ Edit src/index/build.ts',
    '▸ Bash npm test -- index  exit 1  4 s',
    'The empty case returns undefined; I fix buildIndex() so that it returns an empty list instead.',
  ],
};

const ui = (more: Partial<UiState> = {}): UiState => ({ ...firstUi({ drives: false }), ...more });
const scene = (more: Partial<UiState> = {}, rest: Partial<Scene> = {}): Scene => ({
  view: busyView,
  ui: ui(more),
  project: 'shop',
  now: busyNow,
  style: plain,
  offsetMin: 0,
  steps: [],
  queue: noQueueFacts,
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

  it.each([40, 60, 80, 300])('of %d columns names the workers of slots', (width) => {
    const idleSlot = { slot: 9, status: 'open', phase: 'idle' } as const;
    const slots = [...busyView.slots, idleSlot].map((slot) => ({ ...slot, worker: 'builder-2' }));
    const lines = frameOf(scene({ width, height: 40 }, { view: { ...busyView, slots } }));
    expect(lines.filter((line) => widthOf(line) > width)).toEqual([]);
    const named = lines.filter((line) => / on bui/.test(line)).length;
    const idle = slots.filter(({ phase }) => phase === 'idle').length;
    expect(named).toBe(width < 60 ? idle : slots.length);
  });

  it.each(['w', 'd'])('explains a run that needs you as a whole after the key %s', (key) => {
    const log = `/project/${'a-long-folder/'.repeat(20)}before-1.out`;
    const failure = { ...failures['run-refused'], log };
    const phase = { id: 'ended', at: 2, stop: { reason: 'environment', failure } } as const;
    const view = viewed([aRecord('a')], aRun({ phase }), busyNow);
    const onRun = ui({ width: 80, height: 24, cursor: { list: 'needs', key: 'r1' } });
    const { ui: pressed } = keyPressed(onRun, { text: key }, view);
    expect(pressed.note?.text).toBe(key === 'w' ? undefined : 'r1 is a run: w explains its end.');
    const { ui: zoomed } = keyPressed({ ...pressed, page: 'why' }, { name: 'enter' }, view);
    const frame = frameOf(scene(zoomed, { view }));
    expect(frame.filter((line) => widthOf(line) > 80)).toEqual([]);
    const whole = frame.map((line) => line.trim()).join('');
    expect(whole).toContain('`sh ready.sh` of `run.before` failed (exit 2)');
    for (const part of [log, 'WHY r1']) expect(whole).toContain(part);
  });

  it('of a run that died shows that nothing works in its slots, and no ETA', () => {
    const view = viewed(busyRecords, busyRun, busyNow, { underWay: [], past: busyPast });
    const frame = screen({ width: 120 }, { view });
    expect(frame).toMatch(/SLOTS 0 of \d/);
    expect(frame).toMatch(/ 1⋯ search-index .* stopped; ym resume continues it/);
    expect(frame).toMatch(/⋯ \d+ stopped/);
    expect(frame).not.toContain(' working');
    expect(frame).not.toContain('ETA');
    expect(screen({ width: 120 })).toContain('ETA');
  });

  it('says why a ready task has not started, unless the failure of its last work says more', () => {
    const failure = { kind: 'gate-red', what: 'The gate failed.', why: '', do: '' };
    const line = (more: object): string => {
      const ready = { ...busyView.tasks[0], id: 'new', title: 'Do it', state: 'ready' };
      const view = { ...busyView, tasks: [{ ...ready, waitsFor: [], ...more }] } as unknown as View;
      const frame = frameOf(scene({ width: 120, page: 'tasks', zoomed: true }, { view }));
      return frame.find((one) => one.includes(' new ')) ?? '';
    };
    expect(line({ startReason: { id: 'slot' } })).toContain('waits for a free slot: Do it');
    expect(line({ startReason: { id: 'slot' }, failure })).toContain(
      'waits for a free slot: Do it',
    );
    const until = busyNow + 300_000;
    const paused = { id: 'account-paused', account: 'claude', until };
    expect(line({ startReason: paused })).toContain('claude is paused for another 5 m');
    expect(line({ startReason: { id: 'no-run' } })).toContain('no run is under way: Do it');
    expect(line({ startReason: { id: 'no-run' }, failure })).toContain('The gate failed.');
  });

  it.each(['tasks', 'events', 'help'] as const)('shows the page %s on the whole screen', (page) => {
    expect(screen({ page, zoomed: true })).toMatchSnapshot();
  });

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

  it('offers to stop a run, and says that it goes on, only while that is true', () => {
    const keys = (state: View['run']['state']): string => {
      const run = { ...busyView.run, state } as View['run'];
      return frameOf(scene({ width: 120 }, { view: { ...busyView, run } })).at(-2) ?? '';
    };
    expect(keys('running')).toMatch(/q leave \(the run goes on\) .* s stop$/);
    expect(keys('stopping')).toMatch(/q leave {2}a answer .* s end agents$/);
    expect(keys('died')).toMatch(/q leave {2}a answer .* b block$/);
    expect(keys('none')).toMatch(/q leave {2}a answer .* b block$/);
    const view = viewed(busyRecords, aRun({ phase: endedPhase(9_000) }), busyNow);
    expect(frameOf(scene({ width: 120 }, { view })).at(-2)).not.toMatch(/s stop|goes on/);
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

  it('shows new output next to lists that did not change, and clocks that count seconds', () => {
    const wide = scene({ width: 160, height: 50 });
    const later = { ...text, lines: [...text.lines, 'All tests pass.'] };
    const [first, second] = [frameOf(wide), frameOf({ ...wide, text: later })];
    expect(second.join()).toContain('All tests pass.');
    const lists = (lines: readonly string[]) => lines.map((line) => line.split('│')[0]);
    expect(lists(second)).toEqual(lists(first));
    const nextSecond = frameOf({ ...wide, now: busyNow + 1_000 });
    expect(lists(nextSecond)).not.toEqual(lists(first));
    expect(frameOf(wide)).toEqual(first);
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
    expect(screen({}, { queue })).toContain(
      '── MERGE QUEUE 3  main green 23/23  0.41 gates per landing ──',
    );
    expect(frameOf(scene({ width: 160 }, { queue }))[0]).toMatch(/tokens {3}main green 23\/23$/);
  });

  it('goes from file to file of a comparison and of a diff', () => {
    const [x, y] = ['diff --git a/x b/x', 'diff --git a/y b/y'];
    const lines = ['a  Title', '#  state  agent', '# a.v1', x, '+1', y, '+2', '# a.v2', x];
    const starts = (from: number): number | undefined => partFrom('compare', lines, from, 1);
    // The name of a variant is shown with its first file.
    expect([starts(0), starts(2), starts(5), starts(7)]).toEqual([2, 5, 7, undefined]);
    expect(partFrom('compare', lines, 7, -1)).toBe(5);
    expect(partFrom('compare', lines, 5, -1)).toBe(2);
    expect(partFrom('compare', lines, 2, -1)).toBe(0);
    expect(partFrom('diff', lines, 3, 1)).toBe(5);
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
      fc.constantFrom(...'123e?wdGqjklfzhS/:vsaynmrxbMo').map((letter) => ({ text: letter })),
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
          const frame = frameOf({
            ...scene({}, { style, text: { ...text, lines } }),
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

it('the output of a task with variants names them and how to look at them', () => {
  const tasks = busyView.tasks.map((task) =>
    task.id === 'search-index' ? { ...task, variants: ['search-index-1', 'search-index-2'] } : task,
  );
  const none = {
    task: 'search-index',
    lines: [],
    isCut: false,
    note: 'no attempt has started yet',
  };
  const chosen = {
    page: 'tail',
    zoomed: true,
    cursor: { list: 'slots', key: '1' },
  } as const;
  const lines = frameOf(scene(chosen, { view: { ...busyView, tasks }, text: none })).join(' ');
  expect(lines.replace(/\s+/g, ' ')).toContain(
    'Its variants do the work: search-index-1, search-index-2. C compares them, and `ym log search-index-1` prints the output of one.',
  );
  expect(lines).not.toContain('has started');
});
