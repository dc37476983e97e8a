// A command that a server starts for its client, as a process of its own.

import { readFileSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { openProject } from '../../src/wire/project.ts';
import { startProgram } from '../../src/wire/web.ts';
import { need } from '../rig/need.ts';
import { type TestProject, testProject, touch, waitFor, write } from '../rig.ts';

async function opened(y: TestProject) {
  const project = need(await openProject(y.root, y.env()));
  onTestFinished(() => project.git.close());
  return project;
}

const actor = { through: 'ui' } as const;

test('it goes on, and its output is in a file', async () => {
  const y = testProject({
    tasks: [{ id: 'a' }],
    script: { a: [[touch('begun'), waitFor('go'), write('a.txt', 'a\n')]] },
  });
  const started = need(await startProgram(await opened(y), ['run', y.plan], { actor }));
  await y.seen('begun');
  y.signal('go');
  expect(await started.ended).toBe(0);
  expect(readFileSync(started.output, 'utf8')).toContain('a');
  expect(y.landed()).toEqual(['a']);
  const begun = (await y.events()).find(({ type }) => type === 'run-started');
  expect(begun).toMatchObject({ actor: { name: 'Test Person', through: 'ui' } });
});

test('one that ends at once is a failure with its last words', async () => {
  const y = testProject({});
  const started = await startProgram(await opened(y), ['run', 'no-such-plan.yaml'], { actor });
  expect(started).toMatchObject({
    ok: false,
    failure: { kind: 'usage', problem: expect.stringContaining('no-such-plan.yaml') },
  });
});
