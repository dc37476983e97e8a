// Shared by program/see.test.ts and long/commands/see.test.ts.
import { expect } from 'vitest';
import {
  exit,
  print,
  remove,
  type TestProject,
  type TestProjectOptions,
  testProject,
  write,
} from '../rig.ts';

/** A finished run: `good` has landed at its second turn, `bad` has failed, `child` waits for `bad`. */
export async function finishedRun(options: TestProjectOptions = {}): Promise<TestProject> {
  const y = testProject({
    config: { retries: 1, gate: { commands: ['sh gate.sh'], branch: 'always' } },
    tasks: [{ id: 'good' }, { id: 'bad' }, { id: 'child', after: ['bad', 'good'] }],
    script: {
      good: [
        [print('first words'), write('good.txt', 'one\ntwo\n'), write('red', '')],
        [print('second words'), remove('red')],
      ],
      bad: [[print('bad luck'), write('half.txt', 'half\n'), exit(3)]],
    },
    leaves: ['branches', 'kept'],
    ...options,
  });
  expect((await y.ym('run', y.plan)).code).toBe(1);
  return y;
}
