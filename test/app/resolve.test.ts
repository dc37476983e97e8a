import { appendFileSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { Project } from '../../src/app/ports.ts';
import {
  beginResolution,
  concludeResolution,
  findResolution,
  leftIn,
  type Resolution,
} from '../../src/app/resolve.ts';
import type { Result } from '../../src/model/failure.ts';
import { openProject } from '../../src/wire/project.ts';
import { removeResolution } from '../../src/worktree/resolution-folder.ts';
import { anAttempt, aRecord } from '../report/fixtures.ts';
import { need } from '../rig/need.ts';
import { type TestProject, testProject } from '../rig.ts';

const kept = 'yard/r1/a-1';

const failure = { kind: 'other', message: '' } as const;
const attempt = anAttempt({ id: 'failed', failure, kept }, { branch: kept });
const record = aRecord('a', { id: 'open' }, { title: 'Say it better', failures: 1, attempt });

type Files = Readonly<Record<string, string | null>>;

/** Files of one side; null takes one away. */
function change(y: TestProject, files: Files, message: string): void {
  for (const [path, text] of Object.entries(files)) {
    if (text === null) rmSync(join(y.root, path));
    else y.write(path, text);
  }
  y.commit(message);
}

/** A project in which the work of task `a` and `main` went apart. */
async function apart(work: Files, target: Files, before: Readonly<Record<string, string>>) {
  const y = testProject({ files: before, leaves: ['branches', 'kept', 'worktrees', 'state'] });
  y.git('checkout', '-q', '-b', kept);
  change(y, work, 'Work');
  y.git('checkout', '-q', 'main');
  change(y, target, 'Meanwhile');
  const env = { ...process.env, HOME: y.home, YARDMASTER_STATE_DIR: y.state };
  const project = need(await openProject(y.root, env));
  onTestFinished(() => project.git.close());
  return { y, project };
}

const text = { 'a.txt': 'one\ntwo\nthree\n', 'b.txt': 'same\n' };
const inConflict = () =>
  apart(
    { 'a.txt': 'one\nwork\nthree\n', 'c.txt': 'c\n' },
    { 'a.txt': 'one\nmain\nthree\n', 'b.txt': 'other\n' },
    text,
  );

const begin = (project: Project): Promise<Result<Resolution>> =>
  beginResolution(project, record.task, { attempt, kept }, 'main');

function edit(place: Resolution, path: string, content: string): void {
  writeFileSync(join(place.dir, path), content);
}

test('a merge with a conflict starts in a folder of its own, and its lines are shown', async () => {
  const { y, project } = await inConflict();
  const before = y.snapshotOfCheckout();
  const place = need(await begin(project));
  expect(place).toMatchObject({ target: 'main', onto: y.tip(), commit: y.tip(kept) });
  expect(place.files).toEqual(['a.txt']);
  expect(place.dir.startsWith(y.state)).toBe(true);
  expect(need(await leftIn(project, place))).toEqual([{ file: 'a.txt', lines: [2] }]);
  expect(readFileSync(join(place.dir, 'b.txt'), 'utf8')).toBe('other\n');
  expect(y.snapshotOfCheckout()).toEqual(before);
});

test('fixed files are committed as a merge of both sides, whoever stages them', async () => {
  const { y, project } = await inConflict();
  const place = need(await begin(project));
  edit(place, 'a.txt', 'one\nmain and work\nthree\n');
  expect(need(await leftIn(project, place))).toEqual([]);
  const { commit, ref } = need(await concludeResolution(project, record.task, place));
  expect(y.tip(ref)).toBe(commit);
  expect(ref).toBe('refs/yard/handed/a');
  expect(y.git('log', '-1', '--format=%P', commit).trim()).toBe(`${y.tip(kept)} ${y.tip()}`);
  expect(y.git('log', '-1', '--format=%s', commit).trim()).toBe('Merge main into: Say it better');
  expect(y.show('a.txt', commit)).toBe('one\nmain and work\nthree\n');
  expect([y.show('b.txt', commit), y.show('c.txt', commit)]).toEqual(['other\n', 'c\n']);
  await removeResolution(project.git, place.dir);
  expect(y.leftovers()).toMatchObject({ worktrees: [], state: [] });
  expect(existsSync(y.state) && existsSync(place.dir)).toBe(false);
});

test('a folder with edits is gone on with, and nothing in it is touched', async () => {
  const { y, project } = await inConflict();
  const first = need(await begin(project));
  appendFileSync(join(first.dir, 'a.txt'), 'half way\n');
  y.write('later.txt', 'main goes on\n');
  y.commit('Later');
  const again = await findResolution(project, 'a');
  expect(again).toEqual(first);
  expect(readFileSync(join(first.dir, 'a.txt'), 'utf8')).toContain('half way');
  expect(need(await leftIn(project, first))).toEqual([{ file: 'a.txt', lines: [2] }]);
  // Marks that were staged with `git add` are marks all the same.
  y.gitIn(first.dir, 'add', '-A');
  expect(need(await leftIn(project, first))).toEqual([{ file: 'a.txt', lines: [2] }]);
});

test('there is nothing to go on with before it was begun, and after the folder was removed', async () => {
  const { project } = await inConflict();
  expect(await findResolution(project, 'a')).toBeUndefined();
  const place = need(await begin(project));
  rmSync(place.dir, { recursive: true });
  expect(await findResolution(project, 'a')).toBeUndefined();
  expect(need(await begin(project)).files).toEqual(['a.txt']);
  writeFileSync(`${place.dir}.json`, 'not JSON');
  expect(await findResolution(project, 'a')).toBeUndefined();
});

test('a merge that was taken back is begun once more', async () => {
  const { y, project } = await inConflict();
  const place = need(await begin(project));
  y.gitIn(place.dir, 'merge', '--abort');
  expect(await findResolution(project, 'a')).toEqual(place);
  expect(need(await leftIn(project, place))).toHaveLength(1);
});

test('a person may commit the merge themselves, and stands by that', async () => {
  const { y, project } = await inConflict();
  const place = need(await begin(project));
  edit(place, 'a.txt', 'by hand\n');
  y.gitIn(place.dir, 'commit', '-q', '-a', '-m', 'In my own words');
  expect(await findResolution(project, 'a')).toEqual(place);
  const { commit } = need(await concludeResolution(project, record.task, place));
  expect(y.git('log', '-1', '--format=%s', commit).trim()).toBe('In my own words');
});

test('a file that one side deleted, and a picture, wait for a word to git', async () => {
  const { y, project } = await apart(
    { 'gone.txt': 'changed\n', 'p.png': 'work\0\n' },
    { 'gone.txt': null, 'p.png': 'main\0\n' },
    { 'gone.txt': 'was there\n', 'p.png': 'old\0\n' },
  );
  const place = need(await begin(project));
  expect(need(await leftIn(project, place))).toEqual([
    { file: 'gone.txt', lines: [] },
    { file: 'p.png', lines: [] },
  ]);
  y.gitIn(place.dir, 'add', 'gone.txt');
  expect(need(await leftIn(project, place))).toEqual([{ file: 'p.png', lines: [] }]);
  y.gitIn(place.dir, 'checkout', '-q', '--theirs', 'p.png');
  y.gitIn(place.dir, 'add', 'p.png');
  expect(need(await leftIn(project, place))).toEqual([]);
  const { commit } = need(await concludeResolution(project, record.task, place));
  expect(y.show('gone.txt', commit)).toBe('changed\n');
});

test('a text about conflicts is no conflict', async () => {
  const { project } = await apart(
    { 'doc.md': '<<<<<<< ours\nA\n=======\nB\n>>>>>>> theirs\nwork\n' },
    { 'doc.md': '<<<<<<< ours\nA\n=======\nB\n>>>>>>> theirs\nmain\n' },
    { 'doc.md': '<<<<<<< ours\nA\n=======\nB\n>>>>>>> theirs\n' },
  );
  const place = need(await begin(project));
  expect(need(await leftIn(project, place))).toEqual([{ file: 'doc.md', lines: [6] }]);
  edit(place, 'doc.md', '<<<<<<< ours\nA\n=======\nB\n>>>>>>> theirs\nboth\n');
  expect(need(await leftIn(project, place))).toEqual([]);
});

test('what merges by now needs no hand', async () => {
  const { y, project } = await inConflict();
  y.write('a.txt', text['a.txt']);
  y.commit('Taken back');
  const place = need(await begin(project));
  expect(place.files).toEqual([]);
  expect(need(await leftIn(project, place))).toEqual([]);
  const { commit } = need(await concludeResolution(project, record.task, place));
  expect(y.show('a.txt', commit)).toBe('one\nwork\nthree\n');
});

test('a result without the target, or without the work, is not taken', async () => {
  const { y, project } = await inConflict();
  const place = need(await begin(project));
  y.gitIn(place.dir, 'merge', '--abort');
  expect(await concludeResolution(project, record.task, place)).toMatchObject({
    failure: { kind: 'usage', problem: expect.stringContaining('no longer merged with main') },
  });
  y.gitIn(place.dir, 'reset', '-q', '--hard', 'main');
  expect(await concludeResolution(project, record.task, place)).toMatchObject({
    failure: {
      kind: 'usage',
      problem: expect.stringContaining('nothing of the work of a is left'),
      remedy: expect.stringContaining(`rm -rf ${place.dir}`),
    },
  });
  expect(y.git('for-each-ref', 'refs/yard/handed')).toBe('');
  rmSync(place.dir, { recursive: true });
  expect(await findResolution(project, 'a')).toBeUndefined();
  const again = need(await begin(project));
  expect(need(await leftIn(project, again))).toEqual([{ file: 'a.txt', lines: [2] }]);
});

test('work that is gone, or on the target already, is refused before anything is made', async () => {
  const { y, project } = await inConflict();
  expect(
    await beginResolution(project, record.task, { attempt, kept: 'yard/r1/z-9' }, 'main'),
  ).toMatchObject({
    failure: { problem: expect.stringContaining('no longer exists') },
  });
  expect(await beginResolution(project, record.task, { attempt, kept }, 'nowhere')).toMatchObject({
    failure: { kind: 'target-missing', branch: 'nowhere' },
  });
  y.git('merge', '-q', '-s', 'ours', '-m', 'By hand', kept);
  expect(await begin(project)).toMatchObject({
    failure: { problem: 'the work of a is already on main' },
  });
  expect(y.leftovers().worktrees).toEqual([]);
});

test('work that prune has turned into a kept ref is found there', async () => {
  const { y, project } = await inConflict();
  const commit = y.tip(kept);
  y.git('update-ref', 'refs/yard/keep/r1/a-1', commit);
  y.git('branch', '-q', '-D', kept);
  expect(need(await begin(project))).toMatchObject({ commit, files: ['a.txt'] });
});

test('without a history in common there is no merge, and nothing is left of the try', async () => {
  const { y, project } = await inConflict();
  y.git('checkout', '-q', '--orphan', 'island');
  y.commit('Another world');
  y.git('checkout', '-q', 'main');
  const begun = await beginResolution(project, record.task, { attempt, kept: 'island' }, 'main');
  expect(begun).toMatchObject({ ok: false, failure: { kind: 'unmergeable', branch: 'island' } });
  expect(y.leftovers()).toMatchObject({ worktrees: [], state: [] });
});
