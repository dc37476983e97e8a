// Getting dependencies into a worktree: by the set-up command, by a copy, and by taking over what an earlier worktree
// left. Used by `bench/set-up.mjs`.
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gitCli } from '../src/git/cli.ts';
import type { Result } from '../src/model/failure.ts';
import { ok } from '../src/model/failure.ts';
import { supervisor } from '../src/process/supervisor.ts';
import { preparedOnDisk } from '../src/worktree/prepared-disk.ts';
import { nothingPrepared, type Prepared, setUp } from '../src/worktree/setup.ts';

const packages = 200;
const filesEach = 200;
const fileBytes = 7_500;
const command = 'npm install --no-package-lock --offline --no-audit --no-fund --loglevel=error';

export const size = {
  files: packages * filesEach,
  megabytes: Math.round((packages * filesEach * fileBytes) / 1024 ** 2),
};

/** A repository whose `npm install` unpacks all of it, without a network. */
function repository(dir: string): string {
  const [root, packs] = [join(dir, 'repo'), join(dir, 'packs')];
  mkdirSync(root, { recursive: true });
  mkdirSync(packs);
  const dependencies: Record<string, string> = {};
  for (let one = 0; one < packages; one += 1) {
    const name = `pack-${one}`;
    const folder = join(packs, 'package');
    for (let file = 0; file < filesEach; file += 1) {
      const into = join(folder, `lib-${file % 20}`);
      mkdirSync(into, { recursive: true });
      writeFileSync(join(into, `${file}.js`), randomBytes(fileBytes / 2).toString('hex'));
    }
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ name, version: '1.0.0' }));
    execFileSync('tar', ['-czf', `${name}.tgz`, 'package'], { cwd: packs });
    rmSync(folder, { recursive: true });
    dependencies[name] = `file:${join(packs, `${name}.tgz`)}`;
  }
  writeFileSync(join(root, 'package.json'), JSON.stringify({ private: true, dependencies }));
  writeFileSync(join(root, '.gitignore'), 'node_modules/\n');
  const git = (...args: string[]) => execFileSync('git', args, { cwd: root });
  git('init', '-q', '-b', 'main');
  git('add', '-A');
  git('-c', 'user.name=Bench', '-c', 'user.email=bench@example.com', 'commit', '-q', '-m', 'start');
  return root;
}

function must<T>(result: Result<T>): T {
  if (!result.ok) throw new Error(JSON.stringify(result.failure));
  return result.value;
}

/** One round in milliseconds. Every way fills a worktree of its own, but for the last, which uses one again. */
export async function contest(dir: string) {
  const git = gitCli(repository(dir));
  const processes = supervisor();
  const env = { ...process.env } as Record<string, string>;
  let made = 0;
  const tree = async (): Promise<string> => {
    made += 1;
    const worktree = join(dir, `tree-${made}`);
    await git.addWorktree(worktree, 'HEAD');
    return worktree;
  };
  let runs = 0;
  const fill = async (prepared: Prepared, worktree: string): Promise<number> => {
    runs += 1;
    const ports = { git, processes, prepared, copyFiles: async () => ok([]) };
    const bounds = { wallMs: 600_000, outputBytes: 1024 ** 2 };
    const logs = join(dir, 'logs', String(runs));
    const begin = performance.now();
    const at = { commands: [command], worktree, dir: logs, env, limits: bounds } as const;
    const of = { where: 'attempt', commit: 'HEAD', isJudged: false, isUnderWay: false } as const;
    must(await setUp(ports, { ...at, ...of }));
    return performance.now() - begin;
  };
  const round = async (name: string) => {
    const prepared = preparedOnDisk({ stateDir: dir, project: name });
    const plain = await tree();
    const setUpMs = await fill(nothingPrepared, plain);
    const first = await tree();
    const firstMs = await fill(prepared, first);
    const second = await tree();
    const newMs = await fill(prepared, second);
    await prepared.release(second);
    const third = await tree();
    const warmMs = await fill(prepared, third);
    const againMs = await fill(prepared, third);
    for (const used of [plain, first, second, third]) await git.removeWorktree(used);
    return { setUpMs, firstMs, newMs, warmMs, againMs };
  };
  return { round, close: () => git.close() };
}
