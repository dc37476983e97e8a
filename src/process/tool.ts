import { limits } from '../model/limits.ts';
import { exec } from './exec.ts';
import { which } from './which.ts';

/** One call of a user's own program, such as `gh`, with the user's sign-in. */
export interface ToolCall {
  /** Name of the program on the PATH of `env`. */
  readonly program: string;
  readonly args: readonly string[];
  readonly dir: string;
  readonly env: Readonly<Record<string, string>>;
  readonly input?: string;
  /** Time limit; that of forges if absent. */
  readonly wallMs?: number;
}

type ToolResult =
  | {
      readonly id: 'ended';
      readonly exit: number;
      readonly stdout: string;
      readonly stderr: string;
    }
  | { readonly id: 'not-started'; readonly cause: string }
  | { readonly id: 'slow'; readonly ms: number }
  | { readonly id: 'large'; readonly bytes: number };

/** Turns off prompts, pager, color and update notices of `gh` and `glab`. */
const QUIET = {
  GH_PROMPT_DISABLED: '1',
  GH_NO_UPDATE_NOTIFIER: '1',
  GH_NO_EXTENSION_UPDATE_NOTIFIER: '1',
  GH_SPINNER_DISABLED: '1',
  GH_PAGER: 'cat',
  GLAB_PAGER: 'cat',
  GLAB_CHECK_UPDATE: 'false',
  NO_PROMPT: 'true',
  NO_COLOR: '1',
} as const;
const LOUD = ['GH_FORCE_TTY', 'GH_DEBUG', 'DEBUG', 'CLICOLOR_FORCE', 'GLAB_DEBUG_HTTP'];

/** Runs the program without a terminal, with limits for time and output. Never rejects. */
export async function runTool(call: ToolCall): Promise<ToolResult> {
  const { program, args, dir, env, input, wallMs = limits.forgeWallMs } = call;
  const found = which(program, env.PATH, dir);
  if (!found.ok) return { id: 'not-started', cause: found.cause };
  const kept = Object.entries(env).filter(([name]) => !LOUD.includes(name));
  const done = await exec([found.file, ...args], {
    cwd: dir,
    env: { ...Object.fromEntries(kept), ...QUIET },
    wallMs,
    outputBytes: limits.forgeOutputBytes,
    input,
  });
  if (done.id === 'not-started') return done;
  if (done.over === 'wall') return { id: 'slow', ms: wallMs };
  if (done.over === 'output') return { id: 'large', bytes: limits.forgeOutputBytes };
  const { exit, stderr } = done;
  return { id: 'ended', exit, stdout: done.stdout.toString('utf8'), stderr };
}
