import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { defined } from '../model/defined.ts';
import { fail, type Result } from '../model/failure.ts';
import { limits } from '../model/limits.ts';
import type { Agent, AgentHealth, AgentInfo, Launch, Turn } from '../port/agent.ts';
import { type AgentState, noState } from '../port/sandbox.ts';
import { exec } from '../process/exec.ts';
import { clientReader, isClientLine } from './acp/reader.ts';
import { type CliAgentOptions, cliAgent, withoutSession } from './cli-agent.ts';
import { withValues } from './command.ts';
import type { Harness } from './harness.ts';
import { harnesses } from './harnesses.ts';
import { jsonOf, textAt } from './stream.ts';

export interface AcpAgentOptions extends Omit<CliAgentOptions, 'binary'> {
  /**
   * Arguments that start the agent in this protocol, such as `opencode acp`. With `{model}` the model is passed there
   * and not by the protocol.
   */
  readonly command: readonly string[];
  /** Path of the built client, `acp-client.js`. */
  readonly program: string;
  /** Method of `authenticate`, if the agent needs that before a conversation. */
  readonly auth?: string | undefined;
  /** Variables of a one-shot call. */
  readonly reviewEnv?: Readonly<Record<string, string>> | undefined;
  /** State of an agent that is not among `harnesses`. */
  readonly state?: AgentState | undefined;
  /** Time limit for starting the agent and opening its conversation. */
  readonly startMs?: number;
}

/**
 * Any agent that speaks the Agent Client Protocol. Our children get a file as standard input, but this protocol needs a
 * dialogue. So our own client runs in between: it talks to the agent and prints one line per event.
 */
export function acpAgent(options: AcpAgentOptions): Agent {
  const { name, command, sandbox, args } = options;
  const [binary = '', ...words] = command;
  const program = resolve(options.program);
  const agent = cliAgent(harness(binary, [...words, ...args], options), { ...options, binary });
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
    probe: () =>
      probed(client(['--probe'], [found, ...withValues([...words, ...args], {}, '')]), options),
    launch(turn): Launch {
      const { argv, ...launch } = agent.launch(turn);
      return {
        ...launch,
        argv: client(flagsOf(withoutSession(turn), sandbox, options), argv),
      };
    },
  };
}

/** With this flag our client refuses writes and permission requests. It cannot stop an agent that does not ask. */
const reviewWords = ['--read-only'];

/** Flags and values are joined by `=`, so that a value may begin with a dash. */
function flagsOf(
  { purpose, session, model, reasoning }: Turn,
  sandbox: AcpAgentOptions['sandbox'],
  { startMs, auth, command, args }: AcpAgentOptions,
): string[] {
  const takesModel = [...command, ...args].some((word) => word.includes('{model}'));
  return [
    ...(auth === undefined ? [] : [`--auth=${auth}`]),
    ...(session === undefined ? [] : [`--session=${session}`]),
    ...(model === undefined || takesModel ? [] : [`--model=${model}`]),
    ...(reasoning === undefined ? [] : [`--reasoning=${reasoning}`]),
    // The client writes files only inside the worktree, or not at all.
    ...(purpose === 'review' ? reviewWords : sandbox === 'auto' ? ['--files'] : []),
    ...(startMs === undefined ? [] : [`--start-ms=${startMs}`]),
  ];
}

function harness(
  binary: string,
  words: readonly string[],
  { state, reviewEnv = {} }: AcpAgentOptions,
): Harness {
  return {
    use: 'acp',
    binary,
    capabilities: { sessions: 'theirs', usage: 'turn', cost: true, model: true, reasoning: true },
    endSignal: 'SIGTERM',
    // Any version fits: only the protocol version counts, and the client checks it.
    supported: ['0.0.0', '9999.0.0'],
    review: { args: [], env: {} },
    argv: (turn) => withValues(words, turn, ''),
    env: ({ purpose }) => (purpose === 'review' ? reviewEnv : {}),
    read: ({ session, model, sessionUsage }, { name: agent }) =>
      clientReader({
        agent,
        binary,
        session,
        model,
        costBefore: session === undefined ? undefined : sessionUsage?.costUsd,
      }),
    owns: isClientLine,
    // The client already reports all errors of the agent; an agent that died leaves its exit status and output.
    diagnose: () => undefined,
    // The command may start one of the known agents, such as `gemini --acp`.
    state: (env) =>
      state ??
      Object.values(harnesses)
        .find((known) => [binary, ...words].some((word) => word.includes(known.binary)))
        ?.state(env) ??
      noState,
    signIn: () => ({ signedIn: 'unknown' }),
  };
}

const probeBytes = 1024 * 1024;

/** Checks that the command starts an agent that speaks the protocol, by sending `initialize`. */
async function probed(
  argv: readonly string[],
  { root, base, env = {} }: AcpAgentOptions,
): Promise<AgentHealth> {
  const asked = await exec(argv, {
    cwd: root,
    env: defined({ ...base, ...env }),
    wallMs: limits.probeMs,
    outputBytes: probeBytes,
  });
  const lines = asked.id === 'ended' ? asked.stdout.toString('utf8').split('\n') : [];
  const agent = lines.map(jsonOf).find((json) => textAt(json, 'type') === 'agent');
  const command = argv.slice(argv.indexOf('--') + 1).join(' ');
  return {
    supported: 'version 1 of the Agent Client Protocol',
    fits: agent !== undefined,
    version: textAt(agent, 'version'),
    signedIn: 'unknown' as const,
    remedy: agent === undefined ? `Try by hand: ${command}` : undefined,
  };
}
