import { userInfo } from 'node:os';
import { resolve } from 'node:path';
import type { Environment, Opened, Place, Project } from '../app/ports.ts';
import { gitCli } from '../git/cli.ts';
import { childEnv } from '../git/env.ts';
import { rootsOf } from '../git/roots.ts';
import { type Actor, StartedBy } from '../model/actor.ts';
import { fail, ok, type Result } from '../model/failure.ts';
import { limits } from '../model/limits.ts';
import { readJson } from '../model/shape.ts';
import type { StoreAddress } from '../model/store-address.ts';
import { outcomeOf } from '../model/trouble.ts';
import type { Git } from '../port/git.ts';
import { exec } from '../process/exec.ts';
import { stateDir } from '../process/stored-machine.ts';
import { which } from '../process/which.ts';
import { missingStore, noSnapshots } from '../record/snapshot-list.ts';
import { sqliteSnapshots } from '../record/snapshots.ts';
import { openSqlite } from '../record/sqlite.ts';
import { commandText } from '../report/format/command.ts';
import { projectId } from '../worktree/project.ts';
import { builtProgram } from './built-program.ts';
import { findPlace, here } from './place.ts';
import { projectSecret } from './secret.ts';
import { storeSetting } from './store-setting.ts';

export async function openProject(
  cwd: string,
  env: Environment = process.env,
  actor: Partial<Actor> = startedBy(env),
): Promise<Result<Project>> {
  const state = stateDir(env);
  const place = findPlace(cwd);
  const git = gitCli(place?.root ?? cwd, env);
  if (place === undefined) {
    const inspected = await git.inspect().finally(() => git.close());
    if (inspected.bare) return fail({ kind: 'bare-repository', dir: resolve(cwd) });
    return fail({ kind: 'not-a-repository', dir: resolve(cwd) });
  }
  const setting = await storeSetting(place.root, env);
  const project: Omit<Project, 'engine'> = {
    ...here,
    ...place,
    env,
    id: projectId(place.commonDir),
    git,
    agents: async (config, sandbox) =>
      (await import('./agents.ts')).agentsOf(config, place.root, env, sandbox),
    sandbox: async (config, how) => (await import('./sandbox.ts')).sandboxOf(project, config, how),
    async children(config, sandbox) {
      const { secretsIn } = await import('../app/config.ts');
      const { supervisor } = await import('../process/supervisor.ts');
      const confine = sandbox?.id === 'on' ? { confine: sandbox.confine } : {};
      const { keepRaw = false } = config;
      return supervisor({ secrets: secretsIn(config, env), keepRaw, ...confine });
    },
    childEnv: childEnv(env),
    which: whichOn(env.PATH, place.root),
    lastActions: async () =>
      (await import('./agent-output.ts')).lastActionReader({ ...place, env }),
    async transcripts() {
      const { Transcript } = await import('./agent-output.ts');
      return () => new Transcript();
    },
    writeStateFile: async (name, text) =>
      (await import('../files/state-file.ts')).writeStateFile(place.dir, name, text),
    secret: () => projectSecret(place.dir),
    stateDir: state,
    async telemetrySinks({ telemetry: { endpoint, headersEnv = '', file } }) {
      if (endpoint === undefined && file === undefined) return [];
      const { fileSink, httpSink } = await import('../telemetry/sink.ts');
      const headers = env[headersEnv] ?? '';
      return [
        ...(endpoint === undefined ? [] : [httpSink({ endpoint, headers })]),
        ...(file === undefined ? [] : [fileSink(resolve(place.root, file))]),
      ];
    },
    hookSender: async (hook) => (await import('./hooks.ts')).hookSender(project, hook),
    ...storeOf({ ...place, env }, setting, (through = actor.through ?? 'cli') =>
      actorOf(git, { ...actor, through }),
    ),
    ...machinesOf({ ...place, git, env }, setting),
    probe: probeWith(env),
    program: ownCommand(),
  };
  return ok({
    ...project,
    engine: async (request) => (await import('./engine.ts')).enginePorts(project, request),
  });
}

