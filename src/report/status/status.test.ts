import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyRecords } from '../../../test/report/any-log.ts';
import { failures } from '../../../test/report/failures.ts';
import { fits } from '../../../test/report/fits.ts';
import {
  aCandidate,
  aConversation,
  anAttempt,
  aRecord,
  aRun,
  aTask,
  endedPhase,
} from '../../../test/report/fixtures.ts';
import { colors, shown as printed } from '../../../test/report/ink.ts';
import { viewed } from '../../../test/report/viewed.ts';
import { plain } from '../format/style.ts';
import { widthOf } from '../format/width.ts';
import type { LastActions } from '../view/slot.ts';
import { countsLine, slotLines, statusText, tasksText } from './status.ts';

const commit = '3f2c1ab'.padEnd(40, '0');
const tree = 'f'.repeat(40);
const busyWith = (lastActions: LastActions = new Map()) =>
  viewed(
    [
      aRecord('schema', { id: 'landed', commit, run: 'r1', at: 5 }),
      aRecord('api', undefined, {
        title: 'Add the search endpoint',
        attempt: anAttempt(
          { id: 'working', slot: 1, turn: 2, since: 60_000 },
          aConversation({ turns: 2 }),
        ),
      }),
      aRecord('ui', undefined, {
        attempt: anAttempt({ id: 'queued', commit, tree, since: 70_000 }),
      }),
      aRecord('fix', undefined, {
        attempt: anAttempt({ id: 'landing', commit, tree, since: 71_000, candidate: 'c1' }),
      }),
      aRecord('old', { id: 'failed', failure: failures['gate-red'], run: 'r1' }),
      aRecord('docs', undefined, { after: ['old'] }),
      aRecord('next', undefined, { after: ['api'] }),
    ],
    aRun({
      train: { candidates: [aCandidate('c1', ['fix'])] },
    }),
    75_000,
    { targetCommit: commit, lastActions },
  );
const busy = busyWith();
const shown = (lines: readonly string[]): string => `\n${lines.join('\n')}\n`;

