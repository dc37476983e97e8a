import { type Failure, fail, ok, type Result, unreachable } from '../model/failure.ts';
import { limits } from '../model/limits.ts';
import type { Git } from '../port/git.ts';
import {
  inOneStream,
  type ProcessEnd,
  type Processes,
  type ProcessLimits,
  runToCompletion,
} from '../port/processes.ts';
import { type SetupSource, setupKey } from './setup-key.ts';

interface SetupPorts {
  readonly git: Git;
  readonly processes: Processes;
  readonly prepared: Prepared;
  /** Copies untracked files such as `.env` into a worktree and returns their names. */
  readonly copyFiles: (worktree: string) => Promise<Result<readonly string[]>>;
}

export interface Setup extends SetupRun, SetupSource {
  /** True if a process that died had started it in this worktree; then it resumes. */
  readonly isUnderWay: boolean;
}

/** Sets up a checked-out worktree: restores a stored result if there is one, else runs the commands. */
export async function setUp(
  ports: SetupPorts,
  run: Setup,
): Promise<Result<'ready' | 'interrupted'>> {
  const { git, prepared } = ports;
  if (run.commands.length === 0 || run.isUnderWay) return byCommands(ports, run);
  const key = await setupKey(git, run);
  if (!key.ok) return key;
  const { value } = key;
  if (value === undefined) {
    // The commands could use files that are already there.
    await prepared.release(run.worktree);
    return byCommands(ports, run);
  }
  return prepared.first(value, async () => {
    if (!(await prepared.bring(run.worktree, value))) return noted(ports, run, value);
    const copied = await ports.copyFiles(run.worktree);
    return copied.ok ? ok('ready') : copied;
  });
}

async function byCommands(ports: SetupPorts, run: Setup): Promise<Result<'ready' | 'interrupted'>> {
  const copied = await ports.copyFiles(run.worktree);
  return copied.ok ? commandsOf(ports, run) : copied;
}

async function commandsOf(
  { processes }: SetupPorts,
  run: Setup,
): Promise<Result<'ready' | 'interrupted'>> {
  const trouble = await runSetup(processes, run);
  if (trouble === 'interrupted') return ok('interrupted');
  return trouble === undefined ? ok('ready') : fail(trouble);
}

/** Runs the commands and records what they produced. */
async function noted(
  ports: SetupPorts,
  run: Setup,
  key: string,
): Promise<Result<'ready' | 'interrupted'>> {
  const { git, prepared, copyFiles } = ports;
  const copied = await copyFiles(run.worktree);
  if (!copied.ok) return copied;
  const before = await git.untracked(run.worktree);
  const done = await commandsOf(ports, run);
  if (!done.ok || done.value === 'interrupted') return done;
  const after = await git.untracked(run.worktree);
  const known = new Set(before);
  const paths = after.filter((path) => !known.has(path));
  const share = run.isJudged || before.length <= copied.value.length;
  await prepared.note(run.worktree, key, { paths, share });
  return done;
}

interface CommandsRun {
  readonly commands: readonly string[];
  readonly worktree: string;
  readonly dir: string;
  /** Start of the names of their output files. */
  readonly name: string;
  readonly env: Readonly<Record<string, string>>;
  readonly limits: ProcessLimits;
  /** Decides their rights in the sandbox. */
  readonly role: 'setup' | 'gate';
}

interface SetupRun extends Omit<CommandsRun, 'name' | 'role'> {
  readonly where: SetupFailure['where'];
}

type SetupFailure = Extract<Failure, { kind: 'setup-failed' }>;

/** Runs the setup commands of a worktree. Undefined: all passed. */
export async function runSetup(
  processes: Processes,
  { where, ...run }: SetupRun,
): Promise<SetupFailure | 'interrupted' | undefined> {
  const failed = await runCommands(processes, { ...run, name: 'setup', role: 'setup' });
  if (failed === undefined || failed === 'interrupted') return failed;
  return { kind: 'setup-failed', where, ...commandFailure(failed) };
}

/** A command that did not exit with 0. `tail` is the end of its output. */
export interface FailedCommand {
  readonly command: string;
  readonly tail: string;
  readonly log: string;
  readonly how: Exclude<ProcessEnd['how'], { id: 'interrupted' }>;
}