/** Connections to other machines. With SQLite, there are no files of other machines to fetch. */
function machinesOf(
  here: Pick<Project, 'root' | 'dir' | 'env' | 'git'>,
  setting: Result<StoreAddress>,
): Pick<Project, 'fetchFiles' | 'courier' | 'elsewhere'> {
  const ways = () => import('./elsewhere.ts');
  return {
    async fetchFiles(run) {
      if (!setting.ok || setting.value.kind !== 'postgres') return ok(undefined);
      return (await ways()).fetchFiles(here, setting.value, run);
    },
    courier: async (config, run) => (await ways()).courierOf(here, config, run),
    elsewhere: async (config, run) => (await ways()).elsewhereOf(here, setting, config, run),
  };
}

function storeOf(
  { storeFile, root, env }: Place & Pick<Project, 'env'>,
  setting: Result<StoreAddress>,
  actorOf: (through?: Actor['through']) => Promise<Actor>,
): Pick<Project, 'storeSetting' | 'snapshots' | 'openStore' | 'storeCopy'> {
  const isFile = setting.ok && setting.value.kind === 'sqlite';
  return {
    storeSetting: setting,
    snapshots: isFile ? sqliteSnapshots(storeFile) : noSnapshots,
    async openStore(mode, through) {
      if (!setting.ok) return setting;
      const lost = isFile ? missingStore(storeFile) : undefined;
      if (lost !== undefined) return fail(lost);
      const by = mode === 'write' ? { actor: await actorOf(through) } : {};
      if (setting.value.kind === 'sqlite') {
        return openSqlite(storeFile, { mode, busyMs: limits.storeBusyMs, ...by });
      }
      const { openPostgres } = await import('../record/postgres/store.ts');
      const repository = rootsOf(root, env);
      return openPostgres(setting.value, { mode, repository, ...by });
    },
    async storeCopy(address) {
      if (address.kind === 'postgres') {
        return (await import('../record/postgres/copy.ts')).postgresCopy(address);
      }
      const { sqliteCopy } = await import('../record/sqlite-copy.ts');
      return ok(sqliteCopy(storeFile, here.clock.now));
    },
  };
}

/** The named one, else the user as git knows them, else as the system does. */
async function actorOf(
  git: Pick<Git, 'identity'>,
  { name: named, through }: Partial<Actor> & Pick<Actor, 'through'>,
): Promise<Actor> {
  const identity = named === undefined ? await outcomeOf(git.identity()) : ok(named);
  const name = identity.ok ? identity.value.replace(/ <[^>]*>$/, '') : '';
  return { name: (name || userName()).slice(0, limits.actorChars), through };
}

/** Actor that started this process through another program of ours, which it outlives. */
function startedBy({ YARDMASTER_ACTOR: actor = '' }: Environment): Partial<Actor> {
  return readJson(StartedBy, actor) ?? {};
}

/** A system without an entry for the user, as in some containers, has no name for them. */
function userName(): string {
  try {
    return userInfo().username;
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
    return 'unknown user';
  }
}

/** Opens the project that contains a folder, with its store. Events are signed with the user's name. */
export async function openWithStore(
  cwd: string,
  mode: 'read' | 'write',
  through?: Actor['through'],
  env?: Environment,
): Promise<Result<Opened>> {
  const project = await openProject(cwd, env);
  if (!project.ok) return project;
  const store = await project.value.openStore(mode, through);
  if (store.ok) return ok({ ...project.value, store: store.value });
  await project.value.git.close();
  return store;
}

/** Finds programs on a PATH; one with a slash in a folder. */
export function whichOn(path: string | undefined, cwd: string): Project['which'] {
  return (program) => {
    const found = which(program, path, cwd);
    return found.ok ? ok(found.file) : fail(found.cause);
  };
}

function probeWith(env: Environment): Project['probe'] {
  return async (argv, cwd, { wallMs = limits.probeMs, outputBytes = limits.tailBytes } = {}) => {
    const done = await exec(argv, { cwd, env: childEnv(env), wallMs, outputBytes });
    return done.id === 'not-started' ? done : { ...done, stdout: done.stdout.toString('utf8') };
  };
}

export const probe = probeWith(process.env);

function ownCommand(): string {
  return commandText([process.execPath, builtProgram('main.js')]);
}
