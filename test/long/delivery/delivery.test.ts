// What becomes of finished work that does not land by itself: branches, pull requests, and stacks of them. The remote is
// a bare repository, and `gh` a stand-in that keeps its pull requests in a file.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { limits } from '../../../src/model/limits.ts';
import { crashAt, crashProject, notesOf, recover, wasKilled } from '../../rig/crash.ts';
import { chain, type Forge, file, forgeOf, headOf, merge, remoteTip } from '../../rig/forge.ts';
import { sideBySide } from '../../rig/seed.ts';
import { type Child, TestProject, type TestProjectOptions, testProject, until } from '../../rig.ts';

const one = {
  tasks: [{ id: 'a' }],
  script: { a: file('a') },
  config: { delivery: { how: 'pr' } },
  leaves: ['branches'],
} as const satisfies TestProjectOptions;

/**
 * A run that stays for its pull requests. The first look at them comes half a minute after they were opened, so this goes
 * on beside the other tests.
 */
let waiting:
  | { readonly y: TestProject; readonly forge: Forge; readonly run: Child; readonly since: number }
  | undefined;
let merged: Promise<void> | undefined;

beforeAll(() => {
  const y = new TestProject({ ...chain, config: { delivery: { how: 'pr', wait: '5m' } } });
  const forge = forgeOf(y);
  const run = y.startWith({ env: forge.env }, 'run', y.plan);
  waiting = { y, forge, run, since: Date.now() };
  const isOpen = (): boolean => forge.gh.pulls.length === 2;
  merged = until(isOpen, 'both requests', 100_000).then(() => {
    merge(y, forge, headOf(forge, 'first'));
    y.git('pull', '-q', '--ff-only', 'origin', 'main');
  });
});
afterAll(async () => {
  expect(await waiting?.y.dispose()).toEqual([]);
});

test('pr: a request that was merged meanwhile has landed with the next run, which starts what waited', async () => {
  const y = testProject({ ...chain, config: { delivery: { how: 'pr' } } });
  const forge = forgeOf(y);
  await y.ymWith({ env: forge.env }, 'run', y.plan);
  const oid = merge(y, forge, headOf(forge, 'first'));
  y.git('pull', '-q', '--ff-only', 'origin', 'main');
  const calls = forge.gh.calls.length;
  const again = await y.ymWith({ env: forge.env }, 'run', y.plan);
  expect(again).toMatchObject({ code: 0, stderr: '' });
  expect(await y.task('first')).toMatchObject({ state: 'landed', commit: oid });
  const second = await y.task('second');
  expect(second.state).toBe('delivered');
  expect(y.show('first.txt', second.commit)).toBe('first\n');
  // One look at all that are open, then a look and a wish for the new one.
  expect(forge.gh.calls.slice(calls).map(({ args }) => args[1])).toEqual([
    'list',
    'list',
    'create',
  ]);
});

test('pr: a pull request closed without merging blocks its task, and `ym why` says so', async () => {
  const y = testProject(one);
  const forge = forgeOf(y);
  expect(await y.ymWith({ env: forge.env }, 'run', y.plan)).toMatchObject({ code: 0 });
  const [pull] = forge.gh.pulls;
  forge.gh.change(pull?.headRefName ?? '', { state: 'CLOSED' });
  await y.ym('add', 'Another one', '--id', 'b');
  y.writeScript({ default: file('b') });
  await y.ymWith({ env: forge.env }, 'run', '--only', 'b');
  const a = await y.task('a');
  expect(a).toMatchObject({ state: 'blocked', failure: { kind: 'delivery-failed' } });
  const why = (await y.ym('why', 'a')).stdout.replace(/\s+/g, ' ');
  expect(why).toContain(`pull request closed: ${pull?.url}`);
  expect(why).toContain('ym retry a');
  expect(why).not.toContain('git push --dry-run');
  expect(await y.task('b')).toMatchObject({ state: 'delivered' });
});

