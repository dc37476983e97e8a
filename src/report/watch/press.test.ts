import { describe, expect, it } from 'vitest';
import { busyView } from '../../../test/report/busy-yard.ts';
import { aRun, endedPhase } from '../../../test/report/fixtures.ts';
import { viewed } from '../../../test/report/viewed.ts';
import { subjectOf } from '../view/task.ts';
import type { View } from '../view/view.ts';
import { type Change, commandOf } from './action.ts';
import type { Key, Pressed } from './key.ts';
import { keyPressed } from './press.ts';
import { chosenRow, chosenTask, withCursor, withPage } from './rows.ts';
import { firstUi, stays, type UiState } from './ui.ts';

const ui = (more: Partial<UiState> = {}): UiState => ({ ...firstUi({ drives: false }), ...more });
const named = new Set([
  'up',
  'down',
  'tab',
  'enter',
  'escape',
  'home',
  'end',
  'left',
  'right',
  'page-up',
  'ctrl-c',
  'backspace',
]);

/** Presses keys one after the other: names of keys, or text. */
function press(from: UiState, ...keys: readonly string[]): Pressed {
  return pressIn(busyView, from, ...keys);
}
function pressIn(view: View, from: UiState, ...keys: readonly string[]): Pressed {
  return keys.reduce(
    ({ ui: before }: Pressed, key): Pressed => {
      const pressed = (named.has(key) ? { name: key } : { text: key }) as Key;
      return keyPressed(before, pressed, view);
    },
    { ui: from },
  );
}
const at = (keys: readonly string[], more: Partial<UiState> = {}): string => {
  const row = chosenRow(busyView, press(ui(more), ...keys).ui);
  return `${row?.list} ${row?.key}`;
};
const ran = (...keys: readonly string[]): string => {
  const { action } = press(ui(), ...keys);
  return action === undefined ? 'nothing' : commandOf(action as Change);
};

describe('the cursor', () => {
  it('starts at what needs a person, and goes through all lists', () => {
    expect(at([])).toBe('needs pay-retry');
    expect(at(['down'])).toBe('needs auth-cookie');
    expect(at(['down', 'down', 'down'])).toBe('slots 1');
    expect(at(['tab', 'tab'])).toBe('queue c4');
    expect(at(['up'])).toBe('needs pay-retry');
    expect(at(['tab', 'tab', 'tab'])).toBe('needs pay-retry');
  });

  it('reaches the tasks where they are on the screen', () => {
    expect(at(['2', 'tab', 'tab', 'tab'])).toBe('tasks search-index');
    const wide = { width: 160, height: 50 };
    expect(at(['tab', 'tab', 'tab'], wide)).toBe('tasks search-index');
  });

  it('stays with its slot, whatever task is in it', () => {
    const chosen = press(ui(), 'tab').ui;
    expect(chosenTask(busyView, chosen)).toBe('search-index');
    const [first, ...others] = busyView.slots;
    const moved = {
      ...busyView,
      slots: [{ ...first, task: 'other' }, ...others],
    } as typeof busyView;
    expect(chosenTask(moved, chosen)).toBe('other');
  });

  it('goes to the next row of its list when its own is gone, else to the one before', () => {
    const without = (...ids: readonly string[]): View => ({
      ...busyView,
      needsYou: busyView.needsYou.filter((need) => !ids.includes(subjectOf(need))),
    });
    const chosen = press(ui(), 'down').ui;
    const kept = (after: View): string | undefined =>
      chosenTask(after, withCursor(chosen, busyView, after));
    expect(kept(without('pay-retry'))).toBe('auth-cookie');
    expect(kept(without('auth-cookie'))).toBe('geo-lookup');
    expect(kept(without('auth-cookie', 'geo-lookup'))).toBe('pay-retry');
    expect(kept(without('pay-retry', 'auth-cookie', 'geo-lookup'))).toBe('search-index');
  });

  it('stays on the task that a person looks at, whatever comes before it', () => {
    const fewer = { ...busyView, needsYou: busyView.needsYou.slice(1) };
    expect(chosenTask(busyView, pressIn(fewer, ui(), 'd').ui)).toBe('auth-cookie');
    expect(chosenTask(busyView, pressIn(fewer, ui(), 'y').ui)).toBe('auth-cookie');
  });
});

