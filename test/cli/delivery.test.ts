// What becomes of finished work that does not land by itself: branches, pull requests, and stacks of them. The remote is
// a bare repository, and `gh` a stand-in that keeps its pull requests in a file.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { limits } from '../../src/model/limits.ts';
import { StandInGh } from '../delivery/stand-in-gh.ts';
import { crashAt, crashProject, notesOf, recover, wasKilled } from '../rig/crash.ts';
import { sideBySide } from '../rig/seed.ts';
import {
  type Child,
  TestProject,
  type TestProjectOptions,
  testProject,
  until,
  write,
} from '../rig.ts';

interface Forge {
  readonly gh: StandInGh;
  readonly remote: string;
  /** For every `ym` that should find the stand-in. */
  readonly env: Readonly<Record<string, string>>;
}

/** Gives a project a remote with its target, and a `gh` in front of every other. */
function forgeOf(y: TestProject): Forge {
  const remote = join(y.base, 'remote.git');
  y.gitIn(y.base, 'init', '-q', '--bare', '-b', 'main', remote);
  y.git('remote', 'add', 'origin', remote);
  y.git('push', '-q', 'origin', 'main');
  const gh = new StandInGh(join(y.base, 'bin'));
  return { gh, remote, env: { PATH: `${gh.folder}${delimiter}${process.env.PATH}` } };
}

const remoteTip = (y: TestProject, { remote }: Forge, branch: string): string =>
  y.gitIn(remote, 'rev-parse', `refs/heads/${branch}`).trim();

const file = (id: string) => [[write(`${id}.txt`, `${id}\n`)]];

/** The branch of the request for a task. */
const headOf = ({ gh }: Forge, id: string): string =>
  gh.pulls.find(({ headRefName }) => headRefName.endsWith(`/${id}-1`))?.headRefName ?? '';

/** Two tasks of which the second waits for the first. */
const chain = {
  tasks: [
    { id: 'first', title: 'Say hello', body: 'Word for word.' },
    { id: 'second', after: ['first'] },
    { id: 'other' },
  ],
  script: {
    first: [
      [
        write('first.txt', 'first\n'),
        { usage: { input: 1000, cacheRead: 0, cacheWrite: 0, output: 234, costUsd: 0.5 } },
      ],
    ],
    second: file('second'),
    other: file('other'),
  },
  leaves: ['branches'],
} as const satisfies TestProjectOptions;

const one = {
  tasks: [{ id: 'a' }],
  script: { a: file('a') },
  config: { delivery: { how: 'pr' } },
  leaves: ['branches'],
} as const satisfies TestProjectOptions;

/** Accepts a request as the forge does: a merge on its base, which the person then fetches. */
function merge(y: TestProject, { gh, remote }: Forge, branch: string): string {
  const clone = join(y.base, 'clone');
  y.gitIn(y.base, 'clone', '-q', remote, clone);
  y.gitIn(clone, 'config', 'user.name', 'Forge');
  y.gitIn(clone, 'config', 'user.email', 'forge@example.invalid');
  y.gitIn(clone, 'merge', '-q', '--no-ff', '-m', `Merge ${branch}`, `origin/${branch}`);
  y.gitIn(clone, 'push', '-q', 'origin', 'main');
  const oid = y.gitIn(clone, 'rev-parse', 'HEAD').trim();
  rmSync(clone, { recursive: true });
  gh.change(branch, { state: 'MERGED', mergeCommit: { oid } });
  return oid;
}

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

test('branch: red work is not handed over', async () => {
  const y = testProject({
    tasks: [{ id: 'a' }],
    script: { a: [[write('red', '')]] },
    config: { delivery: { how: 'branch' }, retries: 0 },
    leaves: ['branches'],
  });
  expect(await y.ym('run', y.plan)).toMatchObject({ code: 1 });
  expect((await y.task('a')).state).not.toBe('delivered');
  expect((await y.events()).some(({ type }) => type === 'delivered')).toBe(false);
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

interface Trouble {
  /** Makes it so, and returns what fixes it. */
  readonly spoil: (y: TestProject, forge: Forge) => () => void;
  readonly sentence: string;
}

const troubles: Readonly<Record<string, Trouble>> = {
  'not signed in': {
    spoil: (_, { gh }) => {
      gh.trouble({
        exit: 4,
        stderr: 'To get started with GitHub CLI, please run:  gh auth login\n',
      });
      return () => gh.trouble();
    },
    sentence: 'gh is not signed in',
  },
  'push refused': {
    spoil: (_, { remote }) => {
      const hook = join(remote, 'hooks', 'pre-receive');
      mkdirSync(dirname(hook), { recursive: true });
      writeFileSync(hook, '#!/bin/sh\necho "no robots here" >&2\nexit 1\n', { mode: 0o755 });
      return () => rmSync(hook);
    },
    sentence: 'origin rejected yard/',
  },
};

test('pr: without gh nothing is begun, and that is said', async () => {
  const y = testProject(one);
  const forge = forgeOf(y);
  rmSync(join(forge.gh.folder, 'gh'));
  const run = await y.ymWith({ env: forge.env }, 'run', y.plan);
  expect(run.code).toBe(2);
  expect(run.stderr).toContain('gh is not on PATH');
  expect(run.stderr).toContain('gh auth login');
  expect(y.leftovers()).toMatchObject({ branches: [], worktrees: [] });
});

test('pr: without a sign-in or the right to push that is said, nothing is lost, and resume goes on', async () => {
  const projects = Object.entries(troubles).map(([name, trouble]) => ({
    ...trouble,
    name,
    y: testProject(one),
  }));
  // Each is tried again for some seconds before it is believed, so they wait side by side.
  await sideBySide(projects.length, async (lane) => {
    const { name, y, spoil, sentence } = projects[lane] as (typeof projects)[number];
    const forge = forgeOf(y);
    const fix = spoil(y, forge);
    const run = await y.ymWith({ env: forge.env }, 'run', y.plan);
    expect(run.code, name).toBe(3);
    expect(run.stdout + run.stderr, name).toContain(sentence);
    expect(forge.gh.pulls, name).toEqual([]);
    const { branches, kept } = y.leftovers();
    const holds = (ref: string) => y.git('ls-tree', '--name-only', ref).includes('a.txt');
    expect([...branches, ...kept].some(holds), name).toBe(true);
    expect((await y.task('a')).state, name).not.toBe('delivered');
    fix();
    const resumed = await y.ymWith({ env: forge.env }, 'resume');
    expect(resumed, name).toMatchObject({ code: 0, stderr: '' });
    expect(forge.gh.pulls, name).toHaveLength(1);
    expect(await y.task('a'), name).toMatchObject({ state: 'delivered', attempts: 1 });
    expect((await y.status()).spend.starts, name).toBe(1);
  });
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
