// Git itself, a bare repository as the remote, and a stand-in for gh.
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type PullContent, pullBody, pullTitle } from '../../src/delivery/body.ts';
import { deliver, type Handover } from '../../src/delivery/deliver.ts';
import { ghForge } from '../../src/delivery/gh.ts';
import { gitCli } from '../../src/git/cli.ts';
import type { Git } from '../../src/port/git.ts';
import { kindOf, need } from '../conformance/git.ts';
import { type TempRepo, tempRepo } from '../git/temp-repo.ts';
import { StandInGh } from './stand-in-gh.ts';

let repo: TempRepo;
let git: Git;
let gh: StandInGh;

beforeEach(() => {
  repo = tempRepo();
  repo.gitIn(repo.base, 'init', '-q', '--bare', 'remote.git');
  repo.git('remote', 'add', 'origin', join(repo.base, 'remote.git'));
  repo.git('push', '-q', 'origin', 'main');
  git = gitCli(repo.root);
  gh = new StandInGh(join(repo.base, 'bin'));
});
afterEach(async () => {
  await git.close();
});

const forge = () => ghForge({ dir: repo.root, env: { PATH: gh.folder } });
const remoteTip = (branch: string): string =>
  repo.gitIn(join(repo.base, 'remote.git'), 'rev-parse', `refs/heads/${branch}`).trim();

async function workOn(parent: string, name: string): Promise<string> {
  const { tree } = await git.commit(parent);
  return git.commitTree(tree, [parent], name);
}

function wish(name: string, commit: string, more: Partial<Handover> = {}): Handover {
  const told: PullContent = {
    task: { id: name, title: `Do ${name}`, body: `What ${name} means` },
    run: 'r',
    attempt: 1,
    agent: 'mine',
    gate: ['npm test'],
    verdict: { id: 'passed', ms: 1_000 },
  };
  const text = { title: pullTitle(told), body: pullBody(told) };
  return {
    how: 'pr',
    branch: `yard/r/${name}-1`,
    commit,
    target: 'main',
    remote: 'origin',
    ...text,
    ...more,
  };
}

it('work becomes a branch on the remote and one pull request, however often it is handed over', async () => {
  const commit = await workOn(repo.git('rev-parse', 'main').trim(), 'a');
  const first = await need(deliver(git, forge(), wish('a', commit)));
  const again = await need(deliver(git, forge(), wish('a', commit)));
  expect(first.url).toBe('https://github.invalid/owner/name/pull/1');
  expect(again).toEqual(first);
  expect(remoteTip('yard/r/a-1')).toBe(commit);
  expect(gh.pulls.length).toBe(1);
  expect(gh.pulls[0]).toMatchObject({ title: 'a: Do a', baseRefName: 'main' });
  expect(gh.pulls[0]?.body).toContain('What a means');
  // A look and a wish for the first, a look for the second.
  expect(gh.calls.map(({ args }) => args[1])).toEqual(['list', 'create', 'list']);
});

it('trailers are found by git in a commit that has the text as its message', async () => {
  const commit = await workOn(repo.git('rev-parse', 'main').trim(), 'a');
  const { title, body } = wish('a', commit);
  repo.git('commit', '-q', '--allow-empty', '-m', `${title}\n\n${body}`);
  const format = '--format=%(trailers:key=Yard-Task,valueonly)%(trailers:key=Yard-Agent,valueonly)';
  expect(repo.git('log', '-1', format).split('\n').filter(Boolean)).toEqual(['a', 'mine']);
});

it('a branch that somebody else moved on the remote is not overwritten', async () => {
  const start = repo.git('rev-parse', 'main').trim();
  const commit = await workOn(start, 'a');
  const theirs = repo.commit('theirs');
  repo.git('push', '-q', 'origin', `${theirs}:refs/heads/yard/r/a-1`);
  expect(await kindOf(deliver(git, forge(), wish('a', commit)))).toBe('delivery-failed');
  expect(remoteTip('yard/r/a-1')).toBe(theirs);
  expect(gh.calls).toEqual([]);
});

it('a stack has each pull request on the branch of the one before', async () => {
  const start = repo.git('rev-parse', 'main').trim();
  const first = await workOn(start, 'a');
  const second = await workOn(first, 'b');
  await need(deliver(git, forge(), wish('a', first, { how: 'stack' })));
  const stacked = wish('b', second, { how: 'stack', parents: ['yard/r/a-1'] });
  await need(deliver(git, forge(), stacked));
  expect(gh.pulls.map(({ headRefName, baseRefName }) => [headRefName, baseRefName])).toEqual([
    ['yard/r/a-1', 'main'],
    ['yard/r/b-1', 'yard/r/a-1'],
  ]);
});

it('what stands on a merged parent goes to the target', async () => {
  const start = repo.git('rev-parse', 'main').trim();
  const first = await workOn(start, 'a');
  const second = await workOn(first, 'b');
  await need(deliver(git, forge(), wish('a', first, { how: 'stack' })));
  gh.change('yard/r/a-1', { state: 'MERGED', mergeCommit: { oid: first } });
  gh.trouble({ exit: 1, verb: 'create', base: 'yard/r/a-1', stderr: 'Base ref must be a branch' });
  const stacked = wish('b', second, { how: 'stack', parents: ['yard/r/a-1'] });
  await need(deliver(git, forge(), stacked));
  expect(gh.pulls.at(-1)).toMatchObject({ headRefName: 'yard/r/b-1', baseRefName: 'main' });
});
