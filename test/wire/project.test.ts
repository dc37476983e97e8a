// A project as its composition root opens it: who its events name, and which program its agents call.

import { existsSync } from 'node:fs';
import { describe, expect, it, onTestFinished } from 'vitest';
import { addTask } from '../../src/app/tasks.ts';
import { actorText } from '../../src/report/event/actor.ts';
import { openProject } from '../../src/wire/project.ts';
import { need } from '../rig/need.ts';
import { type TestProject, testProject } from '../rig.ts';

const baseOf = (y: TestProject) => ({
  PATH: process.env.PATH,
  HOME: y.home,
  YARDMASTER_STATE_DIR: y.state,
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
});

type Opening = Parameters<typeof openProject>;

async function opened(y: TestProject, env: Opening[1], actor?: Opening[2]) {
  const project = need(await openProject(y.root, env, actor));
  onTestFinished(() => project.git.close());
  return project;
}

/** Adds a task, and returns who the log says has done so. */
async function actorOf(
  y: TestProject,
  env: Opening[1],
  actor?: Opening[2],
  through?: 'ui',
): Promise<string> {
  const project = await opened(y, env, actor);
  const store = await project.openStore('write', through);
  if (!store.ok) throw new Error(JSON.stringify(store.failure));
  const added = await addTask({ ...project, store: store.value }, { title: 'A task' });
  await store.value.close();
  expect(added.ok).toBe(true);
  const last = (await y.events()).at(-1);
  return actorText(last !== undefined && 'actor' in last ? last.actor : undefined);
}

describe('the actor of an event', () => {
  it('is the user of git, with the program that they use', async () => {
    const y = testProject({});
    expect(await actorOf(y, baseOf(y))).toBe('Test Person');
    expect(await actorOf(y, baseOf(y), {}, 'ui')).toBe('Test Person (ym ui)');
    expect(await actorOf(y, baseOf(y), { through: 'library' })).toBe('Test Person (library)');
  });

  it('is the one who opened the project under a name', async () => {
    const y = testProject({});
    const robot = { name: 'Robot', through: 'library' } as const;
    expect(await actorOf(y, baseOf(y), robot)).toBe('Robot (library)');
    const long = { name: 'x'.repeat(500), through: 'mcp' } as const;
    expect((await actorOf(y, baseOf(y), long)).length).toBeLessThan(120);
  });

  it('is the client that started this process, which its agents do not inherit', async () => {
    const y = testProject({});
    const actor = { name: 'some-client', through: 'mcp' };
    const env = { ...baseOf(y), YARDMASTER_ACTOR: JSON.stringify(actor) };
    expect(await actorOf(y, env)).toBe('some-client (ym mcp)');
    expect((await opened(y, env)).childEnv).not.toHaveProperty('YARDMASTER_ACTOR');
    expect(await actorOf(y, { ...env, YARDMASTER_ACTOR: '' })).toBe('Test Person');
  });
});

describe('the program that agents call', () => {
  it('is the built one, whichever program opened the project', async () => {
    const y = testProject({});
    const { program } = await opened(y, baseOf(y));
    expect(program).toContain('dist/main.js');
    expect(existsSync(program.split(' ').at(-1)?.replaceAll("'", '') ?? '')).toBe(true);
  });
});
