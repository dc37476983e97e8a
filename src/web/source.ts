import { statSync } from 'node:fs';
import { basename } from 'node:path';
import { quarantinedChecksIn } from '../app/flakes.ts';
import { Follower } from '../app/follower.ts';
import type { Opened, Project } from '../app/ports.ts';
import type { RunStep } from '../app/run-steps.ts';
import { type Failure, fail, ok, type Result } from '../model/failure.ts';
import { settled } from '../model/trouble.ts';
import type { QuarantinedCheck } from '../report/view/check.ts';
import type { View } from '../report/view/view.ts';

const checksMs = 5_000;
const stepsKept = 1_000;

/** The records of a project in memory. */
export interface Reading {
  readonly opened: Opened;
  readonly follower: Follower;
  /** The same object until it is made again. In a large project, that happens less often than it is asked for. */
  view(): View;
  /** Time of the newest event; undefined in an empty log. */
  lastAt(): number | undefined;
}

/** New steps since the last request for them. `isNew`: the store is another one, so nothing of it was known. */
interface News {
  readonly steps: readonly RunStep[];
  readonly isNew: boolean;
}

/**
 * A project that is read again and again. Its store need not exist yet, and may be replaced at any time: then it is
 * opened again.
 */
export class Source {
  readonly project: Project;
  readonly name: string;
  #reading: (Reading & { readonly file: string }) | undefined;
  #checks: { readonly until: number; readonly found: readonly QuarantinedCheck[] } | undefined;
  #lastAt: number | undefined;
  #steps: readonly RunStep[] = [];
  #isNew = false;
  #made: { readonly of: View; readonly checks: unknown; readonly view: View } | undefined;
  /** The previous call: calls run one after the other. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(project: Project) {
    this.project = project;
    this.name = basename(project.root);
  }

  /** Reads what was stored since the last call. */
  refresh(): Promise<Result<Reading>> {
    const next = this.#last.then(() => settled(this.#refresh()));
    this.#last = next.catch(() => undefined);
    return next;
  }

  /** The news of all refreshes since the last call, for all callers. Only the newest steps are kept. */
  takeNews(): News {
    const news = { steps: this.#steps, isNew: this.#isNew };
    this.#steps = [];
    this.#isNew = false;
    return news;
  }

  async close(): Promise<void> {
    await this.#last;
    await this.#closeStore();
    await this.project.git.close();
  }

  /** Opens the store for one change, which is stored as the user's, and closes it again. */
  async writing<T, F>(
    work: (opened: Opened) => Promise<Result<T, F>>,
  ): Promise<Result<T, F | Failure>> {
    const store = await this.project.openStore('write', 'ui');
    if (!store.ok) return store;
    try {
      return await work({ ...this.project, store: store.value });
    } finally {
      await store.value.close();
    }
  }

  async #refresh(): Promise<Result<Reading>> {
    const file = identityOf(this.project.storeFile);
    if (this.#reading !== undefined && this.#reading.file !== file) await this.#closeStore();
    if (this.#reading === undefined) return this.#open(file);
    const steps = await this.#reading.follower.refresh();
    if (steps.ok) {
      this.#lastAt = steps.value.at(-1)?.event.at ?? this.#lastAt;
      this.#steps = [...this.#steps, ...steps.value].slice(-stepsKept);
      await this.#readChecks(this.#reading);
      return ok(this.#reading);
    }
    // The next call starts from scratch.
    await this.#closeStore();
    return steps;
  }

  async #open(file: string): Promise<Result<Reading>> {
    const store = await this.project.openStore('read');
    if (!store.ok) return store;
    const opened = { ...this.project, store: store.value };
    const follower = await Follower.open(opened);
    if (!follower.ok) {
      await store.value.close();
      return fail(follower.failure);
    }
    const { value } = follower;
    const last = await store.value.events({ after: value.seq - 1, limit: 1 });
    this.#lastAt = last.ok ? last.value[0]?.at : undefined;
    const view = (): View => this.#viewOf(value);
    this.#reading = { opened, follower: value, view, lastAt: () => this.#lastAt, file };
    this.#steps = [];
    this.#isNew = true;
    await this.#readChecks(this.#reading);
    return ok(this.#reading);
  }

  #viewOf(follower: Follower): View {
    const of = follower.view();
    const checks = this.#checks?.found ?? [];
    if (this.#made?.of === of && this.#made.checks === checks) return this.#made.view;
    const view = { ...of, quarantinedChecks: checks };
    this.#made = { of, checks, view };
    return view;
  }

  /** Checks in quarantine change seldom, so they are looked up seldom. */
  async #readChecks({ opened: { store, clock }, follower }: Reading): Promise<void> {
    const now = clock.now();
    if (now < (this.#checks?.until ?? 0)) return;
    const { run } = follower;
    const found = run === undefined ? ok([]) : await quarantinedChecksIn(store, run, now);
    if (found.ok) this.#checks = { until: now + checksMs, found: found.value };
  }

  async #closeStore(): Promise<void> {
    await this.#reading?.opened.store.close();
    this.#reading = undefined;
    this.#checks = undefined;
  }
}

/** Changes when a file is created, replaced or removed. */
function identityOf(file: string): string {
  const found = statSync(file, { throwIfNoEntry: false });
  return found === undefined ? 'none' : `${found.dev}:${found.ino}`;
}