describe('keys', () => {
  it('decide only after a second key or a text', () => {
    expect(ran('a', 'only 5xx', 'enter')).toBe("ym answer pay-retry 'only 5xx'");
    expect(ran('a', 'x', 'backspace', 'enter')).toBe('nothing');
    expect(ran('a', 'x', 'escape')).toBe('nothing');
    expect(ran('down', 'y')).toBe('nothing');
    expect(ran('down', 'y', 'y')).toBe('ym approve auth-cookie');
    expect(ran('down', 'y', 'x')).toBe('nothing');
    expect(ran('down', 'n', 'no $HOME "tests"', 'enter')).toBe(
      `ym reject auth-cookie 'no $HOME "tests"'`,
    );
    expect(ran('down', 'down', 'r', 'y')).toBe('ym retry geo-lookup');
    expect(ran('x', 'enter')).toBe("ym cancel pay-retry --reason 'no reason was given'");
    expect(ran('b', 'later', 'enter')).toBe('ym block pay-retry --reason later');
    expect(ran('tab', 'p', 'y')).toBe('ym slots --pause 1');
    expect(ran('+', 'y')).toBe('ym slots +1');
    expect(ran('-', 'y')).toBe('ym slots -1');
    expect(ran('-', '-')).toBe('nothing');
    expect(ran('+', 'enter')).toBe('nothing');
    expect(ran('tab', 'm', 'hurry', 'enter')).toBe('ym tell search-index hurry');
  });

  it('leave the result of an action on the screen until the next key', () => {
    const note = { text: 'ran: ym approve a', tone: 'done' } as const;
    expect(stays(note)).toBe(true);
    expect(stays({ ...note, tone: 'failed' })).toBe(true);
    expect(stays({ ...note, tone: 'plain' })).toBe(false);
    expect(stays(press(ui({ note }), 'down').ui.note)).toBe(false);
  });

  it('keep the comparison of a variant that has left its slot, and say so where no task is chosen', () => {
    const tasks = busyView.tasks.map((task) => {
      if (task.id === 'cart-total') return { ...task, variants: ['search-index'] };
      return task.id === 'search-index' ? { ...task, variantOf: 'cart-total' } : task;
    });
    const view: View = { ...busyView, tasks };
    const compared = pressIn(view, ui(), 'tab', 'C').ui;
    expect(chosenTask(view, compared)).toBe('search-index');
    const idle = { slot: 1, phase: 'idle', status: 'open' } as const;
    const after = { ...view, slots: [idle, ...view.slots.slice(1)] } as View;
    const kept = withPage(withCursor(compared, view, after), after);
    expect(kept.page).toBe('compare');
    expect(pressIn(after, kept, 'y').ui.mode).toMatchObject({
      asked: 'choose',
      task: 'cart-total',
    });
    const left = pressIn(after, kept, 'escape').ui;
    for (const key of ['C', 'y', 'm']) {
      expect(pressIn(after, left, key).ui.note?.text).toBe('No task is chosen.');
    }
  });

  it('compare the variants of a task, and choose one by its number', () => {
    const variants = ['cart-total', 'docs-api'];
    const tasks = busyView.tasks.map((task) => {
      if (task.id === 'search-index') return { ...task, variants };
      return variants.includes(task.id) ? { ...task, variantOf: 'search-index' } : task;
    });
    const view: View = { ...busyView, tasks };
    const chosen = (...keys: readonly string[]): string =>
      commandOf(pressIn(view, ui(), ...keys).action as Change);
    const compared = pressIn(view, ui(), 'tab', 'C').ui;
    expect(withPage(compared, view)).toBe(compared);
    expect(compared.page).toBe('compare');
    // A choice ends the comparison.
    expect(withPage({ ...compared, scroll: 9 }, busyView)).toMatchObject({
      page: 'tail',
      scroll: 0,
    });
    expect(chosen('tab', 'y', '2', 'enter')).toBe('ym choose search-index 2');
    expect(chosen('tab', 'y', '1 less code', 'enter')).toBe(
      "ym choose search-index 1 --reason 'less code'",
    );
    expect(chosen('tab', 'down', 'y', 'enter')).toBe('ym choose search-index 1');
    expect(pressIn(view, ui(), 'tab', 'y', 'enter').action).toBeUndefined();
    expect(press(ui(), 'C').ui.note?.text).toBe('pay-retry has no variants.');
    expect(press(ui(), 'tab', 'y').ui.note?.text).toBe('search-index does not wait for approval.');
  });

  it('go through the event log and back to now, and change nothing in the past', () => {
    const past = (seq: number): Partial<UiState> => ({ past: { seq, last: 200 } });
    const seq = (...keys: readonly string[]): number | undefined =>
      press(ui(past(100)), ...keys).ui.past?.seq;
    expect(press(ui(), 'T').action).toEqual({ id: 'travel' });
    expect([seq('left'), seq('right'), seq('<'), seq('>')]).toEqual([99, 101, 90, 110]);
    expect([seq('home'), seq('home', 'left'), seq('end', '>')]).toEqual([1, 1, 200]);
    expect(seq('T')).toBeUndefined();
    for (const key of 'aynmrxb!op+-s:') {
      const { ui: after, action } = press(ui(past(100)), key);
      expect(action).toBeUndefined();
      expect(after.mode.id).toBe('keys');
      expect(after.note?.text).toContain('nothing can be changed; T goes back to now');
    }
    expect(press(ui(past(100)), 'down', 'w').ui).toMatchObject({ page: 'why', ...past(100) });
    expect(press(ui(past(100)), 'G').ui.note?.text).toContain('not shown for the past');
  });

  it('say why they do nothing', () => {
    expect(press(ui(), 'y').ui.note?.text).toBe('pay-retry does not wait for approval.');
    expect(press(ui(), 'tab', 'a').ui.note?.text).toBe('The agent of search-index asks nothing.');
    expect(press(ui(), 'o').ui.note?.text).toBe('pay-retry has no worktree now.');
    expect(press(ui(), 'o', 'down').ui.note).toBeUndefined();
  });

  it('stop a run when its agents have finished, and at once when it is stopping already', () => {
    expect(ran('s', 'y')).toBe('ym stop');
    expect(ran('s', 's')).toBe('nothing');
    const stopping = {
      ...busyView,
      run: { ...busyView.run, state: 'stopping' },
    } as typeof busyView;
    const asked = keyPressed(ui(), { text: 's' }, stopping);
    expect(keyPressed(asked.ui, { text: 'y' }, stopping).action).toEqual({
      id: 'stop',
      how: 'now',
    });
    const ended = viewed([], aRun({ phase: endedPhase(5) }), 5);
    expect(keyPressed(ui(), { text: 's' }, ended).ui.note?.text).toBe('No run is under way.');
  });

  it('leave at once, unless this process drives the run', () => {
    expect(press(ui(), 'q').action).toEqual({ id: 'leave' });
    expect(press(ui(), 'ctrl-c').action).toEqual({ id: 'leave' });
    const driver = ui({ drives: true });
    expect(press(driver, 'ctrl-c').action).toEqual({ id: 'interrupt' });
    expect(press(driver, 'q').action).toBeUndefined();
    expect(press(driver, 'q', 'l').action).toEqual({ id: 'lines' });
    expect(press(driver, 'q', 's').action).toEqual({ id: 'interrupt' });
    expect(press(driver, 'q', 'x')).toEqual({ ui: driver });
  });

  it('open pages, and fill the screen when pressed again', () => {
    expect(press(ui(), 'e').ui).toMatchObject({ page: 'events', zoomed: false });
    expect(press(ui(), 'e', 'e').ui).toMatchObject({ page: 'events', zoomed: true });
    expect(press(ui(), 'w', 'enter', 'escape', 'escape').ui).toMatchObject({
      page: 'tail',
      zoomed: false,
    });
  });

  it('scroll no further than there are lines', () => {
    expect(press(ui({ lines: 5 }), 'home').ui.scroll).toBe(5);
    expect(press(ui({ lines: 5 }), 'page-up', 'page-up').ui.scroll).toBe(5);
    expect(press(ui({ lines: 5 }), 'page-up', 'f').ui.scroll).toBe(0);
  });

  it('filter the tasks while they are typed', () => {
    const { ui: filtered } = press(ui(), '/', '!landing p2 s');
    expect(filtered).toMatchObject({ page: 'tasks', filter: '!landing p2 s' });
    expect(press(filtered, 'enter').ui.filter).toBe('!landing p2 s');
    expect(press(filtered, 'escape').ui.filter).toBe('');
  });
});
