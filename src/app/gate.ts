import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import type { Config } from '../config/config.ts';
import { detectGate, type RootFiles } from '../gate/detect.ts';
import { type DetectedSetup, detectSetup } from '../gate/detect-setup.ts';
import { gateId } from '../gate/gate.ts';
import { type Failure, fail, ok, type Result, unreachable } from '../model/failure.ts';
import { settled } from '../model/trouble.ts';
import type { Gate } from '../model/verdict.ts';
import type { Git } from '../port/git.ts';
import type { Project } from './ports.ts';
import { findTarget, type Target } from './target.ts';

interface FoundGate {
  readonly gate: Gate;
  /** Gate of a single branch; absent if that is `gate`. */
  readonly quick?: Gate;
  /** For users: the config, or the file by which it was detected. */
  readonly from: string;
}

type Probing = Pick<Project, 'root' | 'probe'>;

/** The gate of the target as it is now, unchecked; without a usable target that of the checkout. */
export async function gateOfTarget(
  project: Pick<Project, 'git' | 'root'>,
  config: Config,
): Promise<Result<FoundGate>> {
  const target = await settled(findTarget(project, config));
  if (!target.ok) return findGate(config, filesIn(project.root));
  const files = await filesAt(project.git, target.value.commit, project.root);
  return findGate(config, files);
}

/** The gate at the target's commit, with its environment, after checking that its programs exist. */
export async function usableGate(
  project: Probing & Pick<Project, 'git'>,
  config: Config,
  { commit }: Pick<Target, 'commit'>,
): Promise<Result<FoundGate & { readonly files: RootFiles }>> {
  const files = await filesAt(project.git, commit, project.root);
  const found = findGate(config, files);
  if (!found.ok) return found;
  const gate = await inEnvironment(project, found.value, config.gate.environment);
  if (!gate.ok) return gate;
  const usable = await checkGate(project, gate.value.gate, config.worktree.setup);
  return usable.ok ? ok({ ...gate.value, files }) : usable;
}

/** The configured gate, else the one detected from `files`, else a failure. */
export function findGate(config: Config, files: RootFiles): Result<FoundGate> {
  const { gate } = config;
  switch (gate.kind) {
    case 'none':
      return ok({
        gate: { id: 'none', commands: [], timeoutMs: gate.timeoutMs },
        from: 'gate: none',
      });
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
  return {
    gate: gateOf(commands),
    quick: quick.length === 0 ? undefined : gateOf(quick),
    from,
  };
}

/**
 * Adds the output of the `gate.environment` commands, such as `node --version`, to the gate's identity, so that a
 * verdict from before an upgrade does not count after it.
 */
export async function inEnvironment(
  { root, probe }: Probing,
  found: FoundGate,
  commands: readonly string[],
): Promise<Result<FoundGate>> {
  if (commands.length === 0 || found.gate.commands.length === 0) return ok(found);
  const printed: string[] = [];
  for (const command of commands) {
    const done = await probe(['sh', '-c', command], root);
    if (done.id === 'not-started' || done.exit !== 0) {
      const cause = done.id === 'ended' ? `exit status ${done.exit}` : done.cause;
      return fail({ kind: 'gate-unusable', command, cause: `gate.environment: ${cause}` });
    }
    printed.push(`${command}: ${shortened(done.stdout.trim())}`);
  }
  const environment = gateId(printed);
  const within = (gate: Gate): Gate => ({
    ...gate,
    id: `${gate.id} in ${environment}`,
    environment,
  });
  const { gate, quick, from } = found;
  return ok({ gate: within(gate), quick: quick && within(quick), from });
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

/** Files of a commit for gate detection. A commit with none of the relevant files falls back to the checkout. */
export async function filesAt(git: Git, commit: string, root: string): Promise<RootFiles> {
  const checkout = filesIn(root);
  const signs = signsOfGate();
  const texts = new Map<string, string | undefined>();
  const files: RootFiles = {
    // Other files, such as lock files and folders, only refine the detection and may be too large to read from git.
    has: (path) => texts.get(path) !== undefined || (!signs.has(path) && checkout.has(path)),
    read: (path) => texts.get(path),
  };
  for (const path of signs) {
    const text = await git.file(commit, path);
    texts.set(path, text);
  }
  return [...signs].some((path) => files.has(path)) ? files : checkout;
}

/** Every file by which a gate can be detected: detection asks for all of them if none exists. */
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
 * Checks that the programs of the gate exist, before any agent costs money. A command with shell syntax passes, and so
 * does a path in the worktree that the setup may create.
 */
export async function checkGate(
  project: Probing,
  gate: Gate,
  setup: readonly string[],
): Promise<Result<void>> {
  for (const command of gate.commands) {
    const failure = await unusable(project, command, setup);
    if (failure !== undefined) return fail(failure);
  }
  return ok(undefined);
}

async function unusable(
  { root, probe }: Probing,
  command: string,
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
  const found = await probe(['sh', '-c', 'command -v -- "$1"', 'sh', program], root);
  if (found.id === 'not-started' || found.exit === 0) return undefined;
  return { kind: 'gate-unusable', command, cause: `there is no program "${program}" on the PATH` };
}

/** Setup commands detected in a checkout. Files that git ignores do not count: no worktree would have them. */
export async function detectSetupIn({ root, probe }: Probing): Promise<readonly DetectedSetup[]> {
  const names = readdirSync(root);
  const checked = await probe(['git', 'check-ignore', '-z', '--', ...names], root);
  const ignored = new Set(checked.id === 'not-started' ? [] : checked.stdout.split('\0'));
  const files = filesIn(root);
  return detectSetup({
    has: (path) => !ignored.has(path) && files.has(path),
    read: (path) => files.read(path),
    names: () => names.filter((name) => !ignored.has(name)),
  });
}
