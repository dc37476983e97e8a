// A run with a scope: what it counts as its own, and what it says about the other tasks.
import { expect, test } from 'vitest';
import { testProject, touch, waitFor, write } from '../../rig.ts';

const tasks = [
  { id: 'big', type: 'epic', labels: ['ui'] },
  { id: 'c1', parent: 'big' },
  { id: 'c2', parent: 'big' },
  { id: 'x', labels: ['ui'] },
  { id: 'y', type: 'bug' },
  { id: 'z' },
] as const;

const slow = (id: string) => [[touch(id), waitFor('go'), write(`${id}.txt`, `${id}\n`)]];
const script = Object.fromEntries(tasks.map(({ id }) => [id, slow(id)]));

test.each([
  { scope: ['--only', 'big'], first: 'c1', own: 2 },
  { scope: ['--epic', 'big'], first: 'c1', own: 2 },
  { scope: ['--label', 'ui'], first: 'x', own: 3 },
  { scope: ['--type', 'bug'], first: 'y', own: 1 },
])(
  'a run with $scope counts its tasks, and says of the others that they are not in it',
  async ({ scope, first, own }) => {
    const y = testProject({ config: { jobs: 3 }, tasks, script });
    expect(await y.ym('import', y.plan)).toMatchObject({ code: 0 });
    const run = y.start('run', ...scope);
    await y.seen(first);
    const quick = await y.ym('status');
    // The epic does not count.
    const others = tasks.length - 1 - own;
    expect(quick.stdout).toContain(`${others} other open tasks are not in the scope of this run`);
    const { counts, outside } = JSON.parse((await y.ym('status', '--json')).stdout);
    const counted = Object.values<number>(counts).reduce((sum, one) => sum + one, 0);
    expect({ counted, outside }).toEqual({ counted: own, outside: others });
    expect((await y.ym('why', 'z')).stdout).toContain('not in the scope of the run under way');
    y.signal('go');
    expect(await run.end()).toMatchObject({ code: 0 });
    expect((await y.ym('why', 'z')).stdout).toContain('No run is under way');
  },
);
