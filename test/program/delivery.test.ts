// Work that is handed over on a branch or as a pull request instead of landing here.
import { expect, test } from 'vitest';
import { chain, forgeOf, remoteTip } from '../rig/forge.ts';
import { testProject } from '../rig.ts';

test('branch: judged work stays on its branch, the target stays, and who depends on it waits', async () => {
  const y = testProject(chain);
  const before = { ...y.snapshotOfCheckout(), tip: y.tip() };
  const run = await y.ym('run', y.plan, '--deliver', 'branch');
  expect(run.stderr).toBe('');
  expect({ ...y.snapshotOfCheckout(), tip: y.tip(), refs: before.refs }).toEqual(before);
  expect(y.landings()).toEqual({});
  const { branches } = y.leftovers();
  expect(branches).toHaveLength(2);
  const [first = ''] = branches.filter((branch) => branch.endsWith('/first-1'));
  expect(y.show('first.txt', first)).toBe('first\n');
  expect(await y.task('first')).toMatchObject({ state: 'delivered', commit: y.tip(first) });
  expect(await y.task('other')).toMatchObject({ state: 'delivered' });
  const short = first.replace('refs/heads/', '');
  const why = (await y.ym('why', 'second')).stdout;
  expect(why).toContain('first');
  expect(why).toContain('delivered');
  expect((await y.ym('why', 'first')).stdout).toContain(short);
  const status = (await y.ym('status', '--all')).stdout;
  expect(status).toMatch(/first .*delivered|delivered.* first/);
  const summary = (await y.ym('summary')).stdout;
  expect(summary).toContain('Delivered: 2');
  expect(summary).toContain(short);
  expect((await y.events()).some(({ type }) => type === 'landed')).toBe(false);
  // Every branch that is handed over was judged as it would be on the target.
  const judged = (await y.events()).flatMap((event) =>
    event.type === 'candidate-judged' ? [event.verdict.id] : [],
  );
  expect(judged).toEqual(['passed', 'passed']);
  // What somebody then merges by hand counts as soon as they say so.
  y.git('merge', '-q', '--no-edit', first);
  expect(await y.ym('skip', 'first', '--reason', 'merged by hand')).toMatchObject({ code: 0 });
  expect(await y.ym('run', y.plan, '--deliver', 'branch')).toMatchObject({ code: 0 });
  expect(await y.task('second')).toMatchObject({ state: 'delivered' });
});

test('pr: each task becomes a branch on the remote and one request that tells what it is', async () => {
  const y = testProject({ ...chain, config: { delivery: { how: 'pr' } } });
  const forge = forgeOf(y);
  const before = y.tip();
  const run = await y.ymWith({ env: forge.env }, 'run', y.plan);
  expect(run.stderr).toBe('');
  expect(y.tip()).toBe(before);
  expect(remoteTip(y, forge, 'main')).toBe(before);
  const { pulls, calls } = forge.gh;
  expect(pulls).toHaveLength(2);
  const [pull] = pulls.filter(({ headRefName }) => headRefName.endsWith('/first-1'));
  expect(pull).toMatchObject({ baseRefName: 'main', isDraft: false, title: 'first: Say hello' });
  const branch = pull?.headRefName ?? '';
  expect(remoteTip(y, forge, branch)).toBe(y.tip(branch));
  const body = pull?.body ?? '';
  expect(body).toContain('Word for word.');
  expect(body).toMatch(/Gate passed.*sh gate\.sh/);
  expect(body).toContain('`first.txt`');
  expect(body).toMatch(/1,234 tokens, (?:\$0\.50|0\.50 ?USD)/);
  expect(body).toMatch(/Yard-Task: first\nYard-Run: \S+\nYard-Attempt: 1\nYard-Agent: actor/);
  // For each of the two a look and a wish.
  expect(calls.map(({ args }) => args[1]).sort()).toEqual(['create', 'create', 'list', 'list']);
  expect(await y.task('first')).toMatchObject({ state: 'delivered' });
  const url = pull?.url ?? 'none';
  expect((await y.ym('why', 'first')).stdout).toContain(url);
  expect((await y.ym('summary')).stdout).toContain(url);
  expect((await y.ym('why', 'second')).stdout).toContain('first');
  expect(run.stdout).toContain(url);
});
