import { spawn } from 'node:child_process';

/**
 * Shell script that starts every child. It outlives us: it claims the start, so that exactly one of several engines
 * starts the child, and records how the child ended.
 *
 * Claim: the pid file is created with `noclobber`; a wrapper that finds one exits silently. Status: one short line in
 * one write; readers require its line break. If it cannot be written, the wrapper exits with the child's status, so
 * that a parent still knows. Signals to the group reach the wrapper too: it traps them (an ignored signal would stay
 * ignored in the child) and lives on to write the status. The shell's own messages are discarded; descriptor 3 is the
 * child's stderr, set in the subshell only. A failed exec is told from a child that exits 126 or 127 by the shell's
 * message with the wrapper's name, a sandbox that could not start its child by its own message. A busy executable, such
 * as a freshly written one, is tried five times.
 *
 * Names start with `yard_` because a variable that is also in the environment would be passed on changed.
 */
const script = `
exec 3>&2 2>/dev/null
yard_pid=$1 yard_status=$2 yard_err=$3 yard_boot=$4
shift 4
trap : HUP INT QUIT TERM USR1 USR2
yard_ticks() { shift 19; yard_start=$1; }
if read -r yard_stat </proc/$$/stat; then yard_ticks \${yard_stat##*) }
else yard_start=$(LC_ALL=C TZ=UTC0 ps -o lstart= -p $$); fi
set -C
printf '%s %s@%s\\n' "$$" "$yard_start" "$yard_boot" >"$yard_pid" || exit 0
set +C
for yard_wait in 0.005 0.01 0.02 0.04 ''; do
  (exec "$@" 2>&3 3>&-)
  yard_code=$?
  case $yard_code:$1:$2 in 126:*|127:*|1:*/bwrap:*|1:*/sandbox-proxy.js) ;; *) break ;; esac
  IFS= read -r yard_line <"$yard_err" || break
  case $yard_line in
    'yard-start: '*'ext file busy'|'bwrap: '*'ext file busy')
      if [ -z "$yard_wait" ]; then yard_code="not-started $yard_line"; break; fi
      printf '' >"$yard_err"
      sleep "$yard_wait" ;;
    'yard-start: '*|'bwrap: '*) yard_code="not-started $yard_line"; break ;;
    *) break ;;
  esac
done
printf '%s\\n' "$yard_code" >"$yard_status" || exit "$yard_code"
`;

/** Variables that a shell sets itself and would pass on. */
const madeUp = ['PWD', 'OLDPWD', 'SHLVL', '_'];

export interface Wrapped {
  readonly file: string;
  readonly args: readonly string[];
}

/** Command line that runs `argv` under the wrapper. Arguments are passed as they are, never as shell text. */
export function wrap(
  argv: readonly string[],
  env: Readonly<Record<string, string>>,
  files: { readonly pid: string; readonly status: string; readonly err: string },
  boot: string,
): Wrapped {
  const unwanted = madeUp.filter((name) => env[name] === undefined);
  const text = unwanted.length === 0 ? script : `unset ${unwanted.join(' ')}\n${script}`;
  return {
    file: '/bin/sh',
    args: ['-c', text, 'yard-start', files.pid, files.status, files.err, boot, ...argv],
  };
}

export interface Started {
  readonly pid: number;
  /** Resolves when it exits. */
  readonly exited: Promise<void>;
  /** Set when it exits; null if a signal ended it. */
  readonly code: number | null | undefined;
  /** Kills its whole process group. */
  kill(): void;
}

export interface Surroundings {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly stdio: number[];
}

/** Starts a wrapper in its own session. Errors such as too many processes are returned, not thrown. */
export function startWrapper(
  { file, args }: Wrapped,
  { cwd, env, stdio }: Surroundings,
  keepAlive: boolean,
): Promise<Started | { readonly cause: string }> {
  const child = spawn(file, args, { cwd, env: { ...env }, stdio, detached: true });
  return new Promise((done) => {
    child.once('error', (error) => done({ cause: error.message }));
    const { pid } = child;
    if (pid === undefined) return;
    let code: number | null | undefined;
    const exited = new Promise<void>((leave) => {
      child.once('exit', (exit) => {
        code = exit;
        leave();
      });
    });
    if (!keepAlive) child.unref();
    done({
      pid,
      exited,
      get code() {
        return code;
      },
      kill() {
        // Until `exit` is reported the pid cannot be reused.
        if (code === undefined) process.kill(-pid, 'SIGKILL');
      },
    });
  });
}
