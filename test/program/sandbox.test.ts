// The built program with its sandbox on: honest work lands, and what an agent tries outside of its folder is refused.

import { describe, expect, test } from 'vitest';
import { program } from '../rig/child.ts';
import { confinedProject, forbidden, forbids } from '../rig/confined.ts';
import { shell } from '../rig/project.ts';
import { hasSandbox } from '../rig/sandbox.ts';
import { commit, touch, waitFor, write } from '../rig.ts';

describe.runIf(hasSandbox)('in the sandbox', () => {
  test('agents commit, stash, call and land, and gates judge what they made', async () => {
    const y = confinedProject({
      tasks: [{ id: 'a' }, { id: 'b' }],
      script: {
        a: [
          [
            waitFor('b'),
            write('a.txt', 'a\n'),
            shell('git stash -q -u && git stash pop -q'),
            commit('Work of a'),
            shell(`'${process.execPath}' '${program}' agent report note "from the sandbox"`),
          ],
        ],
        b: [[touch('b'), write('b.txt', 'b\n'), shell('cat /proc/1/comm >first.txt')]],
      },
    });
    const run = await y.ym('run', y.plan);
    expect(run).toMatchObject({ code: 0, stderr: '' });
    expect(y.landings()).toEqual({ a: 1, b: 1 });
    expect(y.show('first.txt')).toBe('bwrap\n');
    expect((await y.ym('why', 'a')).stdout).toContain('from the sandbox');
  });
});

describe('without a sandbox', () => {
  test('auto says so in one line and runs; doctor says how to get one', async () => {
    const y = forbidden({ sandbox: 'auto' });
    const run = await y.ymWith(forbids(y), 'run', y.plan);
    expect(run.code).toBe(0);
    expect(run.stderr).toMatch(
      /^.*No sandbox: bwrap: No permissions to create new namespace\. .*\n$/,
    );
    expect(y.landings()).toEqual({ a: 1 });
    const doctor = await y.ymWith(forbids(y), 'doctor');
    expect(doctor.stdout).toContain('No permissions to create new namespace');
    expect(doctor.stdout).toContain('let the container be the sandbox');
  });
});
