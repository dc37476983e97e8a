// How long given durations take on three slots, against the least that is possible and against `xargs -P`.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { middle, rounds, timed } from './measure.mjs';
import { copyOf, simpleTasks, taskIds, ways, writePlan, ymEnv } from './yard.mjs';

const slots = 3;
/** Eighteen agents, short and long ones mixed, in seconds. */
const seconds = [1.5, 0.5, 3.5, 1, 2, 0.5, 5.5, 1, 1.5, 2.5, 0.5, 4, 1, 1.5, 0.5, 3, 1, 2];

export function measureMakespan(scratch, repository, count) {
  const ids = taskIds(seconds.length);
  const tasks = simpleTasks(ids);
  const plan = writePlan(join(scratch, 'plan-makespan.json'), tasks);
  // Only their proportions matter, and minutes are the smallest unit of an estimate.
  const estimated = tasks.map((task, n) => ({ ...task, estimate: `${seconds[n] * 10}m` }));
  const known = writePlan(join(scratch, 'plan-estimates.json'), estimated);
  const words = ids.map((id, n) => `${id}=${seconds[n]}`).join(' ');
  const sum = seconds.reduce((total, one) => total + one, 0);
  const boundMs = Math.max(sum / slots, ...seconds) * 1000;
  const contestant = (way, plan) => () => {
    const copy = copyOf(repository, join(scratch, 'copy'));
    const env = { ...ymEnv(copy), BENCH_SECONDS: words };
    const done = timed(scratch, way(plan, ids, slots), { cwd: copy, env });
    for (const end of ['', '.trees', '.state'])
      rmSync(`${copy}${end}`, { recursive: true, force: true });
    return done;
  };
  const blind = Object.keys(ways).filter((name) => name !== 'floor');
  const withEstimates = 'ym, estimates';
  const names = [...blind, withEstimates];
  const results = rounds(count, {
    ...Object.fromEntries(blind.map((name) => [name, contestant(ways[name], plan)])),
    [withEstimates]: contestant(ways.ym, known),
  });
  return names.map((way) => {
    const wallMs = middle(results[way], 'wallMs');
    if (wallMs < boundMs) throw new Error(`${way}: ${wallMs} ms is less than ${boundMs} ms`);
    return { way, wallMs, boundMs, toBound: wallMs / boundMs };
  });
}
