// The records are deleted or damaged while a run is at work.
import { rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { commit, testProject, touch, waitFor, write } from '../../rig.ts';

const mischief: readonly (readonly [how: string, says: string, act: (folder: string) => void])[] = [
  ['are deleted', 'deleted', (folder) => rmSync(folder, { recursive: true })],
  [
    'become garbage',
    'damaged',
    (folder) => {
      truncateSync(join(folder, 'yard.db-wal'), 0);
      writeFileSync(join(folder, 'yard.db'), 'this is no database\n'.repeat(9_999));
    },
  ],
];

test.each(mischief)(
  'if the records %s, the run ends and its work is on branches',
  async (_how, says, act) => {
    const work = (id: string) => [write(`${id}.txt`, `${id}\n`), touch(id), waitFor('never')];
    const y = testProject({
      tasks: [{ id: 'a' }, { id: 'b' }],
      script: { a: [work('a')], b: [[write('b.txt', 'b\n'), commit('Half'), ...work('b')]] },
      leaves: ['branches'],
      loses: 'ledger',
    });
    const run = y.start('run', y.plan);
    await y.seen('a');
    await y.seen('b');
    act(join(y.root, '.git', 'yardmaster'));
    const { code, stderr } = await run.end();
    expect({ code, stderr }).toMatchObject({ code: 3 });
    expect(stderr).toContain(`were ${says} during the run`);
    expect(stderr).not.toMatch(/\bat .*:\d+:\d+/);
    const branches = y.git('branch', '--list', 'yard/*', '--format=%(refname:short)').trim();
    expect(branches.split('\n')).toHaveLength(2);
    for (const branch of branches.split('\n')) {
      expect(stderr).toContain(branch);
      const [, id = ''] = /\/(\w)-1$/.exec(branch) ?? [];
      expect(y.show(`${id}.txt`, branch)).toBe(`${id}\n`);
    }
  },
);
