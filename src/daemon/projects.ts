import { existsSync } from 'node:fs';
import type { Opened } from '../app/ports.ts';
import { daemonLimits } from '../model/daemon.ts';
import { type Failure, fail, ok, type Result, usage } from '../model/failure.ts';
import { settled } from '../model/trouble.ts';
import { openWithStore } from '../wire/project.ts';

type Open = (root: string) => Promise<Result<Opened>>;

const openAsDaemon: Open = (root) => openWithStore(root, 'write', 'daemon');

/**
 * Projects that the daemon works with, each opened once. What it stores is signed as the daemon's. A store that does not
 * answer holds up nothing but its own project.
 */
export class Projects {
  readonly #openProject: Open;
  readonly #patienceMs: number;
  readonly #open = new Map<string, Opened>();
  readonly #opening = new Map<string, Promise<Result<Opened>>>();
  /** Projects whose last work has not ended yet, although nothing waits for it any more. */
  readonly #silent = new Set<string>();

  constructor(open: Open = openAsDaemon, patienceMs: number = daemonLimits.projectMs) {
    this.#openProject = open;
    this.#patienceMs = patienceMs;
  }

  /** Works with a project. Fails if its folder is gone or no longer a repository, or if it takes too long. */
  async use<T>(root: string, work: (project: Opened) => Promise<Result<T>>): Promise<Result<T>> {
    const silent = fail(noAnswer(root, this.#patienceMs));
    if (this.#silent.has(root)) return silent;
    const done = this.#work(root, work);
    const inTime = await within(this.#patienceMs, done);
    if (inTime !== undefined) return inTime;
    this.#silent.add(root);
    const forget = (): boolean => this.#silent.delete(root);
    done.then(forget, forget);
    return silent;
  }

  async #work<T>(root: string, work: (project: Opened) => Promise<Result<T>>): Promise<Result<T>> {
    const project = await this.#at(root);
    if (!project.ok) return project;
    const done = await settled(work(project.value));
    // Opened again for the next work, with the address that the config has then.
    if (!done.ok && isOfStore(done.failure)) await this.#close(root);
    return done;
  }

  async #at(root: string): Promise<Result<Opened>> {
    if (!existsSync(root)) {
      await this.#close(root);
      return usage(`the project folder ${root} is gone`, 'Put it back, or stop its run there.');
    }
    const known = this.#open.get(root);
    if (known !== undefined) return ok(known);
    const opening = this.#opening.get(root) ?? settled(this.#openProject(root));
    this.#opening.set(root, opening);
    const opened = await opening;
    this.#opening.delete(root);
    if (opened.ok) this.#open.set(root, opened.value);
    return opened;
  }

  /** Closes the projects that are not named. */
  async keepOnly(roots: ReadonlySet<string>): Promise<void> {
    for (const root of [...this.#open.keys()]) {
      if (!roots.has(root)) await within(this.#patienceMs, this.#close(root));
    }
  }

  async #close(root: string): Promise<void> {
    const opened = this.#open.get(root);
    if (opened === undefined) return;
    this.#open.delete(root);
    await opened.store.close();
    await opened.git.close();
  }
}

/** True for trouble with a store, which may be over later. */
export function isOfStore({ kind }: Failure): boolean {
  return kind.startsWith('store-');
}

function noAnswer(root: string, ms: number): Failure {
  const detail = `it does not answer within ${ms / 1_000} seconds`;
  return { kind: 'store-unavailable', store: `of ${root}`, problem: 'unreachable', detail };
}

/** The value of a promise, or undefined if it takes too long. */
async function within<T>(ms: number, promise: Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), ms);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
