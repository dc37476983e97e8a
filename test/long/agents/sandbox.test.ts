// Real agents in our sandbox, with their own turned off.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { cliNames, eachCli } from '../../agents/clis.ts';
import { stage } from '../../agents/stage.ts';
import { hasSandbox } from '../../rig/sandbox.ts';

const complete = 'All done.\nCOMPLETE_AND_READY_FOR_MERGE';

eachCli('an agent in our sandbox', cliNames, (name) => {
  it.runIf(hasSandbox)('commits, and its conversation goes on', async () => {
    const work =
      'cat /proc/1/comm >first.txt; echo x >"$HOME/.bashrc"; git add -A; git commit -qm one';
    const turns = [
      [{ run: work }, { say: complete }],
      [{ run: 'git commit -q --allow-empty -m two' }, { say: complete }],
    ];
    const s = await stage(name, { turns }, { inSandbox: true });
    const git = (...args: string[]) =>
      execFileSync('git', args, { cwd: s.worktree, encoding: 'utf8' });
    git('config', 'user.name', 'x');
    git('config', 'user.email', 'x@example.invalid');
    const first = await s.play();
    expect(first.result, first.out).toMatchObject({ ok: true, signal: { id: 'complete' } });
    expect(readFileSync(join(s.worktree, 'first.txt'), 'utf8')).toBe('bwrap\n');
    const { session } = first.result;
    const second = await s.play(session === undefined ? {} : { session });
    expect(second.result, second.out).toMatchObject({ ok: true, signal: { id: 'complete' } });
    expect(git('log', '--format=%s').trim()).toBe('two\none');
    expect(() => readFileSync(join(s.around.env.HOME ?? '', '.bashrc'))).toThrow('ENOENT');
  });
});
