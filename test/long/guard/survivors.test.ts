// Processes that an agent and a gate leave behind, without their environment, are ended and named.
import { expect, test } from 'vitest';
import { hasProc } from '../../../src/process/identity.ts';
import { shell } from '../../rig/project.ts';
import { testProject, write } from '../../rig.ts';

// reason: other systems do not show where a process works.
test.skipIf(!hasProc)('survivors of an agent and of a gate are named', async () => {
  const left = '(setsid env -i sleep 301 >/dev/null 2>&1 &); sleep 0.3';
  const y = testProject({
    config: { sandbox: 'none', gate: { commands: [`${left}; test -e a.txt`] } },
    tasks: [{ id: 'a' }],
    script: { a: [[shell(left), write('a.txt', 'a\n')]] },
  });
  expect(await y.ym('run', y.plan)).toMatchObject({ code: 0 });
  const named = /\d+ sleep 301 \(ended\)/;
  expect((await y.ym('why', 'a')).stdout.replace(/\s+/g, ' ')).toMatch(named);
  const ended = /^\[ended process \d+, which outlived this one: sleep 301\]$/m;
  expect((await y.ym('log', 'a')).stdout).toMatch(ended);
  expect((await y.ym('log', 'a', '--gate')).stdout).toMatch(ended);
});