describe('status', () => {
  it('fits one screen and says what to do next', () => {
    expect(shown(statusText(busy, { now: 75_000 }, plain, 90))).toMatchInlineSnapshot(`
      "
      Run r1  running  1 m 15 s  → main at 3f2c1ab
      ✓ 1 landed  ✗ 1 failed  ■ 1 behind others  ⇒ 1 landing  » 1 queued  ▶ 1 working  · 1 open

      Slots
        slot  phase     for  try        task  title
           1  working  15 s  1, turn 2  api   Add the search endpoint
           2  idle

      Merge queue
        c1  judging  4 s  fix  3f2c1ab
            queued   5 s  ui   3f2c1ab

      In trouble
        ✗  old   failed              P2  Do old
          └─ \`npm test\` failed (exit 1) after merging with the target.
        ■  docs  waiting behind old  P2  Do docs
          └─ Waits for old, which is failed.

      Next: ym why old
      "
    `);
  });

  it('names the worker of each slot that has one, and gives that up last on a narrow screen', () => {
    const slots = busy.slots.map((slot, at) => ({ ...slot, worker: `w${at + 1}` }));
    const at = (width: number): string =>
      shown(slotLines({ ...busy, slots }, 75_000, plain, width));
    expect(at(90)).toMatchInlineSnapshot(`
      "
      slot  on  phase     for  try        task  title
         1  w1  working  15 s  1, turn 2  api   Add the search endpoint
         2  w2  idle
      "
    `);
    expect(at(40)).toMatchInlineSnapshot(`
      "
      slot  on  phase     for  try        task
         1  w1  working  15 s  1, turn 2  api
         2  w2  idle
      "
    `);
    expect(shown(slotLines(busy, 75_000, plain, 90))).not.toMatch(/ on /);
  });

  it('counts no time after the end of the run', () => {
    const attempt = anAttempt({ id: 'queued', commit, tree, since: 70_000 });
    const run = aRun({ phase: endedPhase(75_000, 'canceled') });
    const view = viewed([aRecord('ui', undefined, { attempt })], run, 900_000);
    expect(statusText(view, { now: 900_000 }, plain, 90)).toContain('  queued  5 s  ui  3f2c1ab');
  });

  it('shows every task where that is asked for', () => {
    expect(shown(statusText(busy, { now: 75_000, all: true }, plain, 90))).toMatchInlineSnapshot(`
      "
      Run r1  running  1 m 15 s  → main at 3f2c1ab
      ✓ 1 landed  ✗ 1 failed  ■ 1 behind others  ⇒ 1 landing  » 1 queued  ▶ 1 working  · 1 open

      Slots
        slot  phase     for  try        task  title
           1  working  15 s  1, turn 2  api   Add the search endpoint
           2  idle

      Merge queue
        c1  judging  4 s  fix  3f2c1ab
            queued   5 s  ui   3f2c1ab

      Tasks
        ✓  schema  landed              P2  Do schema
        ▶  api     working             P2  Add the search endpoint
        »  ui      queued              P2  Do ui
        ⇒  fix     landing             P2  Do fix
        ✗  old     failed              P2  Do old
          └─ \`npm test\` failed (exit 1) after merging with the target.
        ■  docs    waiting behind old  P2  Do docs
          └─ Waits for old, which is failed.
        ·  next    open                P2  Do next
          └─ waits for api

      Next: ym why old
      "
    `);
  });

  it('tells a newcomer how to begin', () => {
    expect(
      shown(statusText(viewed([], undefined, 0), { now: 0 }, plain, 80)),
    ).toMatchInlineSnapshot(`
      "
      No run yet

      Next: ym add "What to do", or ym import plan.yaml
      "
    `);
  });

  it('says how a run ended and offers the summary', () => {
    const run = aRun({ phase: endedPhase(65_000, 'drained') });
    const view = viewed([aRecord('a', { id: 'landed', commit, run: 'r1', at: 5 })], run, 99_000);
    expect(shown(statusText(view, { now: 99_000 }, plain, 80))).toMatchInlineSnapshot(`
      "
      Run r1  ended: nothing left to start  1 m 05 s  → main
      ✓ 1 landed

      Next: ym summary
      "
    `);
  });

  it('says how the look at the target came out, with few lines of what is wrong', () => {
    const verified = { kind: 'failed', command: 'npm test', exit: 1, ms: 5, tail: 'no\n' } as const;
    const run = aRun({ phase: endedPhase(5, 'drained'), target: { verified } });
    const lines = statusText(viewed([], run, 9), { now: 9 }, plain, 80);
    expect(lines.slice(1, 3)).toEqual(['verify: failed: "npm test" exited with status 1', '  no']);
  });

  it('offers to resume what was stopped', () => {
    const run = aRun({ phase: endedPhase(65_000, 'stop-asked') });
    const lines = statusText(viewed([aRecord('a')], run, 99_000), { now: 99_000 }, plain, 80);
    expect(lines.at(-1)).toBe('Next: ym resume');
  });

  it('does not take a canceled task for trouble', () => {
    const failure = failures['canceled-by-person'];
    const view = viewed([aRecord('old', { id: 'canceled', failure, at: 1 })], aRun(), 0);
    const text = statusText(view, { now: 0 }, plain, 80).join('\n');
    expect(text).toContain('1 canceled');
    expect(text).not.toContain('In trouble');
    expect(text).not.toContain('ym why');
  });

  it('asks to go on with a run that was cut short before anything else', () => {
    const failure = failures['gate-red'];
    const tasks = [aRecord('bad', { id: 'failed', failure, run: 'r1' }), aRecord('next')];
    const hint = (run: Parameters<typeof aRun>[0], driven = true): string | undefined =>
      statusText(
        viewed(tasks, aRun(run), 0, driven ? {} : { underWay: [] }),
        { now: 0 },
        plain,
        200,
      ).at(-1);
    expect(hint({}, false)).toBe('Next: ym resume, then ym why bad');
    expect(hint({ phase: endedPhase(5, 'canceled') })).toBe('Next: ym resume, then ym why bad');
    const red = { reason: 'environment', failure: failures['target-red'] } as const;
    expect(hint({ phase: endedPhase(5, red) })).toMatch(/^Next: Read .* fix the target/);
    expect(hint({ phase: endedPhase(5, 'drained') })).toBe('Next: ym why bad');
  });

  it('says what keeps a landing waiting, and what to do about it', () => {
    const attempt = anAttempt({ id: 'landing', commit, tree, since: 1, candidate: 'c1' });
    const cause = 'error: Your local changes:\n\tsrc/a.ts\n';
    const failure = { kind: 'checkout-in-the-way', dir: '/somewhere', cause } as const;
    const state = { id: 'waiting', failure, since: 1, until: 9 } as const;
    const run = aRun({ train: { candidates: [aCandidate('c1', ['fix'], { state })] } });
    const view = viewed([aRecord('fix', undefined, { attempt })], run, 5);
    expect(view.tasks[0]).toMatchObject({ failure: { what: expect.stringContaining('src/a.ts') } });
    const lines = statusText(view, { now: 5 }, plain, 200);
    expect(lines.join('\n')).toMatch(/waiting .* fix .*src\/a\.ts/);
    expect(lines.at(-1)).toMatch(/^Next: Commit or stash/);
    const pause = { since: 1, until: 9, times: 1, failure: failures['git-failed'] };
    const passed = aCandidate('c1', ['fix'], { state: { id: 'passed' } });
    const paused = aRun({ train: { candidates: [passed] }, pausedSteps: { land: pause } });
    const stays = viewed([aRecord('fix', undefined, { attempt })], paused, 5);
    expect(stays.candidates[0]?.waits).toBe('green; the target cannot be moved right now');
    expect(stays.tasks[0]).toMatchObject({ failure: { kind: 'git-failed' } });
    const heldBack = { failure, since: 1, until: 9 };
    const queued = anAttempt({ id: 'queued', commit, tree, since: 1, heldBack });
    const held = viewed([aRecord('fix', undefined, { attempt: queued })], aRun(), 5);
    const text = statusText(held, { now: 5 }, plain, 200);
    expect(text.join('\n')).toMatch(/queued .* fix .*src\/a\.ts/);
    expect(text.at(-1)).toMatch(/^Next: Commit or stash/);
    const captured = {
      commit,
      tree,
      judged: false,
      clashes: [],
      changes: { files: ['src/a.ts'], count: 1, added: 1, removed: 0 },
    };
    const same = { ...anAttempt({ id: 'queued', commit, tree, since: 1 }), captured };
    const behind = viewed([aRecord('other', undefined, { attempt: same })], run, 5);
    expect(statusText(behind, { now: 5 }, plain, 200).join('\n')).toMatch(
      /queued .* other .*src\/a\.ts/,
    );
  });

  it('names what it does not count, and who else is at work', () => {
    const underWay = ['r1', 'r7'];
    const view = { ...viewed([aRecord('a')], aRun(), 0, { underWay }), outside: 2 };
    const text = statusText(view, { now: 0 }, plain, 80).join('\n');
    expect(text).toContain('2 other open tasks are not in the scope of this run');
    expect(text).toContain('Also running: r7');
  });

  it('says where delivered work is, and that the user has to merge it', () => {
    const status = { id: 'delivered', how: 'pr', branch: 'yard/api', commit } as const;
    const url = 'https://forge/7';
    const view = viewed(
      [aRecord('api', { ...status, url }), aRecord('ui', status)],
      aRun({ phase: endedPhase(5) }),
      9,
    );
    const tasks = tasksText({ ...view, hidden: 0 }, plain, 80).join('\n');
    expect(tasks).toContain('  └─ delivered as https://forge/7');
    expect(tasks).toContain('  └─ delivered as yard/api');
    const page = statusText(view, { now: 9 }, plain, 80).join('\n');
    expect(page).toContain('2 tasks wait to be merged: ym tasks --state delivered');
    expect(statusText(view, { now: 9, all: true }, plain, 80).join('\n')).toContain(url);
  });

  it('says of an empty choice of tasks that it is one', () => {
    const view = viewed([aRecord('a')], undefined, 0);
    expect(tasksText({ ...view, tasks: [], hidden: 0 }, plain, 80)[0]).toBe(
      'No task is in that state.',
    );
    expect(tasksText({ ...viewed([], undefined, 0), hidden: 0 }, plain, 80)[0]).toContain('ym add');
  });

  it('counts the tasks in trouble that do not fit', () => {
    const many = Array.from({ length: 40 }, (_, at) =>
      aRecord(`t${at}`, { id: 'failed', failure: failures['no-changes'], run: 'r1' }),
    );
    const view = viewed(many, aRun(), 0);
    const short = statusText(view, { now: 0, height: 24 }, plain, 80);
    expect(short.length).toBeLessThanOrEqual(24);
    expect(short.join('\n')).toContain('and 34 more: ym tasks --state failed');
    const high = statusText(view, { now: 0, height: 60 }, plain, 80);
    expect(high.length).toBeLessThanOrEqual(60);
    expect(high.join('\n')).toContain('and 17 more: ym tasks --state failed');
    expect(statusText(view, { now: 0 }, plain, 80).join('\n')).toContain('and 20 more');
  });

  it('shows worktrees and explains each task in trouble where that is asked for', () => {
    const text = statusText(busy, { now: 75_000, verbose: true }, plain, 100).join('\n');
    expect(text).toMatch(/Worktrees\n {2}1 {2}api {2}yard\/r1\/api-1/);
    expect(text).toMatch(/Explained\n {2}old\n {4}`npm test` failed/);
    expect(text.slice(text.indexOf('Explained'))).not.toContain('docs');
  });

  it('hangs the reason of a failed task under its row', () => {
    const lines = statusText(busy, { now: 75_000 }, plain, 60);
    const row = lines.findIndex((line) => line.includes('✗  old'));
    expect(lines[row + 1]).toMatch(/^ {4}└─ `npm test` failed .*…$/);
  });

  it('is never wider than the terminal, and the same with and without colors', () => {
    const esc = String.fromCharCode(27);
    const bare = (line: string): string => line.replaceAll(new RegExp(`${esc}\\[\\d+m`, 'g'), '');
    fc.assert(
      fc.property(anyRecords, fc.integer({ min: 20, max: 160 }), (records, width) => {
        const view = viewed(records, aRun(), 9000);
        const options = { now: 9000, all: true, verbose: true };
        const lines = statusText(view, options, plain, width);
        for (const line of lines) expect(fits(line, width)).toBe(true);
        expect(statusText(view, options, colors, width).map(printed).map(bare)).toEqual(
          lines.map(printed),
        );
      }),
    );
  });

  it('lets no title write to the terminal', () => {
    const esc = String.fromCharCode(27);
    const view = viewed([aRecord('a', undefined, { title: `${esc}[2Jx\n\u202ey` })], undefined, 0);
    const text = tasksText({ ...view, hidden: 0 }, plain, 80)
      .map(printed)
      .join('\n');
    expect(text).not.toContain(esc);
    expect(text).toContain('\\x1b[2Jx \\u202ey');
  });
});

