// Shared by program/verify.test.ts and long/gate/verify.test.ts.
import type { VerifyOutcome } from '../../src/model/verdict.ts';
import { type TestProject, type TestProjectOptions, write } from '../rig.ts';

/** Red where the gate sees nothing: a file `bad`, which only this looks for. */
export const look = `ls
echo 'looking for trouble'
test ! -e bad || { echo 'FAIL there is a file called bad' >&2; exit 3; }
`;

const plain = {
  files: { 'look.sh': look },
  tasks: [{ id: 'a' }],
  script: { a: [[write('a.txt', 'a\n')]], default: [[write('bad', '')]] },
} as const satisfies TestProjectOptions;

export const bad = {
  ...plain,
  script: { a: [[write('bad', '')]] },
} as const satisfies TestProjectOptions;

export async function outcomes(y: TestProject): Promise<readonly VerifyOutcome[]> {
  const events = await y.events();
  return events.flatMap((event) => (event.type === 'run-verified' ? [event.outcome] : []));
}
