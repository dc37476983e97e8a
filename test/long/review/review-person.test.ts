// Reviews that a person has to decide, and that nobody gets around.
import { expect, test } from 'vitest';
import {
  approveAll,
  approves,
  oneShotProject,
  reviewed,
  startsOf,
  wants,
} from '../../rig/one-shots.ts';
import { write } from '../../rig.ts';

test('more work may wait for a person than there are worktrees, and goes on with all it had', async () => {
  const ids = ['a', 'b', 'c', 'd', 'e'];
  const y = oneShotProject({
    tasks: ids.map((id) => ({ id })),
    script: {
      default: [
        [{ run: { shell: 'echo one > "$YARD_TASK.txt"' } }],
        [{ run: { shell: 'echo two >> "$YARD_TASK.txt"' } }],
      ],
    },
    oneShotAgents: {},
    config: { review: { person: true }, worktree: { pool: 2 } },
  });
  const run = await y.ym('run', y.plan);
  expect(run.code).toBe(1);
  expect(run.stdout).toContain('5 tasks wait for your approval: a, b, c, d, e.');
  expect(await startsOf(y)).toHaveLength(5);
  expect(await y.ym('reject', 'e', 'A second line, please.')).toMatchObject({ code: 0 });
  expect(await y.ym('approve', 'a', 'b', 'c', 'd')).toMatchObject({ code: 0, stderr: '' });
  expect((await y.ym('resume')).code).toBe(1);
  expect(y.landings()).toEqual({ a: 1, b: 1, c: 1, d: 1 });
  await approveAll(y, 'e');
  expect(y.show('e.txt')).toBe('one\ntwo\n');
});

test('neither the checkout nor a branch can leave out the review that the target asks for', async () => {
  const y = reviewed(
    {
      default: { reviews: [[approves]] },
      sly: { reviews: [wants('no-review blocker yardmaster.yaml The review is gone.')] },
    },
    {
      tasks: [
        { id: 'sly', priority: 0 },
        { id: 'honest', after: ['sly'] },
      ],
      script: {
        default: [[{ run: { shell: 'echo done > "$YARD_TASK.txt"' } }]],
        sly: [
          [
            {
              run: {
                shell: `node -e '
                  const { readFileSync, writeFileSync } = require("node:fs");
                  const { review, ...rest } = JSON.parse(readFileSync("yardmaster.yaml", "utf8"));
                  writeFileSync("yardmaster.yaml", JSON.stringify(rest));'`,
              },
            },
            write('sly.txt', 'sly\n'),
          ],
        ],
      },
    },
    { rounds: 1 },
  );
  // Nobody has committed this.
  const { review: _review, ...rest } = JSON.parse(y.read('yardmaster.yaml'));
  y.write('yardmaster.yaml', JSON.stringify(rest));
  const before = y.tip();
  const run = await y.ym('run', y.plan);
  expect(run.code).toBe(1);
  expect(run.stderr).toMatch(/sets review\.agent to nothing, but runs use the value on main/);
  expect(y.tip()).toBe(before);
  expect((await y.task('sly')).failure).toMatchObject({
    kind: 'approval-needed',
    because: 'rules',
  });
  y.git('checkout', '--', 'yardmaster.yaml');
  // A person lets the protected file pass; that is no word about the rest of the work.
  expect(await y.ym('approve', 'sly')).toMatchObject({ code: 0 });
  expect((await y.ym('resume')).code).toBe(1);
  expect(await startsOf(y)).toEqual(['sly turn 1', 'sly review 1 reader']);
  expect(y.tip()).toBe(before);
  // Even once it has landed, the run goes by what it began with.
  expect(await y.ym('approve', 'sly')).toMatchObject({ code: 0 });
  expect(await y.ym('resume')).toMatchObject({ code: 0 });
  expect((await startsOf(y)).slice(2)).toEqual(['honest turn 1', 'honest review 1 reader']);
  expect(y.landings()).toEqual({ sly: 1, honest: 1 });
});
