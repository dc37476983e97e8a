import { Dispatcher } from '../../src/engine/dispatcher.ts';
import type { CommandOf } from '../../src/model/command.ts';
import type { EventBody } from '../../src/model/event.ts';
import { fail, ok, type Result } from '../../src/model/failure.ts';
import type { Interruption, Job, JobEnd, KnownWorker } from '../../src/model/job.ts';
import { Trouble } from '../../src/model/trouble.ts';
import { Story, task } from '../story.ts';

/** Trouble of the database. */
export const away = { kind: 'store-busy', file: 'x', waitedMs: 1 } as const;

const unreachable = { kind: 'git-failed', args: ['push'], exit: 128, stderr: 'gone' } as const;

export const captured: Extract<JobEnd, { id: 'done' }> = {
  id: 'done',
  events: [
    {
      type: 'work-captured',
      run: 'r1',
      id: 'a',
      attempt: 1,
      commit: 'c2',
      tree: 'tc2',
      by: 'agent',
    },
  ],
  refs: [{ ref: 'refs/yard/keep/r1/a-1', commit: 'c2' }],
};

/** A dispatcher of run r1 whose workers answer from memory. */
export class DispatcherScene {
  readonly refs = new Map([
    ['refs/heads/main', 'c0'],
    ['refs/heads/yard/r1/a-1', 'c1'],
    ['refs/yard/held/r1/a-1', 'c0'],
  ]);
  /** Commits in the shared repository. */
  shared: string[] = [];
  known: KnownWorker[] = [];
  readonly jobs: Job[] = [];
  /** The worker of each job. */
  readonly takers: string[] = [];
  readonly asked: Interruption[] = [];
  readonly forgotten: string[] = [];
  readonly sent: string[] = [];
  /** Signals that end what is sent. */
  readonly pushes: (AbortSignal | undefined)[] = [];
  readonly performed: string[] = [];
  /** Result of a command that is performed here. */
  made: Result<readonly EventBody[]> = ok([]);
  /** True while the database does not answer. */
  isAway = false;
  /** True while the shared repository does not answer. */
  isRemoteGone = false;
  answer: (job: Job, signal: AbortSignal) => Promise<JobEnd | undefined> = async () => captured;
  readonly dispatcher = new Dispatcher({
    run: 'r1',
    target: 'main',
    version: '1',
    gates: { gate: { id: 'g', commands: [], timeoutMs: 1 } },
    sealed: (event) => event,
    clock: { now: () => 0, sleep: () => new Promise(() => {}) },
    here: async ({ type }) => {
      this.performed.push(type);
      return this.made;
    },
    courier: {
      send: async (commits, signal) => {
        this.pushes.push(signal);
        this.sent.push(...commits);
        if (this.isRemoteGone) throw new Trouble(unreachable);
      },
      keep: async () => {},
      kept: async () => [],
      fetch: async () => {},
      fetchAll: async () => {
        if (this.isRemoteGone) throw new Trouble(unreachable);
        for (const commit of this.shared) this.refs.set(commit, commit);
      },
      clear: async () => {},
    },
    files: {
      send: async () => ok(undefined),
      fetch: async () => ok(undefined),
      close: async () => {},
    },
    git: {
      commit: async (commit) => ({ commit, tree: `t${commit}`, parents: [], message: '' }),
      resolve: async (ref) => this.refs.get(ref),
      // Commits of these tests are named in their order.
      isAncestor: async (ancestor, descendant) => ancestor <= descendant,
      refs: async (prefix) =>
        [...this.refs].flatMap(([ref, commit]) =>
          ref.startsWith(prefix) ? [{ ref, commit }] : [],
        ),
      moveRefs: async (moves) => {
        for (const { ref, to } of moves) {
          if (to === undefined) this.refs.delete(ref);
          else this.refs.set(ref, to);
        }
        return { id: 'moved' };
      },
    },
    dispatch: {
      publish: async () => ok(undefined),
      workers: async () => (this.isAway ? fail(away) : ok(this.known)),
      perform: async (worker, job, signal) => {
        this.jobs.push(job);
        this.takers.push(worker);
        return ok(await this.answer(job, signal));
      },
      forget: async (_worker, id) => {
        this.forgotten.push(id);
        return ok(undefined);
      },
      interrupt: async (_worker, interruption) => {
        this.asked.push(interruption);
        return ok(undefined);
      },
      close: async () => {},
    },
  });
}

export function capture(worker: string | undefined): CommandOf<'capture'> {
  const story = new Story().tasks(task('a')).start().prepared('a').turn('a');
  const { task: one, attempt } = story.turnEnds('a', { ok: true, tail: '' }).task('a');
  if (attempt === undefined) throw new Error('a has no attempt');
  const at = worker === undefined ? attempt : { ...attempt, worker };
  return { type: 'capture', work: { task: one, attempt: at } };
}

export const judge = (
  candidate: string,
  labels: readonly string[] = [],
): CommandOf<'judge-candidate'> => ({
  type: 'judge-candidate',
  gate: { candidate, count: 1, slot: 0, commit: 'c1', tree: 't', tasks: ['a'], since: 1 },
  labels,
  checks: [],
  reds: [],
  confirmed: [],
  gateChangedTree: false,
});

export const joined = (silentMs: number, more: Partial<KnownWorker> = {}): KnownWorker => {
  const of = {
    id: 'w1',
    host: 'h',
    slots: 2,
    gates: 0,
    labels: [],
    version: '1',
    state: 'joined',
  } as const;
  return { ...of, silentMs, ...more };
};
