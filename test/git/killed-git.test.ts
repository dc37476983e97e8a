// Our own git processes, killed while they answer: never taken for an answer, nor for a fault of the agent's work.
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { gitCli } from '../../src/git/cli.ts';
import { machineCauseOf } from '../../src/model/machine-cause.ts';
import { outcomeOf } from '../../src/model/trouble.ts';
import type { Git } from '../../src/port/git.ts';
import { type TempRepo, tempRepo } from './temp-repo.ts';

let repo: TempRepo;
let git: Git;
let dir: string;

beforeEach(async () => {
  repo = tempRepo({ 'a.txt': 'a\n', '.gitignore': 'out/\n' });
  dir = join(repo.base, 'pool', 'ym-r-1');
  git = gitOnPath();
  await git.addWorktree(dir, 'main', { empty: true });
  await git.point(dir, 'main', 'yard/r/t-1');
});
afterEach(async () => {
  await git.close();
});

const plan = (): string => join(repo.base, 'kill');

/** A git on PATH that runs a script instead of the subcommand that the file `kill` names. */
function gitOnPath(): Git {
  const bin = join(repo.base, 'bin');
  mkdirSync(bin);
  const real = `${repo.git('--exec-path').trim()}/git`;
  const script = `#!/bin/sh
if [ -s '${plan()}' ]; then
  { read -r verb; read -r how; } < '${plan()}'
  case " $* " in *" $verb "*) eval "$how";; esac
fi
exec '${real}' "$@"
`;
  writeFileSync(join(bin, 'git'), script);
  chmodSync(join(bin, 'git'), 0o755);
  return gitCli(repo.root, { ...process.env, PATH: `${bin}:${process.env.PATH}` });
}

const kill = (verb: string, how = 'kill -9 $$'): void => writeFileSync(plan(), `${verb}\n${how}\n`);
const heal = (): void => rmSync(plan());

/** The failure of a call, which must name the signal. */
async function expectKilled(call: Promise<unknown>): Promise<void> {
  const result = await call;
  expect(result).toMatchObject({ ok: false, failure: { kind: 'git-failed' } });
  const { stderr } = (result as { failure: { stderr: string } }).failure;
  expect(machineCauseOf(stderr)).toBe('signal');
}

function commitOfAgent(text: string): string {
  writeFileSync(join(dir, 'a.txt'), text);
  repo.gitIn(dir, 'commit', '-qam', text);
  return repo.gitIn(dir, 'rev-parse', 'HEAD').trim();
}

describe('a killed git', () => {
  it.each(['pack-objects', 'unpack-objects'])(
    'that brings in commits of the agent does not make them count as damaged: %s',
    async (verb) => {
      const commit = commitOfAgent('work');
      kill(verb);
      await expectKilled(outcomeOf(git.headOf(dir)));
      heal();
      expect(await git.headOf(dir)).toBe(commit);
    },
  );

  it('whose shim reports the signal as exit status counts as killed too', async () => {
    kill('rev-list', 'exit 137');
    await expectKilled(outcomeOf(git.missing('main', [repo.git('rev-parse', 'main').trim()])));
  });

  it('that reads the agent’s index does not make it look empty', async () => {
    mkdirSync(join(dir, 'out'));
    writeFileSync(join(dir, 'out', 'work.txt'), 'work\n');
    repo.gitIn(dir, 'add', '-f', 'out/work.txt');
    kill('ls-files');
    await expectKilled(outcomeOf(git.status(dir)));
    heal();
    expect((await git.status(dir)).dirty).toBe(true);
  });

  it('that asks for the identity does not make it look missing', async () => {
    kill('var');
    await expectKilled(outcomeOf(git.identity()));
  });

  it('that tells its version does not make the repository look missing', async () => {
    const other = gitCli(repo.root, {
      ...process.env,
      PATH: `${join(repo.base, 'bin')}:${process.env.PATH}`,
    });
    kill('version');
    await expectKilled(outcomeOf(other.inspect()));
    await other.close();
  });

  it('that pushes is not a refusal of the remote', async () => {
    repo.git('init', '-q', '--bare', '../remote.git');
    kill('push');
    await expectKilled(
      outcomeOf(git.push('../remote.git', [{ from: 'main', to: 'refs/heads/x' }])),
    );
  });

  it('that compares histories is not an answer', async () => {
    const main = repo.git('rev-parse', 'main').trim();
    repo.git('checkout', '-q', '--orphan', 'other');
    const other = repo.commit('other');
    kill('merge-base');
    await expectKilled(outcomeOf(git.isAncestor(main, other)));
    await expectKilled(outcomeOf(git.mergeBase(main, other)));
    heal();
    expect(await git.isAncestor(main, other)).toBe(false);
  });

  it('that reads objects is started again, and a second kill is not a missing object', async () => {
    await git.close();
    kill('cat-file', `echo x >> '${join(repo.base, 'starts')}'; kill -9 $$`);
    await expectKilled(outcomeOf(git.resolve('main')));
    expect(readFileSync(join(repo.base, 'starts'), 'utf8')).toBe('x\nx\n');
    heal();
    expect(await git.resolve('main')).toBe(repo.git('rev-parse', 'main').trim());
  });

  it('that looks at a half-written file of a landing does not make it the user’s', async () => {
    repo.git('config', 'filter.up.smudge', 'tr a-z A-Z');
    repo.git('config', 'filter.up.clean', 'tr A-Z a-z');
    repo.write('.gitattributes', 'a.txt filter=up\n');
    const start = repo.commit('attributes');
    repo.write('a.txt', 'a long new line\n');
    const next = repo.commit('next');
    repo.git('reset', '-q', '--hard', start);
    const thenKill = `printf 'cat-file --filters\\nkill -9 $$\\n' > '${plan()}'`;
    kill(
      'merge --ff-only',
      `: > "$GIT_INDEX_FILE.lock"; printf 'A LONG' > a.txt; ${thenKill}; kill -9 $$`,
    );
    await expectKilled(outcomeOf(git.fastForward(repo.root, 'main', next)));
    heal();
    expect(await git.fastForward(repo.root, 'main', next)).toEqual({ id: 'moved' });
    expect(repo.git('status', '--porcelain')).toBe('');
    expect(existsSync(join(repo.root, '.git', 'yardmaster-landing'))).toBe(false);
  });
});
