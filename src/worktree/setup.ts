import { fail, ok, type Result } from '../model/failure.ts';
import type { Git } from '../port/git.ts';
import type { Processes } from '../port/processes.ts';
import type { Prepared } from './prepared.ts';
import { runSetup, type SetupRun } from './setup-commands.ts';
import { type SetupSource, setupKey } from './setup-key.ts';

export interface SetupPorts {
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
  if (!before.ok) return before;
  const done = await commandsOf(ports, run);
  if (!done.ok || done.value === 'interrupted') return done;
  const after = await git.untracked(run.worktree);
  if (!after.ok) return after;
  const known = new Set(before.value);
  const paths = after.value.filter((path) => !known.has(path));
  const share = run.isJudged || before.value.length <= copied.value.length;
  await prepared.note(run.worktree, key, { paths, share });
  return done;
}
