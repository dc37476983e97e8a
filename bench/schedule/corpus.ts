// Random graphs of tasks with durations, traits and files, from a seed: the same ones for every order.
import { newTask, type Task } from '../../src/model/task.ts';
import { Chance } from '../../test/simulation/chance.ts';

export const shapes = ['layered', 'random', 'epics', 'spine'] as const;
export type GraphShape = (typeof shapes)[number];

export interface SimTask {
  readonly task: Task;
  /** Agent time, which decisions cannot see. */
  readonly ms: number;
  /** Files that the agent changes. */
  readonly files: readonly string[];
}

export interface Wish {
  readonly seed: number;
  readonly shape: GraphShape;
  readonly count: number;
  /** Files of the repository, and how uneven they are: popularity is rank to the power of -`skew`. */
  readonly files?: { readonly count: number; readonly skew: number };
}

const medianMs = 8 * 60_000;
const filesPerTask = 4;

/** Effects of traits on the logarithm of a duration. With `restSpread` its standard deviation is 0.8. */
const difficulties = { easy: -0.75, medium: 0, hard: 0.75 } as const;
const types = { bug: -0.3, task: 0.3 } as const;
const restSpread = 0.42;

/** Traits explain 73 % of the variance of the logarithm of a duration; the rest is random. */
export function makeTasks({ seed, shape, count, files }: Wish): readonly SimTask[] {
  const [edges, times, paths] = [1, 2, 3].map((kind) => new Chance(seed * 8 + kind));
  if (edges === undefined || times === undefined || paths === undefined) throw new Error('chance');
  const pick = files === undefined ? () => '' : picker(files.count, files.skew, paths);
  return Array.from({ length: count }, (_, at): SimTask => {
    const difficulty = oneOf(['easy', 'medium', 'hard'] as const, times);
    const type = oneOf(['bug', 'task'] as const, times);
    const log = difficulties[difficulty] + types[type] + restSpread * gauss(times);
    const after = [...parentsOf(shape, at, count, edges)].map((n) => `t${n}`);
    const touched = Array.from({ length: files === undefined ? 0 : filesPerTask }, pick);
    return {
      task: newTask({ id: `t${at}`, title: `Task ${at}`, after, difficulty, type }),
      ms: Math.round(medianMs * Math.exp(log)),
      files: [...new Set(touched)],
    };
  });
}

function parentsOf(shape: GraphShape, at: number, count: number, chance: Chance): Set<number> {
  const parents = new Set<number>();
  switch (shape) {
    case 'layered': {
      const width = Math.round(Math.sqrt(count) * 1.2);
      const layer = Math.floor(at / width);
      for (let n = chance.between(1, 3); layer > 0 && n > 0; n -= 1) {
        parents.add((layer - 1) * width + chance.between(0, width - 1));
      }
      break;
    }
    case 'random':
      if (at === 0 || chance.next() < 0.5) break;
      for (let n = chance.between(1, 2); n > 0; n -= 1) parents.add(chance.between(0, at - 1));
      break;
    case 'epics':
      // Chains of six behind one task.
      if (at > 0) parents.add(at % 6 === 1 ? 0 : at - 1);
      break;
    case 'spine':
      // One chain among tasks that wait for nothing.
      if (at > 0 && at < count / 5) parents.add(at - 1);
      break;
  }
  return parents;
}

function picker(count: number, skew: number, chance: Chance): () => string {
  const weights = Array.from({ length: count }, (_, at) => (at + 1) ** -skew);
  const total = weights.reduce((sum, one) => sum + one, 0);
  return () => {
    let left = chance.next() * total;
    const at = weights.findIndex((weight) => {
      left -= weight;
      return left < 0;
    });
    return `src/f${at === -1 ? count - 1 : at}.ts`;
  };
}

function oneOf<T>(all: readonly [T, ...T[]], chance: Chance): T {
  return all[chance.between(0, all.length - 1)] ?? all[0];
}

function gauss(chance: Chance): number {
  return Math.sqrt(-2 * Math.log(1 - chance.next())) * Math.cos(2 * Math.PI * chance.next());
}

/** Least time that any order takes: the critical path, or all work spread evenly over the slots. */
export function boundOf(tasks: readonly SimTask[], slots: number): number {
  const ends = new Map<string, number>();
  for (const { task, ms } of tasks) {
    const begin = Math.max(0, ...task.after.map((parent) => ends.get(parent) ?? 0));
    ends.set(task.id, begin + ms);
  }
  const work = tasks.reduce((sum, { ms }) => sum + ms, 0);
  return Math.max(work / slots, ...ends.values());
}
