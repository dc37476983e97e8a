import { statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { fail, ok, type Result } from '../model/failure.ts';
import type { Agent, AgentHealth, AgentInfo, Launch } from '../port/agent.ts';
import { plainCapabilities, turnEnvironment } from './command.ts';
import { type Done, signalsFor, textListener } from './turn-end.ts';

export interface ScriptedAgentOptions {
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
