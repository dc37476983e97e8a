// What a run does not honor is said at its start.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { notices } from '../../src/app/notices.ts';
import { openProject } from '../../src/wire/project.ts';
import { type TestProject, testProject } from '../rig.ts';

async function said(y: TestProject, cwd = y.root): Promise<string> {
  const env = { PATH: process.env.PATH, HOME: y.home, YARDMASTER_STATE_DIR: y.state };
  const project = await openProject(cwd, env);
  if (!project.ok) throw new Error(JSON.stringify(project.failure));
  try {
    return (await notices(project.value, cwd)).join('\n');
  } finally {
    await project.value.git.close();
  }
}

test('an ordinary project has no notices', async () => {
  const y = testProject({ tasks: [] });
  expect(await said(y)).toBe('');
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
