// A renamed machine is still the same machine; a container is another one, although it has the same name.
import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { testProject, touch, waitFor, write } from '../../rig.ts';

const renamed = ['unshare', '--uts', 'sh', '-c', 'hostname renamed; exec "$@"', 'sh'];
const container = ['unshare', '--pid', '--fork', '--mount-proc'];
const can = ([file = '', ...args]: readonly string[]): boolean =>
  spawnSync(file, [...args, 'true']).status === 0;

const oneTask = {
  tasks: [{ id: 'a' }],
  script: { a: [[touch('a'), waitFor('go'), write('a.txt', 'a\n')]] },
};

test.runIf(can(container))(
  'a container does not take over a run that is alive outside',
  async () => {
    const y = testProject(oneTask);
    const run = y.start('run', y.plan);
    await y.seen('a');
    for (const command of [['resume'], ['run', '--scope', 'ready']]) {
      const refused = await y.ymWith({ under: container }, ...command);
      expect(refused).toMatchObject({ code: 3 });
      expect(refused.stderr).toContain(`(process ${run.pid} on `);
    }
    const { stdout } = await y.ymWith({ under: container }, 'status');
    expect(stdout).toContain('on host');
    y.signal('go');
    expect(await run.end()).toMatchObject({ code: 0 });
    expect(y.landings()).toEqual({ a: 1 });
  },
);

test.runIf(can(renamed))('a run goes on at once on a machine that was renamed', async () => {
  const y = testProject(oneTask);
  const run = y.start('run', y.plan);
  await y.seen('a');
  const refused = await y.ymWith({ under: renamed }, 'resume');
  expect(refused).toMatchObject({ code: 3 });
  expect((await y.ymWith({ under: renamed }, 'status')).stdout).not.toContain('on host');
  run.signal('SIGKILL');
  await run.end();
  y.signal('go');
  expect(await y.ymWith({ under: renamed }, 'resume')).toMatchObject({ code: 0 });
  expect(y.landings()).toEqual({ a: 1 });
  const starts = (await y.events()).filter(({ type }) => type === 'turn-started');
  expect(starts).toHaveLength(1);
});
