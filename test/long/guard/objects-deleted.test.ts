// Agents without a sandbox that delete objects of the user's repository: it is named, nothing lands, and no task is
// blamed.
import { cpSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { flat, said, shell } from '../../rig/project.ts';
import { testProject, touch, waitFor, write } from '../../rig.ts';

const drop = (object: string): string =>
  `c=$(git -C "$YARD_PROJECT" rev-parse "${object}"); ` +
  'rm -f "$YARD_PROJECT/.git/objects/$(echo $c | cut -c1-2)/$(echo $c | cut -c3-)"';

test.each([
  ['the folder of objects', 'rm -rf "$YARD_PROJECT/.git/objects"'],
  ['the tree of the target', drop('main^{tree}')],
  ['a file of the target', drop('main:gate.sh')],
  [
    'the pack of the target',
    'git -C "$YARD_PROJECT" repack -adq && rm -f "$YARD_PROJECT"/.git/objects/pack/*',
  ],
])(
  'an agent that deletes %s is named, the run ends, and goes on when they are back',
  async (_what, line) => {
    const y = testProject({
      tasks: [{ id: 'a' }, { id: 'b' }],
      script: {
        a: [[write('a.txt', 'a\n'), waitFor('b'), shell(line), touch('deleted')]],
        b: [[write('b.txt', 'b\n'), touch('b'), waitFor('deleted')]],
      },
    });
    const objects = join(y.root, '.git/objects');
    const kept = join(y.base, 'objects');
    cpSync(objects, kept, { recursive: true });
    const before = y.tip();
    const run = await y.ym('run', y.plan);
    expect(run.code).toBe(3);
    const words = flat(run.stdout);
    expect(words).toContain('The repository lacks objects that the target needs');
    expect(words).not.toContain('Could not commit');
    expect(words).not.toContain('quarantined');
    expect(words + (await said(y, 'a'))).toContain('Objects that the target needs were deleted');
    mkdirSync(objects, { recursive: true });
    cpSync(kept, objects, { recursive: true });
    expect(y.tip()).toBe(before);
    expect(await y.ym('resume')).toMatchObject({ code: 0 });
    expect(y.landings()).toEqual({ a: 1, b: 1 });
  },
);
