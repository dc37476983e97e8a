// A planner proposes tasks for a goal: what is stored, what goes back to it, and what is only shown.

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { answers, index, project, stored } from '../rig/plan-proposal.ts';
import type { TestProject } from '../rig.ts';

const timesAsked = (y: TestProject): number =>
  readFileSync(join(y.stage, 'asked'), 'utf8').length / 2;

const page = { id: 'page', title: 'Add the page', after: ['index'], model: 'big' };

test('a proposal is only shown without a terminal, and --yes stores exactly what was shown', async () => {
  const y = project();
  answers(y, 'answer', index, page);
  const shown = await y.ym('plan', '--goal', 'Add search');
  expect(shown).toMatchObject({ code: 0 });
  expect(shown.stdout).toContain('critical path: index → page');
  expect(shown.stdout).toContain('+ index  Build the index\n+ page  Add the page\n');
  expect(shown.stdout).toContain('Nothing was stored. The same command with `--yes` stores');
  expect(shown.stderr).toContain('matches src/none/**, which index names.');
  expect(shown.stderr).not.toContain('gate.sh');
  expect(shown.stderr).toContain('page asks for the model "big", which the config does not name.');
  expect(readFileSync(join(y.stage, 'prompt'), 'utf8')).toContain('Add search');
  expect(existsSync(join(y.root, 'left-behind'))).toBe(false);
  expect(await stored(y)).toEqual([]);
  const done = await y.ym('plan', '--goal', 'Add search', '--yes');
  expect(done).toMatchObject({ code: 0 });
  expect(done.stdout).toContain('Added 2 tasks\n');
  expect(timesAsked(y)).toBe(1);
  expect(JSON.parse((await y.ym('show', 'page', '--json')).stdout)).toMatchObject({
    task: { after: ['index'], labels: ['model:big'] },
  });
  // A revision changes, adds and cancels.
  answers(
    y,
    'answer2',
    { id: 'index', cancel: true, reason: 'the database has one' },
    { ...page, title: 'Add a page', after: [] },
    { id: 'docs', title: 'Document it' },
  );
  const revised = await y.ym('plan', '--revise', '--yes', '--json');
  expect(revised).toMatchObject({ code: 0 });
  expect(JSON.parse(revised.stdout)).toMatchObject({
    agent: 'planner',
    stored: true,
    diff: {
      added: [{ id: 'docs' }],
      changed: [{ id: 'page', keys: [{ key: 'title' }, { key: 'after' }] }],
      canceled: [{ id: 'index', reason: 'the database has one' }],
    },
  });
  expect((await y.ym('tasks', '--state', 'canceled')).stdout).toContain('index');
  const { versions } = JSON.parse((await y.ym('plan', 'history', '--json')).stdout);
  expect(versions).toMatchObject([
    { number: 1, added: 2, changed: 0, canceled: 0 },
    { number: 2, added: 1, changed: 1, canceled: 1 },
  ]);
  expect((await y.ym('plan', 'history', '2')).stdout).toMatch(
    /^Version 2, stored .*\n\+ docs {2}Document it\n~ page {2}title: Add the page → Add a page\n~ page {2}after: index → none\n- index {2}canceled: the database has one\n$/,
  );
  expect((await y.ym('plan', 'history', 'x')).code).toBe(2);
});
