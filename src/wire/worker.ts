import { hostname } from 'node:os';
import { join } from 'node:path';
import { redactorFor } from '../app/config.ts';
import type { Environment, Opened } from '../app/ports.ts';
import { Worker, type WorkerParts } from '../app/worker.ts';
import { runsDir } from '../files/layout.ts';
import { gitCli } from '../git/cli.ts';
import { checkOut, createReplica, gitCourier } from '../git/courier.ts';
import { openAssignments } from '../job/assignments.ts';
import { sharedFiles } from '../job/shared-files.ts';
import { ok, type Result, usage } from '../model/failure.ts';
import { hashOf } from '../model/hash.ts';
import type { RefAt, SharedProject } from '../model/job.ts';
import { type PostgresAddress, storeAddress } from '../model/store-address.ts';
import { outcomeOf, settled } from '../model/trouble.ts';
import { stateDir } from '../process/stored-machine.ts';
import { checkInUse } from '../record/postgres/store.ts';
import { openWithStore } from './project.ts';
import { version } from './version.ts';

interface WorkerOptions
  extends Pick<WorkerParts, 'onJob' | 'onUnsent' | 'onUnsaved' | 'onOtherVersion'> {
  /** Address of the store; the variable `YARDMASTER_STORE` if absent. */
  readonly store: string | undefined;
  readonly name: string | undefined;
  /** Folder for its repository and worktrees. */
  readonly dir: string | undefined;
  readonly slots: number;
  readonly gates: number;
  readonly labels: readonly string[];
}

interface OpenWorker {
  readonly id: string;
  /** Address of the store without secrets. */
  readonly shown: string;
  readonly worker: Worker;
  close(): Promise<void>;
}

/** Opens a worker with a repository of its own. It needs nothing of the project but the address of the store. */
export async function openWorker(
  { store, name, dir, slots, gates, labels, ...reports }: WorkerOptions,
  env: Environment = process.env,
): Promise<Result<OpenWorker>> {
  const address = addressOf(store ?? env.YARDMASTER_STORE);
  if (!address.ok) return address;
  const state = stateDir(env);
  const { shown, url, schema } = address.value;
  const id = name ?? `${hostname()}-${(hashOf(`${shown} ${dir ?? ''}`) % 0xffff).toString(16)}`;
  if (!/^[\w.-]{1,60}$/.test(id)) {
    return usage(
      `"${id}" is no name for a worker`,
      'Use up to 60 letters, digits, `.`, `_` and `-`.',
    );
  }
  const inUse = await checkInUse(address.value);
  if (!inUse.ok) return inUse;
  const home = dir ?? join(state, 'workers', id);
  const repo = join(home, 'repository');
  await createReplica(repo, env);
  const assignments = await openAssignments(address.value);
  if (!assignments.ok) return assignments;
  const git = gitCli(repo, env);
  const inside = { ...env, YARDMASTER_STORE: withSchema(url, schema), YARDMASTER_STATE_DIR: home };
  const published = async (): Promise<Result<SharedProject>> => {
    const found = await assignments.value.project();
    if (!found.ok || found.value !== undefined) return found as Result<SharedProject>;
    return usage('no run has told where its commits are', 'Start a run with `workers.remote`.');
  };
  const worker = new Worker({
    self: { id, host: hostname(), slots, gates, labels, version: version() },
    assignments: assignments.value,
    ...reports,
    async courier(run) {
      const shared = await published();
      if (!shared.ok) return shared;
      return ok(gitCourier({ git, dir: repo, remote: shared.value.remote, run, env }));
    },
    async open(refs) {
      const shared = await published();
      return shared.ok ? openAt(repo, refs, shared.value, inside) : shared;
    },
    async reopen() {
      const head = await outcomeOf(git.resolve('HEAD'));
      if (!head.ok || head.value === undefined) return head.ok ? ok(undefined) : head;
      return openWithStore(repo, 'write', 'cli', inside);
    },
    files: (opened, config) =>
      sharedFiles(address.value, runsDir(opened), redactorFor(config, env)),
  });
  return ok({
    id,
    shown,
    worker,
    async close() {
      await assignments.value.close();
      await git.close();
    },
  });
}

/** Opens the repository of the worker like a project, with the target checked out for its config. */
async function openAt(
  repo: string,
  refs: readonly RefAt[],
  { identity }: SharedProject,
  env: Environment,
): Promise<Result<Opened>> {
  const commit = refs[0]?.commit ?? '';
  await checkOut(repo, { commit, identity }, env);
  const opened = await settled(openWithStore(repo, 'write', 'cli', env));
  if (!opened.ok) return opened;
  await opened.value.git.moveRefs(refs.map(({ ref, commit }) => ({ ref, to: commit })));
  return opened;
}

function addressOf(text: string | undefined): Result<PostgresAddress> {
  const address = text === undefined ? undefined : storeAddress(text);
  if (address?.kind === 'postgres') return ok(address);
  return usage(
    'a worker needs the Postgres store of a project',
    'Type `ym worker --store postgres://USER@HOST/DATABASE`, or set YARDMASTER_STORE.',
  );
}

function withSchema(url: string, schema: string): string {
  const whole = new URL(url);
  whole.searchParams.set('schema', schema);
  return whole.href;
}
