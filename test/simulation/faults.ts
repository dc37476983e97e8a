import { type Failure, fail } from '../../src/model/failure.ts';
import { Trouble } from '../../src/model/trouble.ts';
import type { Store } from '../../src/port/store.ts';
import type { ManualClock } from '../memory/clock.ts';
import type { MemoryGit } from '../memory/git.ts';
import type { Chance } from './chance.ts';

const messages = [
  'fatal: write error: No space left on device',
  'error: insufficient permission for adding an object to repository database .git/objects',
  "fatal: Unable to create '/repo/.git/index.lock': File exists.",
  'fatal: Read-only file system',
];
const nearlyFull = { kind: 'no-space', dir: '/', unit: 'bytes', free: 0, needed: 1 } as const;

/** Calls of the git port that write. */
const writes = new Set([
  'addWorktree',
  'removeWorktree',
  'point',
  'exactly',
  'setAside',
  'commitAll',
  'beginMerge',
  'commitTree',
  'moveRefs',
  'merge',
]);

/** Times in which git cannot write and the disk is nearly full: a full disk, missing permissions, a lock. */
export class MachineFaults {
  readonly #clock: ManualClock;
  readonly #times: readonly {
    readonly from: number;
    readonly to: number;
    readonly failure: Failure;
  }[];

  constructor(chance: Chance, clock: ManualClock) {
    this.#clock = clock;
    this.#times = Array.from({ length: chance.pick([0, 0, 1, 3]) }, () => {
      const from = clock.now() + chance.between(0, 20_000);
      const to = from + chance.between(100, chance.pick([2_000, 20_000, 150_000]));
      const stderr = chance.pick(messages);
      return { from, to, failure: { kind: 'git-failed', args: ['x'], exit: 128, stderr } as const };
    });
  }

  #now(): Failure | undefined {
    const now = this.#clock.now();
    return this.#times.find(({ from, to }) => from <= now && now < to)?.failure;
  }

  /** The disk that is nearly full. */
  space(): Failure | undefined {
    return this.#now() === undefined ? undefined : nearlyFull;
  }

  /** Git that cannot write while the machine fails. */
  git(git: MemoryGit): MemoryGit {
    return new Proxy(git, {
      get: (target, member) => {
        const value: unknown = Reflect.get(target, member);
        if (typeof value !== 'function') return value;
        return (...args: unknown[]) => {
          const failure = writes.has(String(member)) ? this.#now() : undefined;
          return failure === undefined
            ? value.apply(target, args)
            : Promise.reject(new Trouble(failure));
        };
      },
    });
  }
}

/** A store that sometimes stores events but reports busy, as if the answer was lost. */
export function forgetful<Known extends Pick<Store, 'append'>>(
  store: Known,
  chance: Chance,
): Known {
  return new Proxy(store, {
    get: (target, member) => {
      const value: unknown = Reflect.get(target, member);
      if (typeof value !== 'function') return value;
      if (member !== 'append') return value.bind(target);
      return async (...args: Parameters<Store['append']>) => {
        if (chance.happens(0.01)) return fail({ kind: 'store-busy', file: 'x', waitedMs: 1 });
        const stored = await target.append(...args);
        const lost = chance.happens(0.01);
        return lost ? fail({ kind: 'store-busy', file: 'x', waitedMs: 1 }) : stored;
      };
    },
  });
}