test('stack: a dependant starts on top of its parent, and its request asks to be merged into that', async () => {
  const y = testProject({ ...chain, config: { delivery: { how: 'stack' } } });
  const forge = forgeOf(y);
  const before = y.tip();
  const run = await y.ymWith({ env: forge.env }, 'run', y.plan);
  expect(run).toMatchObject({ code: 0, stderr: '' });
  expect(y.tip()).toBe(before);
  const pullOf = (id: string) =>
    forge.gh.pulls.find(({ headRefName }) => headRefName.endsWith(`/${id}-1`));
  expect(forge.gh.pulls).toHaveLength(3);
  expect(pullOf('first')?.baseRefName).toBe('main');
  expect(pullOf('other')?.baseRefName).toBe('main');
  expect(pullOf('second')?.baseRefName).toBe(pullOf('first')?.headRefName);
  const second = pullOf('second')?.headRefName ?? '';
  y.git('merge-base', '--is-ancestor', pullOf('first')?.headRefName ?? '', second);
  expect(y.show('first.txt', second)).toBe('first\n');
  // What its request shows is its own change alone.
  expect(y.git('diff', '--name-only', `${pullOf('first')?.headRefName}...${second}`)).toBe(
    'second.txt\n',
  );
  expect((await y.status()).counts).toMatchObject({ delivered: 3 });
});

/** Steps of a run of one task before it comes to its delivery, and how far the tries lie apart. */
const firstStep = 20;
const stride = 2;

interface Killed {
  readonly step: number;
  readonly pushed: boolean;
  readonly opened: boolean;
}

/** One task, killed at this step and taken up again; undefined where the run was over before. */
async function killedAt(step: number): Promise<Killed | undefined> {
  const y = crashProject({
    tasks: ['a'],
    options: { ...one, config: { delivery: { how: 'pr' } } },
  });
  const where = `killed at step ${step}`;
  try {
    const forge = forgeOf(y);
    const run = await y.ymWith({ env: { ...forge.env, ...crashAt(step) } }, 'run', y.plan);
    const pushed = y.gitIn(forge.remote, 'for-each-ref', 'refs/heads/yard/') !== '';
    const found = { step, pushed, opened: forge.gh.pulls.length > 0 };
    const end = wasKilled(run) ? await recover(y, [], forge.env) : run;
    expect(end, where).toMatchObject({ code: 0, stderr: '' });
    expect(forge.gh.pulls, where).toHaveLength(1);
    const branch = forge.gh.pulls[0]?.headRefName ?? '';
    expect(remoteTip(y, forge, branch), where).toBe(y.tip(branch));
    expect(y.show('a.txt', branch), where).toBe('a\n');
    const delivered = (await y.events()).filter(({ type }) => type === 'delivered');
    expect(delivered, where).toHaveLength(1);
    expect(notesOf(y, 'starts'), where).toEqual(['a 1 1']);
    expect(await y.dispose(), where).toEqual([]);
    return wasKilled(run) ? found : undefined;
  } catch (error) {
    await y.dispose();
    throw error;
  }
}

test('pr: killed at any step of its delivery, a task is handed over once', async () => {
  const lanes = 2;
  const kills = (
    await sideBySide(lanes, async (lane) => {
      const found: Killed[] = [];
      for (let step = firstStep + lane * stride; ; step += lanes * stride) {
        const killed = await killedAt(step);
        if (killed === undefined) return found;
        found.push(killed);
      }
    })
  ).flat();
  console.log(
    kills.map((k) => `${k.step}${k.pushed ? ' pushed' : ''}${k.opened ? ' opened' : ''}`),
  );
  expect(kills.some(({ pushed }) => !pushed)).toBe(true);
  expect(kills.some(({ opened }) => opened)).toBe(true);
});

test('pr: a run stays for its requests, looks at all of them with one call, and starts what waited', async () => {
  if (waiting === undefined) throw new Error('There is no run that waits');
  const { y, forge, run, since } = waiting;
  await merged;
  await until(() => forge.gh.pulls.length === 3, 'the request of the one that waited', 60_000);
  const verbs = forge.gh.calls.map(({ args }) => args[1]);
  // A look before each of the three is opened, and from time to time one for all that are open.
  expect(verbs.filter((verb) => verb === 'create')).toHaveLength(3);
  const looks = 3 + Math.floor((Date.now() - since) / limits.pullWatchMs);
  expect(verbs.filter((verb) => verb === 'list').length).toBeLessThanOrEqual(looks);
  expect(await y.task('first')).toMatchObject({ state: 'landed' });
  // It would stay for the other two.
  expect(run.isOver()).toBe(false);
  run.signal('SIGINT');
  await run.end();
});
