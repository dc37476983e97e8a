// Agents without a sandbox that move the target themselves, and people who do.
import { expect, test } from 'vitest';
import { said, shell, waiting } from '../rig/project.ts';
import { commit, testProject, touch, waitFor, write } from '../rig.ts';

const take =
  'c=$(git rev-parse HEAD); w=$PWD; cd "$YARD_PROJECT"; git fetch -q --no-write-fetch-head "$w" "$c"; git update-ref refs/heads/main "$c"';

for (const where of ['checked out', 'not checked out'] as const) {
  test(`a target that an agent takes is put back, and its commit kept (${where})`, async () => {
    const y = testProject({
      tasks: [{ id: 'a' }, { id: 'b' }],
      script: {
        a: [[waitFor('b'), write('a.txt', 'a\n'), commit('Quick'), shell(take), touch('taken')]],
        b: [[touch('b'), waitFor('taken'), write('b.txt', 'b\n')]],
      },
      config: { jobs: 2, sandbox: 'none', gate: { commands: ['true'] } },
      leaves: waiting,
    });
    const before = y.tip();
    if (where === 'not checked out') y.git('checkout', '-q', '-b', 'other');
    const run = await y.ym('run', '--target', 'main', y.plan);
    expect(y.landings()).toEqual({ b: 1 });
    expect(y.git('rev-parse', 'main~1').trim()).toBe(before);
    const kept = y.git('for-each-ref', '--format=%(objectname) %(refname)', 'refs/yard/keep');
    const [, commitOf, ref] = /^(\w+) (\S+\.target1)$/m.exec(kept) ?? [];
    expect(y.git('show', '-s', '--format=%s', commitOf ?? '')).toBe('Quick\n');
    const why = await said(y, 'a');
    expect(why).toContain(`The agent moved the target from ${before.slice(0, 7)}`);
    expect(why).toContain(ref);
    expect(y.git('status', '--porcelain')).toBe('');
    expect(run.stdout).toContain('The agent moved the target');
  });
}
