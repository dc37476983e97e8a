// Shared by program/stop.test.ts and long/run/stop.test.ts.
import { expect } from 'vitest';
import {
  type Child,
  type TestProject,
  type TestProjectOptions,
  touch,
  waitFor,
  write,
} from '../rig.ts';

/** `slow` works until it is told to go on; `next` has not begun when `slow` has. */
export const slowThenNext = {
  config: { jobs: 1 },
  tasks: [{ id: 'slow', priority: 0 }, { id: 'next' }],
  script: {
    slow: [[touch('slow'), waitFor('go'), write('slow.txt', 'slow\n')]],
    next: [[touch('next'), write('next.txt', 'next\n')]],
  },
} as const satisfies TestProjectOptions;

export async function atWork(y: TestProject): Promise<Child> {
  const run = y.start('run', y.plan);
  await y.seen('slow');
  return run;
}

/** Goes on with the run, and everything lands once. */
export async function resumes(y: TestProject): Promise<void> {
  y.signal('go');
  expect(await y.ym('resume')).toMatchObject({ code: 0, stderr: '' });
  expect(y.landings()).toEqual({ slow: 1, next: 1 });
  expect(y.reflogGreen()).toMatchObject({ red: [] });
}
