// Notices that `ym run` prints at its start.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { editNotices, notices } from '../../src/app/notices.ts';
import type { Project } from '../../src/app/ports.ts';
import type { RunSettings } from '../../src/model/run.ts';
import { openProject } from '../../src/wire/project.ts';
import { need } from '../rig/need.ts';
import { type TestProject, testProject } from '../rig.ts';

async function said(y: TestProject, cwd = y.root): Promise<string> {
  return (await opened(y, (project) => notices(project, cwd), cwd)).join('\n');
}

async function opened<Value>(
  y: TestProject,
  read: (project: Project) => Promise<Value>,
  cwd = y.root,
): Promise<Value> {
  const env = { PATH: process.env.PATH, HOME: y.home, YARDMASTER_STATE_DIR: y.state };
  const project = need(await openProject(cwd, env));
  try {
    return await read(project);
  } finally {
    await project.git.close();
  }
}

test('an ordinary project has no notices', async () => {
  const y = testProject({ tasks: [] });
  expect(await said(y)).toBe('');
});

describe('uncommitted changes', () => {
  const files = { a: '', b: '', c: '', 'd e': '', '.gitignore': '*.log\n' };
  const edits = (y: TestProject, more: Partial<RunSettings> = {}): Promise<readonly string[]> =>
    opened(y, (project) => editNotices(project, { target: 'main', ...more }));

  test('of the checked-out target are named, a few of them, staged or not', async () => {
    const y = testProject({ tasks: [], files });
    y.write('d e', 'staged\n');
    y.git('add', 'd e');
    expect(await edits(y)).toEqual([
      'main has uncommitted changes in your checkout: d e. Work that changes this file lands only after you commit or stash it.',
    ]);
    for (const file of ['a', 'b', 'c']) y.write(file, 'edited\n');
    expect((await edits(y))[0]).toContain(
      'a, b, c and 1 more. Work that changes these files lands',
    );
  });

  test('are not named if nothing lands there', async () => {
    const y = testProject({ tasks: [], files });
    y.write('new', 'untracked\n');
    y.write('debug.log', 'ignored\n');
    expect(await edits(y)).toEqual([]);
    y.write('a', 'edited\n');
    expect(await edits(y, { delivery: 'pr' })).toEqual([]);
    y.git('switch', '-q', '-c', 'topic');
    expect(await edits(y)).toEqual([]);
  });
});

test('wanted signatures and replaced objects are named', async () => {
  const y = testProject({ tasks: [] });
  y.git('config', 'commit.gpgSign', 'yes');
  expect(await said(y)).toContain('commits that Yardmaster makes are not signed');
  y.git('config', '--unset', 'commit.gpgSign');
  y.git('commit', '-q', '--allow-empty', '-m', 'Another');
  y.git('replace', 'HEAD', 'HEAD~1');
  expect(await said(y)).toMatch(/^This repository replaces an object \(refs\/replace\)\. [^\n]*$/);
});

test('config files that are not read are named: committed ones, and those above the current folder', async () => {
  const y = testProject({ tasks: [] });
  for (const folder of ['web', 'api/v1']) {
    mkdirSync(join(y.root, folder), { recursive: true });
    writeFileSync(join(y.root, folder, 'yardmaster.yaml'), 'jobs: 9\n');
  }
  expect(await said(y)).toBe('');
  expect(await said(y, join(y.root, 'api/v1'))).toMatch(/^api\/v1\/yardmaster.yaml is not read: /);
  y.git('add', 'web');
  expect(await said(y)).toMatch(/^web\/yardmaster.yaml is not read: only yardmaster.yaml in the/);
});
