import { statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { fail, ok, type Result } from '../model/failure.ts';
import { given } from '../model/given.ts';
import type { Agent, AgentHealth, AgentInfo, Capabilities, Launch, Turn } from '../port/agent.ts';
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
  /** PATH for finding the program. */
  readonly path?: string | undefined;
  readonly redact?: Redact;
}

/** Each turn is a new conversation. Usage is counted if the program prints it, see `usageIn`. */
const plainCapabilities: Capabilities = {
  sessions: 'none',
  usage: 'turn',
  cost: true,
  model: true,
  reasoning: true,
};

/** Makes an agent of any command line. */
export function commandAgent(options: CommandAgentOptions): Agent {
  const { name, command, done, root, env = {} } = options;
  const [given = '', ...args] = command;
  // A path is resolved here, because the agent runs in another folder; `check` finds a bare name on PATH.
  let binary = given.includes('/') ? resolve(root, given) : given;
  return {
    name,
    capabilities: plainCapabilities,
    ...signalsFor(done),
    async check(): Promise<Result<AgentInfo>> {
      const path = env.PATH ?? options.path ?? process.env.PATH;
      const found = which(given, path, root);
      if (!found.ok) {
        return fail({ kind: 'agent-missing', agent: name, binary: given, cause: found.cause });
      }
      binary = found.file;
      return ok({ name, binary });
    },
    // An arbitrary program has no standard way to report its version or sign-in.
    probe: async (): Promise<AgentHealth> => ({ signedIn: 'unknown' }),
    launch(turn): Launch {
      const file = promptFile(turn);
      return {
        argv: [binary, ...withValues(args, turn, file)],
        env: {
          ...turnEnvironment(turn),
          ...(options.prompt === 'file' ? { YARD_PROMPT_FILE: file } : {}),
          ...env,
        },
      };
    },
    listen: (turn) => textListener(turn, done, () => binary, options.redact),
  };
}

/**
 * Replaces the placeholders. An argument without a value is dropped, together with the flag before it: `--model
 * {model}` appears as a whole or not at all.
 */
function withValues(args: readonly string[], { model, reasoning }: Turn, file: string): string[] {
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

/** The prompt is also standard input, so `/dev/stdin` works if its path is unknown. */
function promptFile(turn: Turn): string {
  return turn.promptFile ?? '/dev/stdin';
}

/** Tells the agent, and everything it calls, which attempt it works on. */
export function turnEnvironment(turn: Turn): Record<string, string> {
  const { purpose, step, round, again } = turn;
  const values = given({
    YARD_RUN: turn.run,
    YARD_TASK: turn.task.id,
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
  return {
    name,
    capabilities: plainCapabilities,
    ...signalsFor(done),
    async check(): Promise<Result<AgentInfo>> {
      const missing = [program, script].find((file) => !exists(file));
      if (missing !== undefined)
        return fail({ kind: 'agent-missing', agent: name, binary: missing });
      return ok({ name, binary: process.execPath });
    },
    probe: async (): Promise<AgentHealth> => ({ signedIn: 'yes' }),
    launch(turn): Launch {
      return {
        argv: [process.execPath, program, '--script', script],
        env: {
          ...turnEnvironment(turn),
          YARD_SCRIPT_DIR: isFolder(script) ? script : dirname(script),
          ...env,
        },
      };
    },
    listen: (turn) => textListener(turn, done, () => process.execPath),
  };
}

function exists(file: string): boolean {
  return statSync(file, { throwIfNoEntry: false }) !== undefined;
}

function isFolder(file: string): boolean {
  return statSync(file, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
