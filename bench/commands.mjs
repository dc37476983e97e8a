// Commands that people type, on a project with ten thousand tasks.
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { median, middle, rounds, timed } from './measure.mjs';
import { copyOf, layeredTasks, peakEnv, writePlan, ym, ymEnv } from './yard.mjs';

export const many = 10_000;
const perRound = 3;

export function measureCommands(scratch, repository, count) {
  const plan = writePlan(join(scratch, 'plan-many.json'), layeredTasks(many));
  const full = copyOf(repository, join(scratch, 'full'));
  const here = (argv) => () => timed(scratch, argv, { cwd: full, env: ymEnv(full) });
  const importing = () => {
    const copy = copyOf(repository, join(scratch, 'copy'));
    const done = timed(scratch, ym('import', plan, '--quiet'), { cwd: copy, env: ymEnv(copy) });
    rmSync(copy, { recursive: true, force: true });
    return done;
  };
  timed(scratch, ym('import', plan, '--quiet'), { cwd: full, env: ymEnv(full) });
  const quick = rounds(count * perRound, {
    'node -e 0': here([process.execPath, '-e', '0']),
    'ym --help': here(ym('--help')),
    'ym status': here(ym('status')),
  });
  const slow = rounds(count, { 'ym import': importing, 'ym plan': here(ym('plan')) });
  const node = middle(quick['node -e 0'], 'wallMs');
  return Object.entries({ ...quick, ...slow }).map(([command, results]) => {
    const wallMs = middle(results, 'wallMs');
    return { command, wallMs, toNode: wallMs / node };
  });
}

/** The most memory that the engine of a run has resident, with few tasks in the store and with many. */
export function measureMemory(scratch, repository, count) {
  return [10, many].map((tasks) => {
    const plan = writePlan(join(scratch, `plan-${tasks}.json`), layeredTasks(tasks));
    const peaks = [];
    for (let round = 0; round < Math.min(count, 3); round += 1) {
      const copy = copyOf(repository, join(scratch, 'copy'));
      const env = ymEnv(copy);
      timed(scratch, ym('import', plan, '--quiet'), { cwd: copy, env });
      const only = Array.from({ length: 6 }, (_, n) => ['--only', `task-${n}`]).flat();
      const file = join(scratch, 'peak');
      const argv = ym('run', ...only, '--jobs', '3', '--quiet');
      timed(scratch, argv, { cwd: copy, env: { ...env, ...peakEnv(file) } });
      peaks.push(Number(readFileSync(file, 'utf8')) / 1024);
      for (const end of ['', '.state']) rmSync(`${copy}${end}`, { recursive: true, force: true });
    }
    return { tasks, peakMb: median(peaks) };
  });
}
