import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import type { Config } from '../config/config.ts';
import { detectGate, type RootFiles } from '../gate/detect.ts';
import { gateId } from '../gate/gate.ts';
import type { Git } from '../git/git.ts';
import { type Failure, fail, ok, type Result, unreachable } from '../model/failure.ts';
import type { Gate } from '../model/verdict.ts';
import { limits } from '../plan/limits.ts';
import { exec } from '../process/exec.ts';

export interface FoundGate {
  readonly gate: Gate;
  /** What judges a branch by itself instead; absent where that is the gate. */
  readonly quick?: Gate;
  /** For people: where it comes from. */
  readonly from: string;
}

/**
 * The gate of the config, else the one the repository's files show, else a refusal that says how to set one. Without
 * `files` those of the checkout are looked at; for a run they are those of the target, see `filesAt`.
 */
export function findGate(
  config: Config,
  root: string,
  files: RootFiles = filesIn(root),
): Result<FoundGate> {
  const { gate } = config;
  switch (gate.kind) {
    case 'none':
      return ok({ gate: { id: 'none', commands: [], timeoutMs: 0 }, from: 'gate: none' });
    case 'commands':
      return ok(found(config, gate.commands, gate.timeoutMs, 'the config'));
    case 'detect': {
      const detected = detectGate(files);
      if ('looked' in detected) return fail({ kind: 'no-gate', searched: detected.looked });
      return ok(found(config, detected.commands, gate.timeoutMs, detected.from));
    }
    default:
      return unreachable(gate);
  }
}

function found(
  { gate: { quick }, worktree }: Config,
  commands: readonly string[],
  timeoutMs: number,
  from: string,
): FoundGate {
  const gateOf = (list: readonly string[]): Gate => ({
    id: gateId(list, worktree.setup),
    commands: list,
    timeoutMs,
  });
  return { gate: gateOf(commands), ...(quick.length === 0 ? {} : { quick: gateOf(quick) }), from };
}

/**
 * The gate as one of the environment that commands of the user describe, such as `node --version`: what they print is part
 * of its identity, so that a verdict from before an upgrade does not count after it.
 */
export async function inEnvironment(
  found: FoundGate,
  commands: readonly string[],
  root: string,
  env: Readonly<Record<string, string>>,
): Promise<Result<FoundGate>> {
  if (commands.length === 0 || found.gate.commands.length === 0) return ok(found);
  const printed: string[] = [];
  for (const command of commands) {
    const bounds = { wallMs: limits.probeMs, outputBytes: limits.tailBytes };
    const done = await exec(['sh', '-c', command], { cwd: root, env, ...bounds });
    if (done.id === 'not-started' || done.exit !== 0) {
      const cause = done.id === 'ended' ? `exit status ${done.exit}` : done.cause;
      return fail({ kind: 'gate-unusable', command, cause: `gate.environment: ${cause}` });
    }
    printed.push(`${command}: ${shortened(done.stdout.toString('utf8').trim())}`);
  }
  const environment = gateId(printed);
  const within = (gate: Gate): Gate => ({
    ...gate,
    id: `${gate.id} in ${environment}`,
    environment,
  });
  const { gate, quick, from } = found;
  return ok({ gate: within(gate), ...(quick === undefined ? {} : { quick: within(quick) }), from });
}

const shownChars = 200;

function shortened(text: string): string {
  return text.length <= shownChars ? text : createHash('sha256').update(text).digest('hex');
}

export function filesIn(root: string): RootFiles {
  return {
    has: (path) => existsSync(join(root, path)),
    read: (path) => readFileSync(join(root, path), 'utf8'),
  };
}

/**
 * The files of a commit as far as a gate is found by them. A commit without any file that could show one leaves it to
 * the checkout: nobody has committed anything yet that could be judged.
 */
export async function filesAt(git: Git, commit: string, root: string): Promise<Result<RootFiles>> {
  const checkout = filesIn(root);
  const signs = signsOfGate();
  const texts = new Map<string, string | undefined>();
  const files: RootFiles = {
    // What only says how a sign is to be read, such as a lock file or a folder, may be too large to be told by git.
    has: (path) => texts.get(path) !== undefined || (!signs.has(path) && checkout.has(path)),
    read: (path) => texts.get(path),
  };
  for (const path of signs) {
    const text = await git.file(commit, path);
    if (!text.ok) return text;
    texts.set(path, text.value);
  }
  return ok([...signs].some((path) => files.has(path)) ? files : checkout);
}

/** Every file by which a gate may be found: detection asks for all of them where there is none. */
function signsOfGate(): ReadonlySet<string> {
  const asked = new Set<string>();
  detectGate({
    has: (path) => {
      asked.add(path);
      return false;
    },
    read: () => undefined,
  });
  return asked;
}

/**
 * Checks that the programs the gate starts with exist, before any agent is paid for. Only what is certain is refused:
 * a command with shell syntax passes, and so does a path in the worktree that the set-up may create.
 */
export async function checkGate(
  gate: Gate,
  root: string,
  env: Readonly<Record<string, string>>,
  setup: readonly string[],
): Promise<Result<void>> {
  for (const command of gate.commands) {
    const failure = await unusable(command, root, env, setup);
    if (failure !== undefined) return fail(failure);
  }
  return ok(undefined);
}

async function unusable(
  command: string,
  root: string,
  env: Readonly<Record<string, string>>,
  setup: readonly string[],
): Promise<Failure | undefined> {
  const words = command.trim().split(/\s+/);
  const program = words.find((word) => !/^[A-Za-z_][A-Za-z0-9_]*=/.test(word));
  if (program === undefined || /[^\w@%+=:,./-]/.test(program)) return undefined;
  if (program.includes('/')) {
    const path = isAbsolute(program) ? program : join(root, program);
    const isSetUp = setup.length > 0 && !isAbsolute(program);
    if (isSetUp || existsSync(path)) return undefined;
    return { kind: 'gate-unusable', command, cause: `there is no ${program}` };
  }
  const found = await exec(['sh', '-c', 'command -v -- "$1"', 'sh', program], {
    cwd: root,
    env,
    wallMs: limits.probeMs,
    outputBytes: limits.tailBytes,
  });
  if (found.id === 'not-started' || found.exit === 0) return undefined;
  return { kind: 'gate-unusable', command, cause: `there is no program "${program}" on the PATH` };
}
