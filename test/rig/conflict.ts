// Work that was given up with a conflict, and the person who resolves it.
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Failure } from '../../src/model/failure.ts';
import { type TestProject, testProject } from '../rig.ts';
import { givenUp } from './past.ts';

const conflict: Failure = { kind: 'conflict', files: ['x.txt'], target: 'main', branch: 'b' };

/** Task `a` was given up with a conflict in `x.txt`. */
export async function inConflict(failure: Failure = conflict): Promise<TestProject> {
  const y = testProject({
    files: { 'x.txt': 'one\ntwo\nthree\n' },
    leaves: ['branches', 'kept', 'worktrees', 'state'],
  });
  const kept = await givenUp(y, 'a', failure);
  y.git('checkout', '-q', '-b', kept);
  y.write('x.txt', 'one\nwork\nthree\n');
  y.commit('Work of a');
  y.git('checkout', '-q', 'main');
  y.write('x.txt', 'one\nmain\nthree\n');
  y.commit('Meanwhile');
  return y;
}

/** A person who types this and leaves the shell. */
export function person(
  y: TestProject,
  types: string,
): { readonly env: Readonly<Record<string, string>> } {
  const shell = join(y.base, 'person.sh');
  writeFileSync(shell, `#!/bin/sh\npwd > '${join(y.base, 'where')}'\n${types}\n`);
  chmodSync(shell, 0o755);
  return { env: { SHELL: shell } };
}

/** What a person decided about tasks. */
export async function handedIn(y: TestProject) {
  const decided = (await y.events()).filter(({ type }) => type === 'task-decided');
  return decided.map((event) => ('decision' in event ? event.decision : undefined));
}
