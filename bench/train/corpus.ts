// Branches that are ready to land, made by chance from a seed: the same ones for every policy.
import type { Priority } from '../../src/model/task.ts';
import { Chance } from '../../test/simulation/chance.ts';

/** One run of the gate, and the unit in which times are told. */
export const GATE_MS = 4 * 60_000;

export interface Branch {
  readonly index: number;
  readonly arrivesAt: number;
  /** Red by itself, wherever it lands. */
  readonly bad: boolean;
  /** Branches it is red together with, although each is green alone. */
  readonly foes: readonly number[];
  /** Branches it does not merge with. */
  readonly clashes: readonly number[];
  readonly files: readonly string[];
  readonly priority: Priority;
}

export interface Corpus {
  readonly branches: readonly Branch[];
  /** How long the gate takes when it runs for the nth time. */
  readonly gateMs: (nth: number) => number;
}

export interface Wish {
  readonly seed: number;
  readonly count: number;
  /** Chance that a branch is bad by itself. */
  readonly f: number;
  /** Chance that a given pair is red together. */
  readonly q: number;
  /** Branches an hour, by chance; all are there from the start where absent. */
  readonly perHour?: number;
  /** Gates take from half to one and a half of the usual time. */
  readonly uneven?: boolean;
  /** Chance that two branches do not merge which change the same file. */
  readonly clash?: number;
  /** Files that branches change some of. */
  readonly files?: number;
  readonly priority?: (index: number) => Priority;
  readonly arrivesAt?: (index: number) => number;
}

/** Kinds of chance have a generator each: to ask for more of one leaves the others as they were. */
export function makeCorpus(wish: Wish): Corpus {
  const { seed, count, f, q, perHour, clash = 0, files = 200 } = wish;
  const [badness, pairs, paths, time] = [1, 2, 3, 4].map((kind) => new Chance(seed * 16 + kind));
  if (badness === undefined || pairs === undefined || paths === undefined || time === undefined) {
    throw new Error('no chance');
  }
  const touched = Array.from({ length: count }, () =>
    Array.from({ length: paths.between(1, 4) }, () => `f${paths.between(1, files)}`),
  );
  const foes = somePairs(count, q, pairs);
  const clashes = clash === 0 ? foes.map(() => []) : clashing(touched, clash, paths);
  let now = 0;
  const branches = touched.map((names, index): Branch => {
    if (perHour !== undefined) now += (-Math.log(1 - time.next()) * 3600_000) / perHour;
    return {
      index,
      arrivesAt: wish.arrivesAt?.(index) ?? Math.ceil(now),
      bad: badness.happens(f),
      foes: foes[index] ?? [],
      clashes: clashes[index] ?? [],
      files: [...new Set(names)].sort(),
      priority: wish.priority?.(index) ?? 2,
    };
  });
  const gateMs = (nth: number): number =>
    wish.uneven === true ? GATE_MS * (0.5 + new Chance(seed * 4096 + nth).next()) : GATE_MS;
  return { branches, gateMs };
}

/** Each pair with the same chance, without a look at every pair: the distance to the next one is drawn. */
function somePairs(count: number, q: number, chance: Chance): number[][] {
  const found: number[][] = Array.from({ length: count }, () => []);
  if (q <= 0) return found;
  let a = 1;
  let b = -1;
  for (;;) {
    b += 1 + Math.floor(Math.log(1 - chance.next()) / Math.log(1 - q));
    while (a < count && b >= a) {
      b -= a;
      a += 1;
    }
    if (a >= count) return found;
    found[a]?.push(b);
    found[b]?.push(a);
  }
}

function clashing(touched: readonly (readonly string[])[], p: number, chance: Chance): number[][] {
  const found: number[][] = touched.map(() => []);
  touched.forEach((names, a) => {
    touched.slice(0, a).forEach((others, b) => {
      if (!names.some((name) => others.includes(name)) || !chance.happens(p)) return;
      found[a]?.push(b);
      found[b]?.push(a);
    });
  });
  return found;
}

/** Whether a tree that is green turns red once the branch is in it as well. */
export function turnsRed(branch: Branch | undefined, tree: ReadonlySet<number>): boolean {
  return branch !== undefined && (branch.bad || branch.foes.some((foe) => tree.has(foe)));
}

/** Whether a tree is red with these on top of it, given that it is green without them. */
export function redWith(
  { branches }: Corpus,
  tree: ReadonlySet<number>,
  added: readonly number[],
): boolean {
  const others = new Set(added);
  return added.some((index) => {
    const branch = branches[index];
    return turnsRed(branch, tree) || turnsRed(branch, others);
  });
}

/** Whether a tree of these is red. More branches never make a red tree green. */
export function isRed(corpus: Corpus, tree: ReadonlySet<number>): boolean {
  return redWith(corpus, new Set(), [...tree]);
}
