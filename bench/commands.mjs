// Commands that people type, on a project with ten thousand tasks.
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { median, middle, rounds, timed } from './measure.mjs';
import { copyOf, layeredTasks, other, otherYm, peakEnv, writePlan, ym, ymEnv } from './yard.mjs';

export const many = 10_000;
const perRound = 3;

/** The programs by the name they have in the tables. */
const programs = { ym, ...(other === undefined ? {} : { 'ym, other:': otherYm }) };

export function measureCommands(scratch, repository, count) {
  const plan = writePlan(join(scratch, 'plan-many.json'), layeredTasks(many));
  const quickly = { 'node -e 0': () => timed(scratch, [process.execPath, '-e', '0']) };
  const slowly = {};
  for (const [n, [name, program]] of Object.entries(programs).entries()) {
    // Each has a store of its own: a newer one may keep it in another shape.
    const full = copyOf(repository, join(scratch, `full-${n}`));
    const here = (...args) => {
      return () => timed(scratch, program(...args), { cwd: full, env: ymEnv(full) });
    };
    here('import', plan, '--quiet')();
    quickly[`${name} --help`] = here('--help');
    quickly[`${name} status`] = here('status');
    slowly[`${name} import`] = () => {
      const copy = copyOf(repository, join(scratch, 'copy'));
      const argv = program('import', plan, '--quiet');
      const done = timed(scratch, argv, { cwd: copy, env: ymEnv(copy) });
      for (const end of ['', '.state']) rmSync(`${copy}${end}`, { recursive: true, force: true });
      return done;
    };
    slowly[`${name} plan`] = here('plan');
  }
  const quick = rounds(count * perRound, quickly);
  const slow = rounds(count, slowly);
  const node = middle(quick['node -e 0'], 'wallMs');
  return Object.entries({ ...quick, ...slow }).map(([command, results]) => {
    const wallMs = middle(results, 'wallMs');
    return { command, wallMs, cpuMs: middle(results, 'cpuMs'), toNode: wallMs / node };
  });
}

/** The most memory that the engine of a run has resident, with few tasks in the store and with many. */
export function measureMemory(scratch, repository, count) {
  return [10, many].flatMap((tasks) => {
    const plan = writePlan(join(scratch, `plan-${tasks}.json`), layeredTasks(tasks));
    const peak = (program) => () => {
      const copy = copyOf(repository, join(scratch, 'copy'));
      const env = ymEnv(copy);
      timed(scratch, program('import', plan, '--quiet'), { cwd: copy, env });
      const only = Array.from({ length: 6 }, (_, n) => ['--only', `task-${n}`]).flat();
      const file = join(scratch, 'peak');
      const argv = program('run', ...only, '--jobs', '3', '--quiet');
      timed(scratch, argv, { cwd: copy, env: { ...env, ...peakEnv(file) } });
      for (const end of ['', '.state']) rmSync(`${copy}${end}`, { recursive: true, force: true });
      return Number(readFileSync(file, 'utf8')) / 1024;
    };
    const contestants = Object.entries(programs).map(([name, program]) => [name, peak(program)]);
    const peaks = rounds(Math.min(count, 3), Object.fromEntries(contestants));
    return Object.entries(peaks).map(([program, values]) => {
      return { tasks, program, peakMb: median(values) };
    });
  });
}
