import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { fail, type Result } from '../model/failure.ts';
import { limits } from '../plan/limits.ts';
import { exec } from '../process/exec.ts';
import { clientReader } from './acp/reader.ts';
import type { Agent, AgentHealth, AgentInfo, Launch, Turn } from './agent.ts';
import { type CliAgentOptions, cliAgent, withoutSession } from './cli-agent.ts';
import type { Harness } from './harness.ts';
import { jsonOf, textAt } from './stream.ts';

export interface AcpAgentOptions extends Omit<CliAgentOptions, 'binary'> {
  /** The words that start the agent in this protocol, such as `opencode acp`. */
  readonly command: readonly string[];
  /** The built client, `acp-client.js`. */
  readonly program: string;
  /** How long the agent may take until its conversation is ready. */
  readonly startMs?: number;
}

/**
 * Any agent that speaks the Agent Client Protocol. It answers on its standard input, where our children have a file, so
 * a client of our own stands between: it talks to the agent and prints what it hears, one line for each event.
 */
export function acpAgent(options: AcpAgentOptions): Agent {
  const { name, command, sandbox, args } = options;
  const [binary = '', ...words] = command;
  const program = resolve(options.program);
  const agent = cliAgent(harness(binary, [...words, ...args]), { ...options, binary });
  const client = (flags: readonly string[], argv: readonly string[]): string[] => [
    process.execPath,
    program,
    ...flags,
    '--',
    ...argv,
  ];
  let found = binary;
  return {
    ...agent,
    async check(): Promise<Result<AgentInfo>> {
      if (statSync(program, { throwIfNoEntry: false }) === undefined) {
        return fail({ kind: 'agent-missing', agent: name, binary: program });
      }
      const checked = await agent.check();
      if (checked.ok) found = checked.value.binary;
      return checked;
    },
    probe: () => probed(client(['--probe'], [found, ...words, ...args]), options),
    launch(turn): Launch {
      const { argv, ...launch } = agent.launch(turn);
      return {
        ...launch,
        argv: client(flagsOf(withoutSession(turn), sandbox, options.startMs), argv),
      };
    },
  };
}

/** Words for our client, which refuses what the agent asks for; one that does not ask is not held. */
const reviewWords = ['--read-only'];

/** Values are joined to their names, so that one that begins with a dash is still a value. */
function flagsOf(
  { purpose, session, model, reasoning }: Turn,
  sandbox: AcpAgentOptions['sandbox'],
  startMs: number | undefined,
): string[] {
  return [
    ...(session === undefined ? [] : [`--session=${session}`]),
    ...(model === undefined ? [] : [`--model=${model}`]),
    ...(reasoning === undefined ? [] : [`--reasoning=${reasoning}`]),
    // Files that pass through the client stay within the worktree, or are not written at all.
    ...(purpose === 'review' ? reviewWords : sandbox === 'auto' ? ['--files'] : []),
    ...(startMs === undefined ? [] : [`--start-ms=${startMs}`]),
  ];
}

function harness(binary: string, words: readonly string[]): Harness {
  return {
    use: 'acp',
    binary,
    capabilities: { sessions: 'theirs', usage: 'turn', cost: true, model: true, reasoning: true },
    endSignal: 'SIGTERM',
    // Any: what counts is the version of the protocol, which the client asks for.
    supported: ['0.0.0', '9999.0.0'],
    review: { args: [], env: {} },
    argv: () => words,
    env: () => ({}),
    read: ({ session, model, sessionUsage }, { name: agent }) =>
      clientReader({
        agent,
        binary,
        ...(session === undefined ? {} : { session }),
        ...(model === undefined ? {} : { model }),
        ...(session === undefined || sessionUsage?.costUsd === undefined
          ? {}
          : { costBefore: sessionUsage.costUsd }),
      }),
    // The client tells of whatever the agent told; an agent that just died left its status and its last words.
    diagnose: () => undefined,
    signIn: () => ({ signedIn: 'unknown' }),
  };
}

const probeBytes = 1024 * 1024;

/** Whether the command starts an agent that speaks the protocol, by asking it who it is. */
async function probed(
  argv: readonly string[],
  { root, base, env = {} }: AcpAgentOptions,
): Promise<AgentHealth> {
  const merged = Object.entries({ ...base, ...env });
  const given = merged.filter((entry): entry is [string, string] => entry[1] !== undefined);
  const asked = await exec(argv, {
    cwd: root,
    env: Object.fromEntries(given),
    wallMs: limits.probeMs,
    outputBytes: probeBytes,
  });
  const lines = asked.id === 'ended' ? asked.stdout.toString('utf8').split('\n') : [];
  const told = lines.map(jsonOf).find((json) => textAt(json, 'type') === 'agent');
  const version = textAt(told, 'version');
  return {
    supported: 'version 1 of the Agent Client Protocol',
    fits: told !== undefined,
    ...(version === undefined ? {} : { version }),
    signedIn: 'unknown',
    ...(told === undefined
      ? { remedy: `Try by hand: ${argv.slice(argv.indexOf('--') + 1).join(' ')}` }
      : {}),
  };
}
