import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Environment, Opened, Place, Project } from '../app/ports.ts';
import { ensureExcluded } from '../files/exclude.ts';
import { gitCli } from '../git/cli.ts';
import { childEnv } from '../git/env.ts';
import { fail, ok, type Result } from '../model/failure.ts';
import { limits } from '../model/limits.ts';
import type { Store } from '../port/store.ts';
import { exec } from '../process/exec.ts';
import { which } from '../process/which.ts';
import { openSqlite } from '../record/sqlite.ts';
import { projectId } from '../worktree/project.ts';
import { findPlace, here } from './place.ts';
import { projectSecret } from './secret.ts';

export async function openProject(
  cwd: string,
  env: Environment = process.env,
): Promise<Result<Project>> {
  const git = gitCli(cwd, env);
  const place = findPlace(cwd);
  if (place === undefined) {
    const inspected = await git.inspect();
    await git.close();
    if (!inspected.ok) return inspected;
    if (inspected.value.bare) return fail({ kind: 'bare-repository', dir: resolve(cwd) });
    return fail({ kind: 'not-a-repository', dir: resolve(cwd) });
  }
  const project: Omit<Project, 'engine'> = {
    ...here,
    ...place,
    env,
    id: projectId(place.commonDir),
    git,
    agents: async (config) => (await import('./agents.ts')).agentsOf(config, place.root, env),
    async children(config) {
      const { secretsIn } = await import('../app/config.ts');
      const { supervisor } = await import('../process/supervisor.ts');
      return supervisor({ secrets: secretsIn(config, env) });
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
      (await import('../files/state-file.ts')).writeStateFile(place, name, text),
    secret: () => projectSecret(place.dir),
    stateDir: stateDir(env),
    openStore: (mode) => openStore(place, mode),
    probe: probeWith(env),
    program: ownCommand(),
  };
  return ok({
    ...project,
    engine: async (request) => (await import('./engine.ts')).enginePorts(project, request),
  });
}

/** `YARDMASTER_STATE_DIR`, else the folder of the XDG specification. */
export function stateDir(env: Environment): string {
  const named = env.YARDMASTER_STATE_DIR;
  if (named) return resolve(named);
  const state = env.XDG_STATE_HOME || join(env.HOME || homedir(), '.local', 'state');
  return join(state, 'yardmaster');
}

/** Opens the store; in write mode first excludes our folder from `git status`. */
async function openStore(project: Place, mode: 'read' | 'write'): Promise<Result<Store>> {
  if (mode === 'write') {
    const excluded = await ensureExcluded(project.commonDir);
    if (!excluded.ok) return excluded;
  }
  return openSqlite(project.storeFile, { mode, busyMs: limits.storeBusyMs });
}

/** Opens the project that contains a folder, with its store. */
export async function openWithStore(cwd: string, mode: 'read' | 'write'): Promise<Result<Opened>> {
  const project = await openProject(cwd);
  if (!project.ok) return project;
  const store = await project.value.openStore(mode);
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
  return async (argv, cwd, outputBytes = limits.tailBytes) => {
    const bounds = { wallMs: limits.probeMs, outputBytes };
    const done = await exec(argv, { cwd, env: childEnv(env), ...bounds });
    return done.id === 'not-started' ? done : { ...done, stdout: done.stdout.toString('utf8') };
  };
}

/** Probes outside of any project. */
export const probe = probeWith(process.env);

function ownCommand(): string {
  const program = process.argv[1] ?? 'ym';
  return [process.execPath, program].map(shellWord).join(' ');
}

function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
