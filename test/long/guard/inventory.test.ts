// `ym ledger`, `ym prune` and `ym doctor` compare records, git and disk: whatever one of them has alone is named.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { flat, shell } from '../../rig/project.ts';
import { type TestProject, testProject, touch, waitFor, write } from '../../rig.ts';

interface Ledger {
  readonly balanced: boolean;
  readonly counts: Readonly<Record<string, number>>;
  readonly entries: readonly { readonly task: string; readonly fate: { readonly id: string } }[];
  readonly unsaved: readonly Readonly<Record<string, unknown>>[];
  readonly strays: readonly { readonly ref: string; readonly commit: string }[];
  readonly archives: readonly { readonly file: string }[];
  readonly mismatches: readonly Readonly<Record<string, unknown>>[];
}

async function ledgerOf(y: TestProject): Promise<Ledger> {
  return JSON.parse((await y.ym('ledger', '--json')).stdout);
}

const quiet = { retries: 0 };

test('work of a killed run that is in no commit is listed with its worktree, and nothing is changed', async () => {
  const y = testProject({
    tasks: [{ id: 'a' }],
    config: quiet,
    script: {
      a: [
        [
          write('one.txt', '1\n'),
          shell('git add -A; git commit -qm one; echo 2 > two.txt'),
          touch('wrote'),
          waitFor('go'),
        ],
      ],
    },
  });
  const run = y.start('run', y.plan);
  await y.seen('wrote');
  run.signal('SIGKILL');
  await run.end();
  const before = y.git('count-objects');
  const { unsaved, mismatches } = await ledgerOf(y);
  expect(unsaved).toMatchObject([
    {
      task: 'a',
      attempt: 1,
      state: 'working',
      found: { id: 'changes', paths: ['one.txt', 'two.txt'], count: 2 },
    },
  ]);
  expect(mismatches).toEqual([]);
  expect(y.git('count-objects')).toBe(before);
  const told = flat((await y.ym('ledger')).stdout);
  expect(told).toContain('In a worktree, and in no commit of the repository yet:');
  expect(told).toMatch(/a 1 working 2 changed paths, 1 commit \S+/);
  y.signal('go');
  expect(await y.ym('resume')).toMatchObject({ code: 0 });
  expect((await ledgerOf(y)).unsaved).toEqual([]);
});

test('refs and folders that no record explains are named by all three commands, and stay', async () => {
  const y = testProject({
    tasks: [{ id: 'a' }],
    config: quiet,
    script: { a: [[write('a.txt', 'a\n')]] },
    leaves: ['branches', 'kept', 'state'],
  });
  expect(await y.ym('run', y.plan)).toMatchObject({ code: 0 });
  expect((await y.ym('doctor')).stdout).toMatch(/inventory .*records, git and disk agree/);
  const refs = [
    'refs/heads/yard/mine',
    'refs/heads/yard/r0/gone-1',
    'refs/yard/handed/nothing',
    'refs/yard/held/r0/c1',
    'refs/yard/keep/r0/gone-1.stray1',
  ];
  for (const ref of refs) y.git('update-ref', ref, 'main');
  const paths = JSON.parse((await y.ym('where', '--json')).stdout);
  const files = join(paths.runs ?? paths.files, 'r0');
  mkdirSync(files);
  const commit = y.tip();
  const orphans = [
    ...refs.map((ref) => ({ id: 'ref-without-record', ref, commit })),
    { id: 'folder-without-record', what: 'files', run: 'r0', dir: files },
  ];
  expect((await ledgerOf(y)).mismatches).toEqual(orphans);
  const pruned = JSON.parse((await y.ym('prune', '--apply', '--json')).stdout);
  expect(pruned.orphans).toEqual(orphans);
  const told = (await y.ym('prune')).stdout;
  for (const ref of refs) expect(told).toContain(`unknown   ${ref}  ${commit}`);
  expect(
    y
      .git('for-each-ref', '--format=%(refname)', ...refs)
      .trim()
      .split('\n'),
  ).toEqual(refs);
  const doctor = flat((await y.ym('doctor')).stdout);
  expect(doctor).toContain('records, git and disk differ: 6 without a record; `ym ledger` lists');
});
