import { existsSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { defined } from '../model/defined.ts';
import { fail, ok } from '../model/failure.ts';
import { limits } from '../model/limits.ts';
import { versionIn } from '../model/version.ts';
import type { Agent, Capabilities, Turn } from '../port/agent.ts';
import { type AgentState, noState } from '../port/sandbox.ts';
import { exec } from '../process/exec.ts';
import { which } from '../process/which.ts';
import { type Done, type Redact, signalsFor, textListener } from './turn-end.ts';

export interface CommandAgentOptions {
  readonly name: string;
  /** Program and arguments. `{prompt_file}`, `{model}` and `{reasoning}` are replaced by the values of the turn. */
  readonly command: readonly string[];
  readonly done: Done;
  /** The prompt is always standard input; `file` also sets `YARD_PROMPT_FILE` to its path. */
  readonly prompt: 'stdin' | 'file';
  /** Root of the repository; a relative program path starts here. */
  readonly root: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly path?: string | undefined;
  readonly redact?: Redact;
  /** Replaces the arguments in a one-shot call. */
  readonly reviewArgs?: readonly string[] | undefined;
  readonly state?: AgentState | undefined;
  /** Environment in which the program prints its version when it gets `--version`; absent if it may not do that. */
  readonly versionEnv?: Readonly<Record<string, string | undefined>>;
}

/** Each turn is a new conversation. Usage is counted if the program prints it, see `usageIn`. */
const plainCapabilities: Capabilities = {
  sessions: 'none',
  usage: 'turn',
  cost: true,
  model: true,
  reasoning: true,
};

/**
 * The program of an agent. A path is resolved here, because the agent runs in another folder; `check` finds a bare name
 * on `path`.
 */
export function agentProgram(
  name: string,
  given: string,
  root: string,
  path: string | undefined,
): Pick<Agent, 'check'> & { readonly binary: () => string } {
  let binary = given.includes('/') ? resolve(root, given) : given;
  return {
    binary: () => binary,
    async check() {
      const found = which(given, path, root);
      if (!found.ok) {
        return fail({ kind: 'agent-missing', agent: name, binary: given, cause: found.cause });
      }
      binary = found.file;
      return ok({ name, binary });
    },
  };
}

/** Runs `--version`, with bounds on time and output. */
export async function versionOf(
  binary: string,
  cwd: string,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<string | undefined> {
  const env = defined(environment);
  const { probeMs: wallMs } = limits;
  const asked = await exec([binary, '--version'], { cwd, env, wallMs, outputBytes: versionBytes });
  return asked.id === 'ended' ? versionIn(asked.stdout.toString('utf8')) : undefined;
}

const versionBytes = 64 * 1024;

/** Makes an agent of any command line. */
export function commandAgent(options: CommandAgentOptions): Agent {
  const { name, command, done, root, env = {} } = options;
  const [program = '', ...args] = command;
  const path = env.PATH ?? options.path ?? process.env.PATH;
  const { binary, check } = agentProgram(name, program, root, path);
  const { reviewArgs = args } = options;
  const argsOf = ({ purpose }: Turn) => (purpose === 'review' ? reviewArgs : args);
  return {
    name,
    capabilities: plainCapabilities,
    ...signalsFor(done),
    check,
    // An arbitrary program has no standard way to report its version or sign-in.
    async probe() {
      const { versionEnv } = options;
      if (versionEnv === undefined) return { signedIn: 'unknown' };
      const version = await versionOf(binary(), root, { ...versionEnv, ...env });
      return { signedIn: 'unknown', version };
    },
    launch(turn) {
      // The prompt is also standard input, so `/dev/stdin` works if its path is unknown.
      const { promptFile: file = '/dev/stdin' } = turn;
      return {
        argv: [binary(), ...withValues(argsOf(turn), turn, file)],
        env: {
          ...turnEnvironment(turn),
          ...(options.prompt === 'file' ? { YARD_PROMPT_FILE: file } : {}),
          ...env,
        },
        state: options.state ?? noState,
      };
    },
    listen: (turn) => textListener(turn, done, binary, options.redact),
  };
}

/**
 * Replaces the placeholders. An argument without a value is dropped, together with the flag before it: `--model
 * {model}` appears as a whole or not at all.
 */
export function withValues(
  args: readonly string[],
  { model, reasoning }: Pick<Turn, 'model' | 'reasoning'>,
  file: string,
): string[] {
  const values = { '{prompt_file}': file, '{model}': model, '{reasoning}': reasoning };
  const filledArgs: string[] = [];
  for (const [at, arg] of args.entries()) {
    const used = Object.entries(values).filter(([name]) => arg.includes(name));
    if (used.every(([, value]) => value !== undefined)) {
      filledArgs.push(
        used.reduce((text, [name, value = '']) => text.replaceAll(name, () => value), arg),
      );
    } else if (/^\{\w+\}$/.test(arg) && args[at - 1]?.startsWith('-')) {
      filledArgs.pop();
    }
  }
  return filledArgs;
}

/** Tells the agent, and everything it calls, which attempt it works on. */
export function turnEnvironment(turn: Turn): Record<string, string> {
  const { purpose, step, round, again } = turn;
  const values = defined({
    YARD_RUN: turn.run,
    YARD_TASK: turn.subject,
    YARD_ATTEMPT: turn.attempt,
    YARD_TURN: turn.turn,
    YARD_WORKTREE: turn.worktree,
    YARD_MODEL: turn.model,
    YARD_REASONING: turn.reasoning,
    YARD_PURPOSE: purpose,
    ...(purpose === undefined ? {} : { YARD_STEP: step, YARD_ROUND: round, YARD_AGAIN: again }),
  });
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, String(value)]));
}

interface ScriptedAgentOptions {
  readonly name: string;
  /** Path of the built program, `scripted-agent.js`. */
  readonly program: string;
  /** A script file, or a folder with one script per task. */
  readonly script: string;
  readonly done?: Done;
  readonly env?: Readonly<Record<string, string>>;
}

/** Plays a script instead of calling a model. It is shipped so that everything can be tried without tokens. */
export function scriptedAgent(options: ScriptedAgentOptions): Agent {
  const { name, done = 'exit', env = {} } = options;
  const program = resolve(options.program);
  const script = resolve(options.script);
  const command = [process.execPath, program, '--script', script];
  const node = commandAgent({ name, command, done, prompt: 'stdin', root: '/' });
  return {
    ...node,
    async check() {
      const missing = [program, script].find((file) => !existsSync(file));
      if (missing === undefined) return node.check();
      return fail({ kind: 'agent-missing', agent: name, binary: missing });
    },
    probe: async () => ({ signedIn: 'yes' }),
    launch(turn) {
      const folder = statSync(script, { throwIfNoEntry: false })?.isDirectory();
      const launch = node.launch(turn);
      const own = { YARD_SCRIPT_DIR: folder ? script : dirname(script), ...env };
      return { ...launch, env: { ...launch.env, ...own } };
    },
  };
}
