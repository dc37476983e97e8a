// Repositories, plans and the commands that are compared on them.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const main = process.env.BENCH_MAIN ?? here('../dist/main.js');
/** `main.js` of another version, which is measured in the same rounds. */
export const other = process.env.BENCH_OTHER && resolve(process.env.BENCH_OTHER);
export const agent = here('agent.sh');
const byHand = here('by-hand.sh');
const floor = here('floor.mjs');
const peak = here('peak.mjs');

const filesPerFolder = 50;
const linesPerFile = 24;

export function git(cwd, ...args) {
  const done = spawnSync('git', args, { cwd, encoding: 'utf8', maxBuffer: 2 ** 28 });
  if (done.status !== 0) throw new Error(`git ${args.join(' ')}: ${done.stderr}`);
  return done.stdout.trim();
}

/** A repository of so many small files in folders, with a config that runs the agent of the benchmark. */
export function makeRepository(dir, files) {
  mkdirSync(dir, { recursive: true });
  git(dir, 'init', '-q', '-b', 'main');
  for (const [name, value] of [
    ['user.name', 'Bench'],
    ['user.email', 'bench@example.com'],
    ['gc.auto', '0'],
  ]) {
    git(dir, 'config', name, value);
  }
  for (let n = 0; n < files; n += 1) {
    const folder = join(dir, 'src', `part-${Math.floor(n / filesPerFolder)}`);
    if (n % filesPerFolder === 0) mkdirSync(folder, { recursive: true });
    const line = (k) => `export const value_${n}_${k} = ${(n * 7919 + k * 104_729) % 1_000_003};\n`;
    const text = Array.from({ length: linesPerFile }, (_, k) => line(k)).join('');
    writeFileSync(join(folder, `file-${n}.ts`), text);
  }
  const profile = { use: 'command', command: ['sh', agent] };
  const config = {
    agent: 'bench',
    agents: { bench: profile },
    gate: { commands: ['true'] },
    // The cost of a task is measured, not the pace at which agents may start.
    spawn_rate: 16,
  };
  writeFileSync(join(dir, 'yardmaster.yaml'), JSON.stringify(config));
  git(dir, 'add', '-A');
  git(dir, 'commit', '-q', '-m', 'Start');
  git(dir, 'repack', '-adq');
  return dir;
}

/** A copy of its own for one measurement; its index knows its files, as that of a repository in use does. */
export function copyOf(repository, to) {
  cpSync(repository, to, { recursive: true, preserveTimestamps: true });
  git(to, 'status', '--porcelain');
  return to;
}

export function taskIds(count) {
  return Array.from({ length: count }, (_, index) => `t${index + 1}`);
}

export function writePlan(file, tasks) {
  writeFileSync(file, JSON.stringify({ tasks }));
  return file;
}

export function simpleTasks(ids) {
  return ids.map((id) => ({ id, title: `Task ${id}` }));
}

/** Layers of a hundred tasks; each waits for two of the layer before. */
export function layeredTasks(count) {
  const width = 100;
  return Array.from({ length: count }, (_, n) => ({
    id: `task-${n}`,
    title: `Do the thing number ${n}`,
    body: `What to do about number ${n}, and what done means.`,
    priority: n % 5,
    after:
      n < width ? [] : [`task-${n - width}`, `task-${n - width - (n % width) + ((n * 7) % width)}`],
  }));
}

export const ym = (...args) => [process.execPath, main, ...args];
export const otherYm = (...args) => [process.execPath, other, ...args];

/** The state folder beside the repository, as a run outside of the person's own home. */
export function ymEnv(repository) {
  return { YARDMASTER_STATE_DIR: `${repository}.state`, NO_COLOR: '1' };
}

const running = (plan, slots) => ['run', plan, '--jobs', String(slots), '--json'];

/** Ways to get the same tasks done; each is a command line for the folder of the repository. */
export const ways = {
  'by hand': (_plan, ids, slots) => ['bash', byHand, agent, String(slots), ...ids],
  floor: (_plan, ids, slots) => [process.execPath, floor, agent, String(slots), ...ids],
  ym: (plan, _ids, slots) => ym(...running(plan, slots)),
  ...(other === undefined
    ? {}
    : { 'ym, other': (plan, _ids, slots) => otherYm(...running(plan, slots)) }),
};

/** Throws unless every task's file is on the branch. */
export function checkLanded(repository, ids) {
  const landed = git(repository, 'ls-tree', '-r', '--name-only', 'main', 'work/').split('\n');
  if (landed.filter(Boolean).length !== ids.length) {
    throw new Error(`${landed.length} of ${ids.length} tasks landed in ${repository}`);
  }
}

/** A folder whose `git` notes that it was called, to be put first on the PATH. */
export function countingGit(dir) {
  mkdirSync(dir, { recursive: true });
  const log = join(dir, 'calls');
  writeFileSync(log, '');
  const real = spawnSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).stdout.trim();
  const script = `#!/bin/sh\necho "$*" >>'${log}'\nexec '${real}' "$@"\n`;
  writeFileSync(join(dir, 'git'), script, { mode: 0o755 });
  return {
    env: { PATH: `${dir}:${process.env.PATH}` },
    calls: () => readFileSync(log, 'utf8').split('\n').filter(Boolean),
  };
}

/** Environment under which the program writes its peak of memory into a file when it ends. */
export function peakEnv(file) {
  return { NODE_OPTIONS: `--import=${peak}`, BENCH_PEAK: file };
}
