import { resolve } from 'node:path';
import { fail, ok, type Result } from '../model/failure.ts';
import { which } from '../process/which.ts';
import type { Agent, AgentHealth, AgentInfo, Capabilities, Launch, Turn } from './agent.ts';
import { type Done, signalsFor, textListener } from './turn-end.ts';
import type { Redact } from './without-secrets.ts';

export interface CommandAgentOptions {
  readonly name: string;
  /**
   * The arguments. `{prompt_file}` stands for the path of the prompt, `{model}` and `{reasoning}` for what the turn is
   * asked for.
   */
  readonly command: readonly string[];
  readonly done: Done;
  /** The prompt is the standard input either way; with `file` its path is in `YARD_PROMPT_FILE` as well. */
  readonly prompt: 'stdin' | 'file';
  /** Root of the repository: what a relative path of the binary is relative to. */
  readonly root: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Where a binary without a slash is looked for. */
  readonly path?: string | undefined;
  readonly redact?: Redact;
}

/** Each turn is a new conversation. Usage is counted where the program prints it, see `usage.ts`. */
export const plainCapabilities: Capabilities = {
  sessions: 'none',
  usage: 'turn',
  cost: true,
  model: true,
  reasoning: true,
};

/** Any command line as an agent. */
export function commandAgent(options: CommandAgentOptions): Agent {
  const { name, command, done, root, env = {} } = options;
  const [given = '', ...args] = command;
  // A name with a slash never depends on where the agent runs; any other is settled by `check`.
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
    // Nobody knows how a program of any kind says its version, or whether it needs a sign-in.
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
 * The arguments with their placeholders filled in. One whose placeholder has no value is left out, together with the flag
 * in front of it: `--model {model}` is both or nothing.
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

/** The prompt is also the child's standard input, so where its own path is not known this one leads to it. */
function promptFile(turn: Turn): string {
  return turn.promptFile ?? '/dev/stdin';
}

/** By which an agent, and whatever it calls, knows what it works on. */
export function turnEnvironment(turn: Turn): Record<string, string> {
  return {
    YARD_RUN: turn.run,
    YARD_TASK: turn.task.id,
    YARD_ATTEMPT: String(turn.attempt),
    YARD_TURN: String(turn.turn),
    YARD_WORKTREE: turn.worktree,
    ...(turn.model === undefined ? {} : { YARD_MODEL: turn.model }),
    ...(turn.reasoning === undefined ? {} : { YARD_REASONING: turn.reasoning }),
    ...(turn.purpose === undefined ? {} : oneShotEnvironment(turn)),
  };
}

/** The same for one who only looks. */
function oneShotEnvironment({ purpose, step, round, again }: Turn): Record<string, string> {
  const known = Object.entries({
    YARD_PURPOSE: purpose,
    YARD_STEP: step,
    YARD_ROUND: round,
    YARD_AGAIN: again,
  });
  return Object.fromEntries(
    known.flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])),
  );
}
