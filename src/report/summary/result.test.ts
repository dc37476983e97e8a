import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { anyRecords } from '../../../test/report/any-log.ts';
import { failures } from '../../../test/report/failures.ts';
import { anAttempt, aRun } from '../../../test/report/fixtures.ts';
import { owner, Story, task } from '../../../test/story.ts';
import type { Scope } from '../../model/run.ts';
import { plain } from '../format/style.ts';
import { needsIn, taskViewsOf } from '../view/task.ts';
import { summaryMarkdown } from './markdown.ts';
import { resultLines, resultOf, runCounts } from './result.ts';
import { summaryOf } from './summary.ts';
import { summaryText } from './text.ts';

function commands(story: Story, scope: Scope): Record<string, string> {
  story.tell({ type: 'run-ended', run: 'r1', stop: { reason: 'drained' } });
  const { notLanded } = resultOf([...story.state.tasks.values()], scope, story.record());
  return Object.fromEntries(notLanded.map((one) => [one.id, one.command]));
}

describe('the result of an ended run', () => {
  const resultIn = (story: Story) =>
    resultOf([...story.state.tasks.values()], { kind: 'ready' }, story.record());

  test('counts canceled tasks for themselves: they need nobody and are not left', () => {
    const story = new Story().tasks(task('a'), task('b')).start();
    story.tell({ type: 'task-decided', id: 'a', decision: { kind: 'cancel', reason: '' } });
    expect(resultIn(story)).toMatchObject({ needYou: 0, left: 1, canceled: 1 });
    expect(resultLines(resultIn(story), plain, 80)).toEqual([
      '0 landed, 1 left to do, 1 canceled',
      '  ⊘ a  canceled  ym retry a',
      '    └─ Canceled by a person: no reason was given.',
      '  ○ b  ready  ym why b',
    ]);
  });

  test('counts the tasks of an epic, and the epic only if a person blocked it', () => {
    const ofBig = { parent: 'big' };
    const story = new Story().tasks(task('big', { type: 'epic' })).start();
    story.tasks(task('a', ofBig), task('b', ofBig), task('c', { after: ['big'] }));
    expect(resultIn(story)).toMatchObject({ needYou: 0, left: 3 });
    expect(commands(story, { kind: 'only', tasks: ['big', 'c'] })).toEqual({
      a: 'ym resume',
      b: 'ym resume',
      c: 'ym resume',
    });
    const block = { kind: 'block', reason: 'not now' } as const;
    story.tell({ type: 'task-decided', id: 'a', decision: block });
    const countsIn = () => [
      resultIn(story).needYou,
      runCounts([...story.state.tasks.values()], [])(story.record()).needYou,
    ];
    expect(countsIn()).toEqual([1, 1]);
    story.tell({ type: 'task-decided', id: 'big', decision: block });
    expect(countsIn()).toEqual([2, 2]);
  });

  test('names the labels of workers that a ready task lacked', () => {
    const gpu = task('g', { labels: ['needs:gpu'] });
    const story = new Story().tasks(task('a'), gpu).start();
    story.tell({ type: 'run-ended', run: 'r1', stop: { reason: 'drained' } });
    expect(resultLines(resultIn(story), plain, 80)).toEqual([
      '0 landed, 2 left to do',
      '  ○ a  ready  ym resume',
      '  ○ g  ready  ym resume',
      '    └─ no worker has the label gpu (`ym worker --label gpu`)',
    ]);
  });

  test('needs you for what dashboards list, not for tasks behind a canceled one', () => {
    const behind = [task('b', { after: ['a'] }), task('c', { after: ['b'] })];
    const story = new Story().tasks(task('a'), ...behind, task('d')).start();
    story.tell({ type: 'task-decided', id: 'a', decision: { kind: 'cancel', reason: '' } });
    story.tell({ type: 'task-decided', id: 'd', decision: { kind: 'block', reason: 'later' } });
    const tasks = [...story.state.tasks.values()];
    expect(needsIn(taskViewsOf(tasks)).map((need) => need.task)).toEqual(['d']);
    expect(resultIn(story)).toMatchObject({ needYou: 1, left: 2, canceled: 1 });
    expect(runCounts(tasks, [])(story.record()).needYou).toBe(1);
  });

  test('needs you for a question about a variant', () => {
    const story = new Story().tasks(task('a')).start();
    const variants = [task('a.v1', { variantOf: 'a' }), task('a.v2', { variantOf: 'a' })];
    const added = {
      type: 'variants-added',
      run: 'r1',
      id: 'a',
      base: 'b',
      choose: 'auto',
    } as const;
    story.tell({ ...added, variants });
    const asked = { id: 'asking', question: 'Which one?', since: 5 } as const;
    const tasks = [...story.state.tasks.values()].map((record) =>
      record.task.id === 'a.v1' ? { ...record, attempt: anAttempt(asked) } : record,
    );
    const { needYou, notLanded } = resultOf(tasks, { kind: 'only', tasks: ['a'] }, story.record());
    expect(needYou).toBe(1);
    expect(notLanded.filter((one) => one.needsYou).map(({ command }) => command)).toEqual([
      'ym answer a.v1 "…"',
    ]);
    expect(runCounts(tasks, [])(story.record()).needYou).toBe(1);
  });

  test('needs you for the same tasks as dashboards, on any records', () => {
    fc.assert(
      fc.property(anyRecords, (tasks) => {
        const { length } = needsIn(taskViewsOf(tasks));
        const run = aRun({ startedAt: 0 });
        expect(resultOf(tasks, { kind: 'ready' }, run).needYou).toBe(length);
        expect(runCounts(tasks, [])(run).needYou).toBe(length);
      }),
    );
  });

  test('does not change with tasks that are added later, until the run is resumed', () => {
    const story = new Story().tasks(task('a')).start();
    story.tell({ type: 'run-ended', run: 'r1', stop: { reason: 'drained' } });
    const before = resultIn(story);
    story.tasks(task('later'));
    expect(resultIn(story)).toEqual(before);
    expect(before).toMatchObject({ left: 1 });
  });
});

