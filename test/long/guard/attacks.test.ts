// The attacks that a sandbox refuses, by an agent without one: each is named, or the table says why it cannot be, and
// nothing of it lands.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Attack, attackHead, attacks } from '../../rig/attacks.ts';
import { flat, said, shell } from '../../rig/project.ts';
import { type Ended, type TestProject, testProject, touch, waitFor, write } from '../../rig.ts';

/** A run in which the agent of `a` attacks while the agent of `other` is at work. */
async function attackBy({
  line,
}: Attack): Promise<{ readonly y: TestProject; readonly run: Ended }> {
  const y = testProject({
    files: { 'attack.sh': `${attackHead}${line}\n` },
    config: { retries: 0 },
    tasks: [{ id: 'other' }, { id: 'a' }],
    script: {
      other: [[touch('other'), waitFor('done'), write('other.txt', 'other\n')]],
      a: [
        [
          waitFor('other'),
          shell(
            'sh attack.sh "$YARD_PROJECT" "$ENGINE" >/dev/null 2>&1 && touch "$STAGE/succeeded"; :',
          ),
          touch('done'),
          write('a.txt', 'a\n'),
        ],
      ],
    },
    leaves: ['branches', 'kept', 'worktrees', 'state'],
    loses: 'ledger',
  });
  mkdirSync(join(y.home, '.ssh'));
  writeFileSync(join(y.home, '.ssh/id'), 'key\n');
  y.git('branch', 'theirs');
  const env = { ENGINE: String(process.pid), STAGE: y.stage };
  const run = await y.ymWith({ env }, 'run', y.plan);
  // Without this folder, git does not recognize the repository, and the test could not clean up.
  mkdirSync(join(y.root, '.git/objects'), { recursive: true });
  return { y, run };
}

/** Everything that the user is told. */
async function told(y: TestProject, { stdout, stderr }: Ended): Promise<string> {
  return flat(stdout + stderr) + (await said(y, 'a'));
}

/** Files of the target that neither it nor the tasks had, and commits of the attacker. */
function foreign(y: TestProject): readonly string[] {
  const first = y.git('rev-list', '--max-parents=0', 'main').trim();
  const files = y.git('diff', '--name-only', first, 'main').split('\n');
  const own = ['', 'a.txt', 'other.txt', 'plan.yaml', 'script.yaml'];
  const subjects = y.git('log', '--format=%s', 'main').split('\n');
  return [
    ...files.filter((file) => !own.includes(file)),
    ...subjects.filter((subject) => subject === 'mine'),
  ];
}

const all = Object.entries(attacks);

describe('without a sandbox', () => {
  const noticed = all.flatMap(([name, attack]) =>
    'noticed' in attack.without ? [{ name, attack, ...attack.without }] : [],
  );
  test.each(noticed)('an agent that tries to $name is named', async (row) => {
    const { y, run } = await attackBy(row.attack);
    expect(y.isSeen('succeeded')).toBe(true);
    expect(await told(y, run)).toMatch(row.noticed);
    expect(run.code).toBe(row.code);
    if (row.name !== 'delete objects') expect(foreign(y)).toEqual([]);
  });

  const others = all.filter(([, { without }]) => !('noticed' in without));
  test.each(others)('nothing lands of an agent that tries to %s', async (_name, attack) => {
    const { y } = await attackBy(attack);
    expect(foreign(y)).toEqual([]);
    expect(y.landings().a).toBe(1);
  });
});
