// Shared by program/daemon.test.ts and long/daemon/daemon.test.ts.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { DaemonStatus } from '../../src/model/daemon.ts';
import {
  type TestProject,
  type TestProjectOptions,
  testProject,
  touch,
  waitFor,
  write,
} from '../rig.ts';

/** A task that works until it is told to go on. */
const slow = (id: string) => ({ [id]: [[touch(id), waitFor(`go-${id}`), write(id, `${id}\n`)]] });

export const oneSlow = {
  config: { jobs: 1 },
  tasks: [{ id: 'slow', priority: 0 }, { id: 'next' }],
  script: { ...slow('slow'), next: [[touch('next'), write('next', 'next\n')]] },
} as const satisfies TestProjectOptions;

/** A project whose daemon ends with the test. */
export function served(options: TestProjectOptions): TestProject {
  const y = testProject(options);
  onTestFinished(async () => {
    await y.ym('daemon', 'stop', '--now');
  });
  return y;
}

export async function daemonOf(
  y: TestProject,
): Promise<DaemonStatus & { readonly running: boolean }> {
  return JSON.parse((await y.ym('daemon', 'status', '--json')).stdout);
}

export const logOf = (y: TestProject): string =>
  readFileSync(join(y.state, 'daemon/daemon.log'), 'utf8');