describe('a run that a fault outside of the tasks has ended', () => {
  const ended = () => {
    const story = new Story().tasks(task('a'), task('b')).start();
    const failure = failures['run-refused'];
    return story.tell({ type: 'run-ended', run: 'r1', stop: { reason: 'environment', failure } });
  };
  const countsIn = (story: Story) => {
    const tasks = [...story.state.tasks.values()];
    const run = story.record();
    const runs = [...story.state.runs.values()];
    const { needYou } = runCounts(tasks, runs)(run);
    return [resultOf(tasks, { kind: 'ready' }, run, true, runs).needYou, needYou];
  };

  test('needs a person, in the list of runs and in its summary, with the command and the cause', () => {
    const story = ended();
    expect(countsIn(story)).toEqual([1, 1]);
    const summary = summaryOf({
      hasDied: false,
      until: story.now,
      run: story.record(),
      history: undefined,
      attempts: [],
      tasks: [...story.state.tasks.values()],
      runs: [],
      flakes: [],
      log: '/runs/r1',
    });
    const text = summaryText(summary, plain, 120);
    const start = text.indexOf('0 landed, 2 left to do, the run itself needs you');
    expect(text.slice(2, 5)).toEqual([
      'stop        stopped: a problem outside the tasks',
      'because     `sh ready.sh` of `run.before` failed (exit 2), so the run ends.',
      'printed     the database is down',
    ]);
    expect(text.slice(start + 2, start + 5)).toEqual([
      'Needs you: 1',
      '  ■ r1  ym resume r1',
      '    └─ `sh ready.sh` of `run.before` failed (exit 2), so the run ends.',
    ]);
    expect(summaryMarkdown(summary).join('\n')).toContain(
      '### Needs you\n\n- `r1` \\`sh ready.sh\\` of \\`run.before\\` failed',
    );
  });

  test('needs nobody once its tasks are done, or another run has taken them up', () => {
    const done = ended();
    for (const id of ['a', 'b']) {
      done.tell({ type: 'task-decided', id, decision: { kind: 'cancel', reason: '' } });
    }
    expect(countsIn(done)).toEqual([0, 0]);
    const later = ended();
    for (const id of ['a', 'b']) {
      const started = { type: 'attempt-started', run: 'r2', id, attempt: 1, slot: 1 } as const;
      later.tell({ ...started, fence: 1, agent: 'scripted', branch: `yard/r2/${id}-1` });
    }
    expect(countsIn(later)).toEqual([0, 0]);
  });

  test('needs nobody once a later run has all of its tasks in scope, started or not', () => {
    const laterWith = (scope: Scope): Story => {
      const story = ended();
      const { settings } = story.record();
      const started = { type: 'run-started', run: 'r2', owner, base: 'base' } as const;
      return story.tell({ ...started, settings: { ...settings, scope } });
    };
    expect(countsIn(laterWith({ kind: 'only', tasks: ['a'] }))).toEqual([1, 1]);
    expect(countsIn(laterWith({ kind: 'only', tasks: ['a', 'b'] }))).toEqual([0, 0]);
    expect(countsIn(laterWith({ kind: 'ready' }))).toEqual([0, 0]);
  });
});

describe('the command for a task that did not land', () => {
  const chain = [task('p1'), task('p2', { after: ['p1'] }), task('q2', { after: ['p2'] })];

  test('names the tasks that it waits for where the run did not work on them', () => {
    const scope: Scope = { kind: 'only', tasks: ['q2'] };
    const story = new Story().tasks(...chain).start({ scope });
    expect(commands(story, scope)).toEqual({ q2: 'ym run --only p2 --only p1 --only q2' });
  });

  test('is to resume the run where it works on all of them', () => {
    const story = new Story().tasks(...chain).start();
    expect(commands(story, { kind: 'ready' })).toMatchObject({ q2: 'ym resume' });
  });

  test('shows the other run that works on it', () => {
    const scope: Scope = { kind: 'only', tasks: ['p1'] };
    const story = new Story().tasks(task('p1')).start({ scope });
    const started = { type: 'attempt-started', run: 'r2', id: 'p1', attempt: 1, slot: 1 } as const;
    story.tell({ ...started, fence: 1, agent: 'scripted', branch: 'yard/r2/p1-1' });
    expect(commands(story, scope)).toEqual({ p1: 'ym status --run r2' });
  });
});
