// What one task costs beside its agent: three ways of doing the same, on a small and on a large repository.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { middle, rounds, timed } from './measure.mjs';
import {
  checkLanded,
  copyOf,
  countingGit,
  simpleTasks,
  taskIds,
  ways,
  writePlan,
  ymEnv,
} from './yard.mjs';

const slots = 3;

const tries = 5;

/**
 * Runs one way on a copy of its own and takes the copy away. By hand, `git worktree add` and `remove` side by side are in
 * each other's way now and then; such a round is repeated.
 */
function once(scratch, repository, way, plan, ids, env = {}) {
  for (let left = way === ways['by hand'] ? tries : 1; ; left -= 1) {
    const copy = copyOf(repository, join(scratch, 'copy'));
    const done = timed(scratch, way(plan, ids, slots), {
      cwd: copy,
      env: { ...ymEnv(copy), ...env },
      mayFail: left > 1,
    });
    if (done.code === 0) checkLanded(copy, ids);
    for (const end of ['', '.trees', '.state'])
      rmSync(`${copy}${end}`, { recursive: true, force: true });
    if (done.code === 0) return done;
  }
}

function figuresOf(scratch, files, repository, tasks, count) {
  const ids = taskIds(tasks);
  const plan = writePlan(join(scratch, `plan-${tasks}.json`), simpleTasks(ids));
  const contestants = Object.fromEntries(
    Object.entries(ways).map(([name, way]) => [
      name,
      () => once(scratch, repository, way, plan, ids),
    ]),
  );
  const results = rounds(count, contestants);
  return Object.entries(ways).map(([name, way]) => {
    const git = countingGit(join(scratch, `bin-${files}-${name.replace(' ', '-')}`));
    once(scratch, repository, way, plan, ids, git.env);
    return {
      files,
      tasks,
      way: name,
      wallMs: middle(results[name], 'wallMs') / tasks,
      cpuMs: middle(results[name], 'cpuMs') / tasks,
      git: git.calls().length / tasks,
    };
  });
}

/** Wall, processor time and git processes a task; the run's own start and end are shared out among the tasks. */
export function measureTasks(scratch, repositories, count) {
  return repositories.flatMap(({ files, dir, tasks }) => {
    const rows = figuresOf(scratch, files, dir, tasks, count);
    const floor = rows.find(({ way }) => way === 'floor');
    return rows.map((row) => ({ ...row, cpuToFloor: row.cpuMs / floor.cpuMs }));
  });
}
