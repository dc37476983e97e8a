import { byPerson } from '../app/lookup.ts';
import type { Failures, Opened, Project } from '../app/ports.ts';
import { readSources } from '../app/tasks.ts';
import { type Failure, fail, type Result } from '../model/failure.ts';
import { settled } from '../model/trouble.ts';
import { sentencesOf } from '../report/explain/sentences.ts';
import { callerOf } from '../wire/caller.ts';
import type * as api from './yard.ts';

type Trouble = Failure | Failures;

/** Opens the store for each call, so that neither a lock nor an old view of the file is kept. */
export class Access {
  readonly project: Project;
  /** Opens the project once more, for a run, which closes it itself. */
  readonly open: () => Promise<Result<Project>>;
  readonly config: Readonly<Record<string, unknown>>;

  constructor(
    project: Project,
    open: () => Promise<Result<Project>>,
    config: Readonly<Record<string, unknown>>,
  ) {
    this.project = project;
    this.open = open;
    this.config = config;
  }

  /** Sources of a call; standard input belongs to the program that imports this one. */
  readSources(named: readonly string[] = []) {
    return readSources(this.project, named, this.from());
  }

  from() {
    return { cwd: this.project.root, readStdin: async () => '' };
  }

  reading<T>(work: (opened: Opened) => Promise<Result<T, Trouble>>): Promise<api.Result<T>> {
    return this.#with('read', work);
  }

  writing<T>(work: (opened: Opened) => Promise<Result<T, Trouble>>): Promise<api.Result<T>> {
    return this.#with('write', work);
  }

  /** Writing that is refused to agents, reviewers and gates of this project, as the command is. */
  async deciding<T>(
    command: string,
    work: (opened: Opened) => Promise<Result<T, Trouble>>,
  ): Promise<api.Result<T>> {
    const allowed = this.checkPerson(command);
    return allowed.ok ? this.#with('write', work) : told(allowed);
  }

  checkPerson(command: string): Result<void> {
    const { id, storeSetting } = this.project;
    return byPerson(callerOf(id, storeSetting), command);
  }

  #with<T>(
    mode: 'read' | 'write',
    work: (opened: Opened) => Promise<Result<T, Trouble>>,
  ): Promise<api.Result<T>> {
    return answered(this.#withStore(mode, work));
  }

  async #withStore<T>(
    mode: 'read' | 'write',
    work: (opened: Opened) => Promise<Result<T, Trouble>>,
  ): Promise<Result<T, Trouble>> {
    const store = await this.project.openStore(mode);
    if (!store.ok) return store;
    try {
      return await work({ ...this.project, store: store.value });
    } finally {
      await store.value.close();
    }
  }
}

/** The answer to the program: trouble on the way is a failure too. A bug is thrown on. */
export async function answered<T>(work: Promise<Result<T, Trouble>>): Promise<api.Result<T>> {
  return told(await settled(work));
}

/** A failure becomes sentences, so that callers need not know the fields of its kind. */
export function told<T>(result: Result<T, Trouble>): api.Result<T> {
  return result.ok ? result : fail(sentencesOf(result.failure));
}
