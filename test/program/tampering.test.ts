// Agents that reach beyond their own worktree to get their work through: nothing of it lands, and it is said what they
// did.
import { expect, test } from 'vitest';
import { said, shell, shop } from '../rig/project.ts';
import { type Action, write } from '../rig.ts';

const honest: readonly Action[] = [write('honest.txt', 'honest\n')];

test('changes of files in the checkout of the user do not land, and are reported', async () => {
  const y = shop({
    tasks: [{ id: 'a' }],
    script: {
      a: [
        [
          ...honest,
          shell('echo evil >> "$YARD_PROJECT/src/total.js"; echo x > "$YARD_PROJECT/new.txt"'),
        ],
      ],
    },
  });
  const run = await y.ym('run', y.plan);
  expect(run).toMatchObject({ code: 0 });
  expect(y.show('src/total.js')).not.toContain('evil');
  expect(y.git('ls-tree', '--name-only', 'main')).not.toContain('new.txt');
  expect(run.stdout).toMatch(/yours +changed in your checkout, .*: new\.txt, src\/total\.js/);
  expect(await said(y, 'a')).toMatch(/changed in your checkout, .*: new\.txt, src\/total\.js/);
});