describe('the line of counts', () => {
  const counts = { landed: 12, failed: 1, blocked: 3, working: 2, open: 4 };
  const view = { counts, blocked: { answer: 1, approval: 2 }, stopped: [], preparing: 0 };
  const line = (width: number): string => countsLine(view, plain, width);
  const whole =
    '✓ 12 landed  ✗ 1 failed  ■ 1 awaiting an answer  ■ 2 awaiting approval  ▶ 2 working  · 4 open';
  const short = '✓ 12 landed  ✗ 1 failed  ■ 3 blocked  ▶ 2 working  · 4 open';

  it('names the causes of blocked tasks where there is room for all of it', () => {
    expect(line(whole.length)).toBe(whole);
    expect(line(whole.length - 1)).toBe(short);
  });

  it('ends with an ellipsis where a state is left out', () => {
    expect(line(short.length)).toBe(short);
    expect(line(short.length - 1)).toBe('✓ 12 landed  ✗ 1 failed  ■ 3 blocked  ▶ 2 working  …');
    expect(line(20)).toBe('✓ 12 landed  …');
    expect([line(3), line(1), line(0)]).toEqual(['…', '…', '']);
  });

  it('is never wider than it may be', () => {
    for (let width = 0; width < 110; width += 1) {
      expect(widthOf(line(width))).toBeLessThanOrEqual(width);
    }
  });
});

