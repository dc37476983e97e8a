// Commands after a turn and before its commit, as formatters are.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { promptOf } from '../../rig/one-shots.ts';
import { type Action, commit, type TestProject, testProject, write } from '../../rig.ts';

/** Turns every file into capitals, refuses some, and notes each run on the stage. */
const format = `echo "$YARD_TASK $YARD_TURN" >> "$STAGE/formats"
test ! -e "$STAGE/slow" || { touch "$STAGE/formatting"; while test ! -e "$STAGE/go"; do sleep 0.05; done; }
for file in *.txt; do
  if grep -q ugly "$file"; then echo "$file is ugly"; exit 3; fi
  tr a-z A-Z < "$file" > "$file.new" && mv "$file.new" "$file"
done
`;

function project(
  script: Readonly<Record<string, readonly (readonly Action[])[]>>,
  config: Readonly<Record<string, unknown>> = {},
): TestProject {
  return testProject({
    tasks: Object.keys(script).map((id) => ({ id })),
    files: { 'format.sh': format },
    config: { jobs: 1, modes: { neat: { worktree: { finish: 'sh format.sh' } } }, ...config },
    script,
  });
}

const formats = (y: TestProject): readonly string[] =>
  readFileSync(join(y.stage, 'formats'), 'utf8').trim().split('\n');

test('a command of a mode changes what lands, and an agent whose work it refuses gets it back', async () => {
  const y = project({
    a: [[write('a.txt', 'committed\n'), commit('done')]],
    b: [[write('b.txt', 'ugly\n')], [write('b.txt', 'pretty\n')]],
    nothing: [[]],
  });
  const env = { STAGE: y.stage };
  const run = await y.ymWith({ env }, 'run', y.plan, '--mode', 'neat');
  expect(y.landings()).toEqual({ a: 1, b: 1 });
  expect([y.show('a.txt'), y.show('b.txt')]).toEqual(['COMMITTED\n', 'PRETTY\n']);
  // An agent that changed nothing has nothing to format.
  expect(formats(y)).toEqual(['a 1', 'b 1', 'b 2']);
  const failed = '`sh format.sh` of `worktree.finish` failed (exit 3) on what the agent left.';
  expect(run.stdout).toContain(failed);
  expect((await y.ym('why', 'b')).stdout).toContain(failed);
  const prompt = promptOf(y, 'b', 'turn-2');
  expect(prompt).toContain('which runs on your changes before they are committed, failed');
  expect(prompt).toContain('b.txt is ugly');
});