/** Runs the user's commands in a worktree in order. Undefined: all passed. */
export async function runCommands(
  processes: Processes,
  { commands, worktree, dir, name: first, env, limits: bounds, role }: CommandsRun,
): Promise<FailedCommand | 'interrupted' | undefined> {
  for (const [index, command] of commands.entries()) {
    const { name, end } = await runToCompletion(processes, {
      dir,
      name: `${first}-${index + 1}`,
      argv: inOneStream(command),
      cwd: worktree,
      env,
      confined: { role },
      limits: bounds,
    });
    const { how } = end;
    if (how.id === 'interrupted') return 'interrupted';
    if (how.id === 'exited' && how.code === 0) continue;
    const tail = await processes.tail(dir, name, limits.tailBytes);
    return { command, tail, log: `${dir}/${name}.out`, how };
  }
  return undefined;
}

/** Failure facts of a user command. If it has no exit status, the last line of `tail` says how it ended. */
export function commandFailure({
  how,
  tail,
  ...of
}: FailedCommand): Pick<SetupFailure, 'command' | 'exit' | 'tail' | 'log'> {
  switch (how.id) {
    case 'exited':
      return { ...of, exit: how.code, tail };
    case 'limit': {
      const isOutput = how.limit === 'output' || how.limit === 'line';
      const most = `${how.value} ${isOutput ? 'bytes (limits.output)' : 'ms (limits.setup_wall)'}`;
      const ended = `ended because it exceeded its limit of ${most}`;
      return { ...of, exit: -1, tail: `${tail}\n${ended}` };
    }
    case 'signaled':
      return { ...of, exit: -1, tail: `${tail}\nended by ${how.signal}` };
    case 'not-started':
      return { ...of, exit: -1, tail: how.cause };
    case 'lost':
      return { ...of, exit: -1, tail: 'ended without leaving a status' };
    default:
      unreachable(how);
  }
}

/**
 * Stores what setup commands produced, such as `node_modules`, so that a setup with a known result need not run again.
 * Never fails: whatever cannot be stored or restored is set up by its commands.
 */
export interface Prepared {
  /** Patterns of the restored paths in a worktree, for `Git.exactly` to keep. */
  kept(dir: string): Promise<readonly string[]>;
  /**
   * Restores the result of the setup with this key. True if it is in place and the setup need not run. Results of any
   * other setup are removed in any case.
   */
  bring(dir: string, key: string): Promise<boolean>;
  /**
   * Records what a setup with this key has just produced. With `share` it is copied for other worktrees; then the
   * worktree must have held nothing else that the setup could have used.
   */
  note(dir: string, key: string, produced: Produced): Promise<void>;
  /** Called before a worktree is removed: passes its prepared files on to the next worktree. */
  release(dir: string): Promise<void>;
  /** Removes sets that are unused for long or exceed the size limit together. */
  expire(): Promise<void>;
  /** Runs the first setup of a key alone, so that the others can copy its result. */
  first<T>(key: string, work: () => Promise<T>): Promise<T>;
}

export interface Produced {
  /** Paths in the worktree; a new folder is one entry. */
  readonly paths: readonly string[];
  readonly share: boolean;
}

/** Stores nothing: every setup runs. */
export const nothingPrepared: Prepared = {
  kept: async () => [],
  bring: async () => false,
  note: async () => {},
  release: async () => {},
  expire: async () => {},
  first: (_key, work) => work(),
};

/**
 * Folders that package managers install into. Other setup results, such as builds, may depend on sources and are made
 * for every commit.
 */
const folders = new Set([
  ...['node_modules', 'bower_components', '.yarn', '.pnpm-store', '.husky', '_'],
  ...['.venv', 'venv', '.bundle', 'vendor', 'deps', 'Pods', '.dart_tool', 'elm-stuff'],
]);

/** True if everything the setup produced was installed by a package manager. */
export function isInstalled(paths: readonly string[]): boolean {
  return paths.length > 0 && paths.every((path) => isDependency(path));
}

function isDependency(path: string): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1);
  if (folders.has(name)) return name !== '_' || path.endsWith('.husky/_');
  return name.endsWith('.egg-info') || name === '.pnp.cjs' || name === '.pnp.loader.mjs';
}

/** Escapes a path as a literal `.gitignore` pattern. */
export const asPattern = (path: string): string => `/${path.replace(/[\\*?[\]!# ]/g, '\\$&')}`;
