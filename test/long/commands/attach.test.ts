// A person who pauses an agent and works in its worktree, on a real terminal made by `script` of util-linux.
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { shell } from '../../rig/project.ts';
import { hang, testProject, touch, until, write } from '../../rig.ts';

const hasScript = spawnSync('script', ['--version'], { encoding: 'utf8' }).stdout?.includes(
  'util-linux',
);
// reason: only util-linux has a `script` that gives the exit status back; other systems have another one.
const terminalTest = test.skipIf(!hasScript);

terminalTest(
  'a person works in the worktree of a paused agent, which goes on when they leave or vanish',
  async () => {
    const y = testProject({
      config: { jobs: 1 },
      tasks: [{ id: 'a' }],
      script: {
        a: [
          [write('a.txt', 'a\n'), touch('first'), hang],
          [touch('second'), hang],
          [write('b.txt', 'b\n')],
        ],
      },
    });
    const shell = join(y.stage, 'shell');
    const says = `echo "shell in $PWD"; echo person > person.txt; while [ ! -e '${y.stage}/leave' ]; do sleep 0.1; done`;
    writeFileSync(shell, `#!/bin/sh\n${says}\n`);
    chmodSync(shell, 0o755);
    const run = y.start('run', y.plan);
    await y.seen('first');
    const piped = await y.ym('attach', 'a');
    expect(piped).toMatchObject({ code: 2, stderr: expect.stringContaining('no terminal') });
    const orderly = y.terminal(`SHELL='${shell}' ym attach a`);
    await until(() => orderly.output().includes('shell in '), 'the first shell');
    expect(orderly.output()).toMatch(/Interrupting the agent of a[\s\S]*Opening your shell in/);
    expect((await y.ym('why', 'a')).stdout).toContain('held by you');
    expect((await y.ym('status')).stdout).toContain('held by you (ym attach)');
    y.signal('leave');
    expect(await orderly.end()).toBe(0);
    expect(orderly.output()).toContain('You left a; the run continues with it.');
    await y.seen('second');
    rmSync(join(y.stage, 'leave'));
    const killed = y.terminal(`SHELL='${shell}' ym attach a`);
    await until(() => killed.output().includes('shell in '), 'the second shell');
    const holders = (await y.events()).flatMap((event) =>
      event.type === 'task-decided' && event.decision.kind === 'hold'
        ? [event.decision.by.pid]
        : [],
    );
    process.kill(holders.at(-1) ?? 0, 'SIGKILL');
    expect(await run.end()).toMatchObject({ code: 0 });
    y.signal('leave');
    await killed.end();
    expect(y.landings()).toEqual({ a: 1 });
    const files = ['a.txt', 'person.txt', 'b.txt'].map((file) => y.show(file));
    expect(files).toEqual(['a\n', 'person\n', 'b\n']);
    expect((await y.task('a')).attempts).toBe(1);
  },
);

terminalTest('a shell in the folder of an attempt runs nothing that the agent set up', async () => {
  const y = testProject({
    config: { jobs: 1 },
    tasks: [{ id: 'a' }],
    script: {
      a: [
        [
          shell(`printf '#!/bin/sh\\necho "$PWD" >>"%s"\\n' "$HOME/ran" >"$HOME/planted" && chmod +x "$HOME/planted"
            git config core.fsmonitor "$HOME/planted" && cp "$HOME/planted" "$(git rev-parse --git-dir)/hooks/pre-commit"
            git init -q sub && git -C sub -c user.name=x -c user.email=x@x.invalid commit -q --allow-empty -m x && git add sub
            git -C sub config core.fsmonitor "$HOME/planted" && rm -f "$HOME/ran"`),
          touch('first'),
          hang,
        ],
        [shell('rm -rf sub && git rm -q --cached sub'), write('b.txt', 'b\n')],
      ],
    },
  });
  const person = join(y.stage, 'shell');
  writeFileSync(
    person,
    '#!/bin/sh\nexport GIT_PAGER=cat\ngit status; git diff; echo x >c.txt; git add -A; git commit -qm "by hand"; git log -1\n',
  );
  chmodSync(person, 0o755);
  const run = y.start('run', y.plan);
  await y.seen('first');
  const session = y.terminal(`SHELL='${person}' ym attach a`);
  expect(await session.end()).toBe(0);
  expect(session.output()).toMatch(
    /The agent changed git settings or hooks of this folder. They were reset; its versions are in \S+/,
  );
  expect(session.output()).toContain('by hand');
  expect(existsSync(join(y.home, 'ran'))).toBe(false);
  expect(await run.end()).toMatchObject({ code: 0 });
  expect(y.landings()).toEqual({ a: 1 });
});
