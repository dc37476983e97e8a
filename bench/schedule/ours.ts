// Decisions of the real engine on a graph: fold, ready queue, leases and clock. Only agents are simulated.
import type { Forecast } from '../../src/model/forecast.ts';
import { Chance } from '../../test/simulation/chance.ts';
import { Story } from '../../test/story.ts';
import type { SimTask } from './corpus.ts';

/** Chance that work conflicts with overlapping work that landed since it started, and the share that is done again. */
const conflictChance = 0.4;
const redone = 0.5;

export interface OurRun {
  readonly slots: number;
  readonly seed: number;
  readonly forecast?: Forecast;
  /** True if overlapping work conflicts. */
  readonly conflicts?: boolean;
}

export interface OurOutcome {
  readonly ms: number;
  readonly conflicts: number;
}

interface Working {
  readonly one: SimTask;
  readonly slot: number;
  readonly begin: number;
  end: number;
}

/** Runs all tasks to their landing, and returns the time that it took. */
export function ourRun(tasks: readonly SimTask[], how: OurRun): OurOutcome {
  const { slots: jobs, seed, forecast, conflicts: mayConflict = false } = how;
  const chance = new Chance(seed);
  const byId = new Map(tasks.map((one) => [one.task.id, one]));
  const story = new Story();
  const begin = story.now;
  for (const { task } of tasks) {
    story.now = begin;
    story.tasks(task);
  }
  story.start({ jobs, forecast });
  story.now = begin;
  const landed: { readonly at: number; readonly files: ReadonlySet<string> }[] = [];
  let working: Working[] = [];
  let conflicts = 0;
  let now = begin;
  while (landed.length < tasks.length) {
    story.now = now;
    for (const command of story.decide().commands) {
      const one = command.type === 'claim' ? byId.get(command.id) : undefined;
      if (one === undefined || command.type !== 'claim') continue;
      working.push({ one, slot: command.slot, begin: now, end: now + one.ms });
      story.prepared(command.id, command.slot);
    }
    const [first] = working.sort((a, b) => a.end - b.end);
    if (first === undefined) throw new Error('nothing is at work');
    now = first.end;
    const { task, files, ms } = first.one;
    const clash = landed.some(
      ({ at, files: theirs }) =>
        at > first.begin &&
        files.some((file) => theirs.has(file)) &&
        chance.next() < conflictChance,
    );
    if (mayConflict && clash) {
      conflicts += 1;
      working = [...working.slice(1), { ...first, begin: now, end: now + ms * redone }];
      continue;
    }
    working = working.slice(1);
    story.now = now;
    const changes = { files, count: files.length, added: 1, removed: 0 };
    story.works(task.id, first.slot, { changes }).judged(task.id, true);
    story.built(task.id).candidateJudged(true).lands();
    landed.push({ at: now, files: new Set(files) });
  }
  return { ms: now - begin, conflicts };
}
