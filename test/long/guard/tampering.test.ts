// Agents that reach beyond their own worktree to get their work through: nothing of it lands, and it is said what they
// did.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { bug, flat, said, shell, shop, waiting } from '../../rig/project.ts';
import { type Action, commit, touch, waitFor, write } from '../../rig.ts';

const honest: readonly Action[] = [write('honest.txt', 'honest\n')];

/** Moves the target of the user to the commit of the agent. */
const take =
  'c=$(git rev-parse HEAD); cd "$YARD_PROJECT"; git fetch -q --no-write-fetch-head "$YARD_WORKTREE" "$c"; git update-ref refs/heads/main "$c"';

const takes: Readonly<Record<string, readonly Action[]>> = {
  'by moving the ref': [shell(take)],
  'by a push': [
    shell('git -C "$YARD_PROJECT" config receive.denyCurrentBranch ignore'),
    shell('git push -q -f "$YARD_PROJECT" HEAD:main'),
    shell('git -C "$YARD_PROJECT" config --unset receive.denyCurrentBranch'),
  ],
  'by a merge in the checkout': [
    shell('git -C "$YARD_PROJECT" pull -q --ff-only --no-rebase "$YARD_WORKTREE" HEAD'),
  ],
  'and leaves no trace of its own': [shell(`(${take}) && git reset -q --hard HEAD~1`)],
};

test.each(Object.entries(takes))(
  'an agent that takes the target %s is named, and nothing lands on top of that',
  async (how, actions) => {
    const y = shop({
      tasks: [{ id: 'a' }, { id: 'b' }],
      script: {
        a: [[waitFor('b'), bug, commit('Quick'), ...actions, touch('taken')]],
        b: [[touch('b'), waitFor('taken'), ...honest]],
      },
      leaves: waiting,
    });
    const before = y.tip();
    const run = await y.ym('run', y.plan);
    const words = flat(run.stdout) + (await said(y, 'a'));
    if (how === 'by a merge in the checkout') {
      // The checkout has followed, so only the user can put it right; until then nothing lands.
      expect(run.code).toBe(3);
      expect(y.landings()).toEqual({});
      expect(words).toContain('The agent of a moved the target itself');
      expect(words).toContain(`from ${before.slice(0, 7)} to ${y.tip().slice(0, 7)}`);
      y.git('reset', '-q', '--hard', before);
      await y.ym('resume');
    } else {
      expect(run.code).toBe(1);
      expect(words).toContain(`The agent moved the target from ${before.slice(0, 7)}`);
      expect(words).toContain('It was put back');
    }
    expect(y.landings()).toEqual({ b: 1 });
    expect(y.show('src/total.js')).toContain('sum + price');
    expect(y.git('status', '--porcelain')).toBe('');
  },
);

test('a target that was moved back stops the run before anything lands on it', async () => {
  const y = shop({
    tasks: [{ id: 'first' }, { id: 'a', after: ['first'] }, { id: 'b', after: ['first'] }],
    script: {
      first: [honest],
      a: [
        [
          write('a.txt', ''),
          commit('Work'),
          shell(
            'cd "$YARD_PROJECT"; git rev-parse main > ../stage/landed; git update-ref refs/heads/main main^1',
          ),
          touch('back'),
        ],
      ],
      b: [[waitFor('back'), write('b.txt', '')]],
    },
  });
  const run = await y.ym('run', y.plan);
  expect(run.code).toBe(3);
  expect(flat(run.stdout)).toContain('The target was moved back');
  expect(y.landings()).toEqual({});
  // The ledger misses what has landed, until the person puts it right.
  const landed = readFileSync(join(y.stage, 'landed'), 'utf8').trim();
  expect((await y.ym('ledger')).stdout).toContain(landed.slice(0, 7));
  y.git('reset', '-q', '--hard', landed);
  expect(await y.ym('resume')).toMatchObject({ code: 0 });
  expect(y.landings()).toEqual({ first: 1, a: 1, b: 1 });
});

test('an agent that works alone, takes the target and hides its own work is named', async () => {
  const y = shop({
    tasks: [{ id: 'a' }],
    script: {
      a: [[bug, commit('Quick'), shell(`(${take}) && git reset -q --hard HEAD~1`)]],
    },
    leaves: waiting,
  });
  const before = y.tip();
  const run = await y.ym('run', y.plan);
  expect(run.code).not.toBe(0);
  expect(flat(run.stdout) + (await said(y, 'a'))).toMatch(
    new RegExp(`The agent moved the target from ${before.slice(0, 7)} to \\w+\\. It was put back`),
  );
});

const hook = (name: string): Action =>
  shell(
    `f="$YARD_PROJECT/.git/hooks/${name}"; mkdir -p "$(dirname "$f")"; ` +
      `printf '#!/bin/sh\\ntouch "%s/ran-${name}"\\nexit 1\\n' "$YARD_PROJECT/../stage" > "$f"; chmod +x "$f"`,
  );

test('a git hook that was added never runs, is named, and its work waits for a person', async () => {
  const y = shop({
    tasks: [{ id: 'a' }],
    script: {
      a: [[...honest, hook('pre-commit'), hook('reference-transaction'), hook('post-checkout')]],
    },
    leaves: waiting,
  });
  const before = y.tip();
  expect(await y.ym('run', y.plan)).toMatchObject({ code: 1, stderr: '' });
  expect(y.tip()).toBe(before);
  const words = await said(y, 'a');
  for (const name of ['pre-commit', 'reference-transaction', 'post-checkout']) {
    expect(words).toContain(`The git hook ${name} was added`);
  }
  expect(await y.ym('approve', 'a')).toMatchObject({ code: 0 });
  expect(await y.ym('resume')).toMatchObject({ code: 0 });
  expect(y.landings()).toEqual({ a: 1 });
  for (const name of ['pre-commit', 'reference-transaction', 'post-checkout']) {
    expect({ name, ran: y.isSeen(`ran-${name}`) }).toEqual({ name, ran: false });
  }
});

test.each<[string, string, string]>([
  ['leads hooks elsewhere', 'git -C "$YARD_PROJECT" config core.hooksPath "$PWD/hooks"', 'config'],
  ['names a merge driver', 'git -C "$YARD_PROJECT" config merge.mine.driver "cp %B %A"', 'config'],
  [
    'sets attributes',
    'echo "* merge=ours" > "$YARD_PROJECT/.git/info/attributes"',
    'info/attributes',
  ],
])(
  'an agent that %s in the settings of the repository waits for a person',
  async (_what, line, file) => {
    const y = shop({
      tasks: [{ id: 'a' }],
      script: { a: [[...honest, shell(line)]] },
      leaves: waiting,
    });
    const before = y.tip();
    expect(await y.ym('run', y.plan)).toMatchObject({ code: 1, stderr: '' });
    expect(y.tip()).toBe(before);
    expect(await said(y, 'a')).toContain(`The repository's git settings were changed: ${file}`);
  },
);
