// What every refusal has in common: it is said well, and nothing was done.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { type Ended, type TestProject, type TestProjectOptions, touch, write } from '../rig.ts';

export const oneTask = {
  tasks: [{ id: 'a' }],
  script: { a: [[touch('started'), write('a.txt', 'a\n')]] },
} as const satisfies TestProjectOptions;

/** Said on standard error alone, in full sentences, without a stack. */
export function expectRefusal(refused: Ended, code: number, ...says: readonly string[]): void {
  expect({ code: refused.code, stdout: refused.stdout }).toEqual({ code, stdout: '' });
  for (const text of says) expect(refused.stderr).toContain(text);
  for (const line of refused.stderr.trimEnd().split('\n')) expect(line).toMatch(/^ym: .*[.?!)]$/);
  expect(refused.stderr).not.toMatch(/\bat .*\.(?:js|ts):\d+|undefined|\[object/);
}

/** No task stored, no run, no agent started, nothing changed in the repository. */
export async function expectUntouched(y: TestProject, work: () => Promise<void>): Promise<void> {
  const before = { ...y.snapshotOfCheckout(), main: y.git('rev-parse', '--all') };
  await work();
  expect({ ...y.snapshotOfCheckout(), main: y.git('rev-parse', '--all') }).toEqual(before);
  expect(y.isSeen('started')).toBe(false);
  if (existsSync(join(y.root, '.git', 'yardmaster', 'yard.db')))
    expect(await y.events()).toEqual([]);
}
