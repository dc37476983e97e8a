import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { arch, tmpdir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import { fail, ok, type Result } from '../model/failure.ts';
import { limits } from '../model/limits.ts';
import type { NoSandbox } from '../port/processes.ts';
import { exec } from '../process/exec.ts';
import { which } from '../process/which.ts';
import { confineWith, type SandboxSettings } from './sandbox.ts';

/** Finds bubblewrap: the installed one, else the one that Codex ships. */
export function findBubblewrap(path: string | undefined): string | undefined {
  const installed = which('bwrap', path, '/');
  if (installed.ok) return installed.file;
  const codex = which('codex', path, '/');
  if (!codex.ok) return undefined;
  // `…/@openai/codex/bin/codex.js`; the package for this machine lies next to it or in it.
  const own = dirname(dirname(realpathSync(codex.file)));
  const machine = arch() === 'arm64' ? 'aarch64' : 'x86_64';
  const file = `vendor/${machine}-unknown-linux-musl/codex-resources/bwrap`;
  const shipped = `codex-linux-${arch()}/${file}`;
  return [join(dirname(own), shipped), join(own, 'node_modules/@openai', shipped)].find(existsSync);
}

/**
 * Prints a line for each limit that does not hold, and for each folder of the PATH that is not there. Its writes outside
 * are checked afterwards.
 */
const script = `
test "$(cat /proc/1/comm)" = bwrap || echo 'it has no process namespace of its own'
echo x >here || echo 'its working folder cannot be written'
echo x >/tmp/here || echo 'its temp cannot be written'
for file in "$1/here" "$1/hooks/here" "$2/here"; do (echo x >"$file") 2>/dev/null; done
unshare -Ur true 2>/dev/null && echo 'it can be left through another user namespace'
test -z "$3" || git -c user.name=x -c user.email=x@x.invalid commit -qm x --allow-empty || echo 'git cannot commit'
IFS=:
for folder in $PATH; do test -d "$folder" || echo "no folder: $folder"; done
exit 0
`;
const noFolder = 'no folder: ';

/** Limits that the writes of a probe have crossed. A write to a private copy is allowed. */
function written(scratch: string, repository: string): readonly string[] {
  const found: readonly (readonly [file: string, broken: string])[] = [
    [join(repository, 'here'), 'the repository can be written'],
    [join(repository, 'hooks/here'), 'hooks of the repository can be written'],
    [join(scratch, 'here'), 'files next to the working folder can be written'],
  ];
  return found.filter(([file]) => existsSync(file)).map(([, broken]) => broken);
}

interface ProbeInput {
  readonly settings: Omit<SandboxSettings, 'bwrap'>;
  readonly env: Readonly<Record<string, string>>;
  /** Also makes a commit, as an attempt does. */
  readonly thorough: boolean;
}

export interface Probed {
  readonly bwrap: string;
  readonly ms: number;
  /** Folders of the PATH that children do not find. */
  readonly hiddenPath: readonly string[];
}

/** Runs a scratch attempt with the real arguments, and tries what the sandbox must refuse. */
export async function probeSandbox(input: ProbeInput): Promise<Result<Probed, NoSandbox>> {
  const { settings, env, thorough } = input;
  if (process.platform !== 'linux') return fail(adviceFor('this is not Linux', 'platform'));
  const bwrap = findBubblewrap(env.PATH);
  if (bwrap === undefined) return fail(adviceFor('bubblewrap is not installed', 'install'));
  const scratch = realpathSync(mkdtempSync(join(tmpdir(), 'ym-probe-')));
  try {
    const work = join(scratch, 'work');
    const repository = join(scratch, 'repository');
    for (const dir of [work, join(repository, 'hooks')]) mkdirSync(dir, { recursive: true });
    const run = (argv: readonly string[], cwd: string, given = env) =>
      exec(argv, { cwd, env: given, wallMs: limits.probeMs, outputBytes: limits.tailBytes });
    if (thorough) await run(['git', 'init', '-q'], work);
    const argv = ['/bin/sh', '-c', script, 'probe', repository, scratch, thorough ? 'git' : ''];
    const spec = { dir: scratch, name: 'probe', argv, cwd: work, env };
    const confined = confineWith({ ...settings, gateUserns: false, bwrap, repository })({
      ...spec,
      confined: { role: 'gate' },
      limits: { wallMs: limits.probeMs, outputBytes: limits.tailBytes },
    });
    const begin = performance.now();
    const done = await run(confined.argv, work, confined.env);
    const ms = Math.round(performance.now() - begin);
    if (done.id === 'not-started') return fail(adviceFor(done.cause, 'install'));
    const lines = done.stdout.toString('utf8').split('\n');
    const printed = lines.filter((line) => line !== '' && !line.startsWith(noFolder));
    const missing = lines.filter((line) => line.startsWith(noFolder));
    const folders = missing.map((line) => line.slice(noFolder.length));
    const hiddenPath = [...new Set(folders)].filter((one) => isAbsolute(one) && existsSync(one));
    const broken = [...printed, ...written(scratch, repository)].join('; ');
    if (done.exit === 0 && broken === '') return ok({ bwrap, ms, hiddenPath });
    return fail(
      done.exit === 0 ? adviceFor(broken, 'report') : adviceOn(done.stderr.trim() || 'it failed'),
    );
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

const advices = {
  platform: 'Run Yardmaster in a Linux container or virtual machine to get one',
  install: 'Install it, for example with `apt install bubblewrap` or `dnf install bubblewrap`',
  upgrade: 'Install bubblewrap 0.8 or newer',
  apparmor:
    'Load the AppArmor profile `bwrap-userns-restrict` of your distribution, which allows bubblewrap user namespaces',
  container:
    'Inside a container, let the container be the sandbox, or allow user namespaces in its seccomp profile',
  report: 'Set `sandbox` to none if you want none on this machine',
} as const;

function adviceFor(cause: string, what: keyof typeof advices): NoSandbox {
  return { cause, advice: advices[what] };
}

function adviceOn(message: string): NoSandbox {
  const cause = message.split('\n')[0] ?? message;
  if (/uid map: Permission denied|RTM_NEWADDR/.test(message)) return adviceFor(cause, 'apparmor');
  if (/Unknown option|unrecognized option/i.test(message)) return adviceFor(cause, 'upgrade');
  if (/No permissions to creat|Operation not permitted/i.test(message)) {
    return adviceFor(cause, 'container');
  }
  return adviceFor(cause, 'report');
}