describe('tasks', () => {
  it('are listed with what each waits for, and counted', () => {
    expect(shown(tasksText({ ...busy, hidden: 0 }, plain, 72))).toMatchInlineSnapshot(`
      "
      ✓  schema  landed              P2  Do schema
      ▶  api     working             P2  Add the search endpoint
      »  ui      queued              P2  Do ui
      ⇒  fix     landing             P2  Do fix
      ✗  old     failed              P2  Do old
        └─ \`npm test\` failed (exit 1) after merging with the target.
      ■  docs    waiting behind old  P2  Do docs
        └─ Waits for old, which is failed.
      ·  next    open                P2  Do next
        └─ waits for api

      ✓ 1 landed  ✗ 1 failed  ■ 1 blocked  ⇒ 1 landing  » 1 queued  …
      "
    `);
  });

  it('that are done are left out, and counted', () => {
    const view = { ...busy, tasks: busy.tasks.filter(({ state }) => state !== 'landed') };
    expect(tasksText({ ...view, hidden: 1 }, plain, 72).at(-1)).toBe(
      '1 done task is not shown: ym tasks --all',
    );
    expect(tasksText({ ...busy, tasks: [], hidden: 7 }, plain, 72)[0]).toBe('No open tasks.');
  });

  it('are listed where there is only an epic', () => {
    const epic = aRecord('big', undefined, { task: aTask('big', { type: 'epic' }), blockers: 1 });
    const lines = tasksText({ ...viewed([epic], undefined, 0), hidden: 0 }, plain, 80);
    expect(lines).toEqual([expect.stringContaining('big  open')]);
  });

  it('say how to get some where there are none', () => {
    expect(tasksText({ ...viewed([], undefined, 0), hidden: 0 }, plain, 80)).toEqual([
      'No tasks. Add some with `ym add` or `ym import`.',
    ]);
  });
});
