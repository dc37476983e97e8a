// The commands by which a person sees what happened, and the files beside them.

import { expect, test } from 'vitest';
import { finishedRun } from '../rig/see.ts';
import { type TestProject, testProject, write } from '../rig.ts';

async function jsonOf(y: TestProject, ...args: string[]) {
  const done = await y.ym(...args, '--json');
  expect({ args, code: done.code, stderr: done.stderr }).toEqual({ args, code: 0, stderr: '' });
  return JSON.parse(done.stdout);
}

test('status, why, show and summary agree on what happened, for people and for programs', async () => {
  const y = await finishedRun();
  const view = await jsonOf(y, 'status', '--all');
  expect(view).toMatchObject({
    schema: 1,
    run: {
      state: 'ended',
      stop: { reason: 'drained' },
      jobs: 2,
      agent: 'actor',
      target: { branch: 'main', commit: y.tip() },
    },
    needsYou: [{ task: 'bad', kind: 'failed', command: 'ym retry bad' }],
    counts: { landed: 1, failed: 1, blocked: 1 },
    slots: [],
    train: [],
    spend: { starts: 4, landed: 1 },
  });
  const [good, bad, child] = view.tasks;
  expect(good).toMatchObject({ id: 'good', state: 'landed', attempts: 1, commit: y.tip() });
  expect(bad).toMatchObject({ state: 'failed', attempts: 2, failure: { kind: 'agent-exited' } });
  expect(child).toMatchObject({ state: 'blocked', waitsFor: ['bad'], attempts: 0 });
  const text = await y.ym('status');
  expect(text.stdout).toContain('exited with status 3');
  expect(text.stdout).toContain('Next: ym why bad');
  const again = await y.ym('status', '--run', view.run.id);
  expect(again.stdout).toContain('Next: ym why bad');
  expect((await y.ym('status', '--run', 'no-such-run')).code).toBe(2);
  // What failed is told with the command that tries it again, and what has landed refuses it in true words.
  expect((await y.ym('why', 'bad')).stdout.replace(/\s+/g, ' ')).toContain('`ym retry bad`');
  const landed = await y.ym('retry', 'good');
  expect(landed).toMatchObject({ code: 2, stdout: '' });
  expect(landed.stderr).toContain('good has landed, so it cannot be retried.');
  expect((await y.ym('status', '--all')).stdout).toContain('Waits for bad');
  const why = await y.ym('why', 'good');
  expect(why.stdout).toContain('gate on the branch: failed');
  expect(JSON.stringify(await jsonOf(y, 'why', 'good'))).toContain('there is a file called red');
  expect(why.stdout).toContain(`landed as ${y.tip().slice(0, 7)}`);
  expect((await jsonOf(y, 'why', 'bad')).history.length).toBeGreaterThan(6);
  expect((await y.ym('show', 'child')).stdout).toContain('bad');
  // Worktree and branch of what has landed are gone, and so is every word of them.
  expect((await y.ym('show', 'good')).stdout).not.toMatch(/yard\/|worktree/);
  expect((await y.ym('show', 'bad')).stdout).toMatch(/branch +yard\/.*\/bad-2/);
  const summary = await jsonOf(y, 'summary');
  expect(summary).toMatchObject({
    run: view.run.id,
    outcomes: { landed: 1, error: 2 },
    totals: { attempts: 3, turns: 4 },
  });
  expect((await y.ym('summary', view.run.id.slice(-4))).stdout).toContain('1 landed');
  expect(await jsonOf(y, 'runs')).toMatchObject({
    schema: 1,
    runs: [{ id: view.run.id, state: 'ended', landed: 1, needYou: 1, starts: 4 }],
  });
  // Times are ISO 8601 in all that programs read.
  const [step] = (await jsonOf(y, 'why', 'bad')).history;
  expect(step.at).toMatch(/^\d{4}-\d\d-\d\dT/);
  expect(await jsonOf(y, 'tasks')).toMatchObject({
    hidden: 1,
    tasks: [{ id: 'bad' }, { id: 'child' }],
  });
  expect((await y.ym('tasks')).stdout).toContain('1 done task is not shown: ym tasks --all');
  expect((await y.ym('tasks', '--all')).stdout).toMatch(/✓ +good/);
  expect((await y.ym('status', '-v')).stdout).toMatch(/Explained\n +bad\n/);
  expect((await y.ym('completions', 'tasks')).stdout).toBe('good\nbad\nchild\n');
  expect((await y.ym('completions', 'runs')).stdout).toBe(`${view.run.id}\n`);
  expect((await y.ym('completions', 'keys')).stdout).toContain('worktree.setup\n');
  expect((await y.ym('runs')).stdout).toMatch(new RegExp(`^${view.run.id} .* ended: nothing`, 'm'));
});

test('what a run leaves over is listed, then removed once, and work stays reachable', async () => {
  // It is discarded in the end.
  const y = await finishedRun({ loses: ['bad'] });
  const half = y.leftovers().branches;
  expect(half).toHaveLength(2);
  const listed = await y.ym('prune');
  expect(listed.code).toBe(0);
  for (const ref of half) expect(listed.stdout).toContain(ref);
  expect(listed.stdout).toContain('ym prune --apply');
  expect(y.leftovers().branches).toEqual(half);
  const commits = half.map((ref) => y.tip(ref));
  expect(await y.ym('prune', '--apply')).toMatchObject({ code: 0, stderr: '' });
  expect(y.leftovers().branches).toEqual([]);
  expect(y.leftovers().kept.map((ref) => y.tip(ref))).toEqual(commits);
  const after = y.snapshotOfCheckout();
  expect(await y.ym('prune', '--apply')).toMatchObject({ code: 0, stderr: '' });
  expect(y.snapshotOfCheckout()).toEqual(after);
  expect(y.show('half.txt', y.leftovers().kept[0])).toBe('half\n');
  // What only a kept ref holds is not promised to go, and goes only by a word of its own.
  const kept = (await y.ym('prune')).stdout;
  expect(kept).not.toContain('`ym prune --apply` removes');
  expect(kept).toContain('--discard');
  expect(await y.ym('prune', '--apply', '--discard')).toMatchObject({ code: 0, stderr: '' });
  expect(y.leftovers().kept).toEqual([]);
  expect((await y.ym('prune')).stdout).toBe('Nothing to prune.\n');
});

test('a run can be followed by a program, one event a line', async () => {
  const y = testProject({ tasks: [{ id: 'a' }], script: { a: [[write('a.txt', 'a\n')]] } });
  const run = await y.ym('run', y.plan, '--json');
  expect(run).toMatchObject({ code: 0, stderr: '' });
  const lines = run.stdout.trimEnd().split('\n');
  const events = lines.map((line): { type: string } => JSON.parse(line));
  const types = events.map(({ type }) => type);
  expect(types[0]).toBe('run-started');
  expect(types.slice(-2)).toEqual(['run-ended', 'run-result']);
  expect(types).toContain('landed');
});
