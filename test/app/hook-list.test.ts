import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { hookFlaws, listHooks, tryHooks } from '../../src/app/hook-list.ts';
import type { Project } from '../../src/app/ports.ts';
import { loadConfig } from '../../src/config/config.ts';
import { fail, ok } from '../../src/model/failure.ts';
import { openWithStore } from '../../src/wire/project.ts';
import { collector } from '../rig/collector.ts';
import { need } from '../rig/need.ts';
import { type TestProject, testProject } from '../rig.ts';

async function withProject<T>(
  y: TestProject,
  work: (
    opened: Extract<Awaited<ReturnType<typeof openWithStore>>, { ok: true }>['value'],
  ) => Promise<T>,
): Promise<T> {
  const opened = need(await openWithStore(y.root, 'read'));
  try {
    return await work(opened);
  } finally {
    await opened.store.close();
    await opened.git.close();
  }
}

describe('the hooks of a project', () => {
  test('are those of the target, with the deliveries of the newest runs', async () => {
    const y = testProject({
      config: { hooks: { log: { use: 'command', command: 'cat > log' } } },
      tasks: [{ id: 'a' }],
      script: { a: [[]] },
      files: { '.gitignore': 'log\n' },
    });
    await y.ym('import', y.plan);
    y.write('yardmaster.yaml', y.read('yardmaster.yaml').replace('cat > log', 'cat > other'));
    const found = await withProject(y, listHooks);
    expect(found).toMatchObject({
      ok: true,
      value: {
        hooks: [{ name: 'log', receiver: 'cat > log', sent: 0, failed: 0, recent: [] }],
        warnings: [expect.stringContaining('runs use the value on main')],
        uncommitted: [],
      },
    });
    y.write('yardmaster.yaml', y.read('yardmaster.yaml').replace('"log"', '"ping"'));
    expect(await withProject(y, listHooks)).toMatchObject({
      value: { hooks: [{ name: 'log' }], uncommitted: ['ping'] },
    });
    expect(found.ok && found.value.hooks[0]?.lastSent).toBeUndefined();
  });

  test('count what the files of runs hold, and ignore damaged ones', async () => {
    const y = testProject({
      config: { hooks: { log: { use: 'bell' } } },
      tasks: [{ id: 'a' }],
      script: { a: [[{ write: { path: 'a', text: 'a' } }]] },
    });
    expect((await y.ym('run', y.plan)).code).toBe(0);
    const [run = ''] = JSON.parse((await y.ym('runs', '--json')).stdout).runs.map(
      ({ id }: { id: string }) => id,
    );
    const dir = join(y.root, '.git', 'yardmaster', 'runs', run);
    mkdirSync(dir, { recursive: true });
    const of = (at: number, cause?: string) => ({
      ...{ id: 'x', point: 'run-ended', at, events: 1, tries: 1 },
      ...(cause === undefined ? {} : { cause }),
    });
    const recent = [of(1), of(3, 'no'), of(2)];
    const hooks = { log: { position: 9, sent: 4, failed: 1, recent }, gone: undefined };
    writeFileSync(join(dir, 'hooks.json'), JSON.stringify({ schema: 1, settled: true, hooks }));
    expect(await withProject(y, listHooks)).toMatchObject({
      value: { hooks: [{ sent: 4, failed: 1, lastSent: { at: 2 }, lastFailed: { at: 3 } }] },
    });
    writeFileSync(join(dir, 'hooks.json'), '{');
    expect(await withProject(y, listHooks)).toMatchObject({ value: { hooks: [{ sent: 0 }] } });
  });
});

test('a hook with a missing program or variable is reported before it has something to deliver', () => {
  const loaded = need(
    loadConfig({
      root: '/repo',
      env: {},
      flags: {
        hooks: {
          gone: { use: 'command', command: ['absent-program', 'x'] },
          line: { use: 'command', command: 'absent-program | x' },
          there: { use: 'command', command: ['sh'] },
          team: { use: 'webhook', url_env: 'TEAM_URL', secret_env: 'TEAM_KEY' },
          open: { use: 'webhook', url: 'https://example.com/in' },
          ring: { use: 'bell' },
          me: { use: 'desktop' },
        },
      },
      readFile: () => undefined,
    }),
  );
  const programs = new Set(['/bin/sh', 'sh']);
  const which: Project['which'] = (name) =>
    programs.has(name) ? ok(name) : fail(`${name} is not on PATH`);
  expect(hookFlaws({ env: { TEAM_URL: 'x' }, which }, loaded)).toEqual([
    'hook gone delivers nothing: absent-program is not on PATH',
    'hook team delivers nothing: the variable TEAM_KEY is not set',
    expect.stringMatching(/^hook me delivers nothing: (notify-send|osascript) is not on PATH$/),
  ]);
  programs.add('notify-send').add('osascript');
  const complete = { TEAM_URL: 'x', TEAM_KEY: 'y' };
  expect(hookFlaws({ env: complete, which }, loaded)).toHaveLength(1);
  expect(hookFlaws({ env: {}, which }, loaded)).toHaveLength(3);
});

describe('a sample', () => {
  test('goes to the hooks of its point whatever their filters, or to the named one', async () => {
    const { endpoint, received } = await collector();
    const hook = (path: string, more = {}) => ({
      use: 'webhook',
      url: `${endpoint}/${path}`,
      ...more,
    });
    const y = testProject({
      config: {
        hooks: {
          all: hook('all'),
          ends: hook('ends', { on: ['run-ended'] }),
          bugs: hook('bugs', { types: ['bug'], digest: '1h' }),
        },
      },
    });
    await y.ym('import', y.plan);
    const send = (point: string, name?: string) =>
      withProject(y, (opened) => tryHooks(opened, point, name));
    expect(await send('task-landed')).toEqual({
      ok: true,
      value: {
        tried: [
          { hook: 'all', ok: true },
          { hook: 'bugs', ok: true },
        ],
        uncommitted: [],
      },
    });
    expect(await send('task-landed', 'ends')).toMatchObject({
      value: { tried: [{ hook: 'ends' }] },
    });
    expect(received.map(({ path }) => path).sort()).toEqual(['/all', '/bugs', '/ends']);
    expect(JSON.parse(received[0]?.body ?? '')).toMatchObject({
      point: 'task-landed',
      run: 'sample',
      task: { id: 'sample' },
    });
    expect(await send('landed')).toMatchObject({
      failure: [{ kind: 'usage', problem: '"landed" is not a point of hooks' }],
    });
    expect(await send('run-ended', 'absent')).toMatchObject({
      failure: [{ problem: 'there is no hook "absent"', remedy: 'Hooks are all, ends, bugs.' }],
    });
    y.write('yardmaster.yaml', y.read('yardmaster.yaml').replace('"run-ended"', '"run-started"'));
    expect(await send('run-started')).toMatchObject({ value: { uncommitted: ['ends'] } });
    expect(await send('run-ended')).toMatchObject({ value: { uncommitted: [] } });
  });
});
