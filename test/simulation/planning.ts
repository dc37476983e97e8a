import type { Say } from './invariants.ts';
import type { World } from './world.ts';

/** Every planner call has one end, no two run at once, and runs with one slot have none; see `plan/batch.ts`. */
export function plannedOnce({ events, jobs, processes }: World, say: Say): void {
  const open = new Map<string, number>();
  for (const event of events) {
    if (event.type === 'planner-started') {
      if (open.has(event.run)) say(`planner call ${event.call} starts during another one`);
      open.set(event.run, event.call);
    }
    if (event.type === 'batch-planned' && event.call !== undefined) {
      if (open.get(event.run) !== event.call) say(`planner call ${event.call} has two ends`);
      open.delete(event.run);
    }
    if (event.type === 'run-ended' && event.stop.reason !== 'died' && open.has(event.run)) {
      say(`a planner call outlives the run ${event.run}`);
    }
  }
  const calls = processes.starts.filter(({ dir }) => dir.endsWith('/planner'));
  const isAlone = jobs === 1 && !events.some(({ type }) => type === 'slots-changed');
  if (isAlone && calls.length > 0) say('a planner works for one slot');
  const names = calls.map(({ dir, name }) => `${dir}/${name}`);
  if (new Set(names).size < names.length) say('a planner call was started twice');
}

/** Every revision has one end and no two run at once. */
export function revisedOnce({ events, processes }: World, say: Say): void {
  const open = new Map<string, number>();
  for (const event of events) {
    if (event.type === 'revision-started') {
      if (open.has(event.run)) say(`revision ${event.call} starts during another one`);
      open.set(event.run, event.call);
    }
    if (event.type === 'plan-proposed') {
      if (open.get(event.run) !== event.call) say(`revision ${event.call} has two ends`);
      open.delete(event.run);
    }
    if (event.type === 'run-ended' && event.stop.reason !== 'died' && open.has(event.run)) {
      say(`a revision outlives the run ${event.run}`);
    }
  }
  const calls = processes.starts.filter(({ dir }) => dir.endsWith('/revisions'));
  const names = calls.map(({ dir, name }) => `${dir}/${name}`);
  if (new Set(names).size < names.length) say('a revision was started twice');
}
