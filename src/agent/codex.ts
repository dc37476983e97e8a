import { existsSync } from 'node:fs';
import type { Action } from '../model/action.ts';
import { cloneOf } from '../model/branch.ts';
import type { Failure } from '../model/failure.ts';
import type { Usage } from '../model/turn.ts';
import type { Turn } from '../port/agent.ts';
import { subjectOf, textActions } from './action.ts';
import { classify, oneLine, type ReportedError, recognized } from './classify.ts';
import {
  BaseReader,
  type Harness,
  type HarnessOptions,
  type Json,
  type ReaderInput,
  type StreamFacts,
  signInBy,
} from './harness.ts';
import { countAt, jsonOf, listAt, numberAt, objectAt, textAt } from './stream.ts';
import { minus } from './turn-end.ts';

export const codex: Harness = {
  use: 'codex',
  binary: 'codex',
  capabilities: {
    sessions: 'theirs',
    usage: 'conversation',
    cost: false,
    model: true,
    reasoning: true,
  },
  endSignal: 'SIGTERM',
  supported: ['0.166.0', '0.170.0'],
  review: { args: ['--ephemeral', '-c', 'sandbox_mode="read-only"'], env: {} },
  argv: (turn, options) => [
    'exec',
    ...(turn.session === undefined ? [] : ['resume']),
    '--json',
    '--skip-git-repo-check',
    ...settings(turn, options),
    ...options.args,
    ...(turn.session === undefined ? [] : [turn.session]),
    // Read the prompt from standard input.
    '-',
  ],
  env: () => ({}),
  // Its background server would keep the conversation after the person left, and refuse it to the next turn.
  attach: (session, worktree, { sandbox }) => [
    'resume',
    '--no-daemon',
    ...(sandbox === 'none' ? trusting(worktree) : []),
    session,
  ],
  read: (turn, options) => new CodexReader(turn, options),
  owns: (_json, type) => /^(?:thread|turn|item)\.\w+$/.test(type),
  diagnose: (turn, _end, tail, { name }) => diagnosed(turn, tail, name),
  state: (env) => ({
    folders: [
      {
        use: 'mixed',
        dir: env.CODEX_HOME ?? `${env.HOME ?? ''}/.codex`,
        keep: ['sessions'],
        readOnly: userSettings,
      },
    ],
    files: [],
    variables: signInVariables,
  }),
  signIn: (env, exists) => {
    const variable = signInBy(env, signInVariables);
    const folder = env.CODEX_HOME ?? `${env.HOME ?? ''}/.codex`;
    const shown = env.CODEX_HOME === undefined ? '~/.codex' : folder;
    if (exists(`${folder}/auth.json`)) return { signedIn: 'yes', signIn: `${shown}/auth.json` };
    if (variable !== undefined) return variable;
    const remedy = 'Run `codex login`, or set CODEX_API_KEY.';
    // A custom provider may be configured there, with a key of any name.
    return exists(`${folder}/config.toml`)
      ? { signedIn: 'unknown', signIn: `${shown}/auth.json`, remedy }
      : { signedIn: 'no', signIn: `${shown}/auth.json`, remedy };
  },
};

const signInVariables = ['CODEX_API_KEY', 'OPENAI_API_KEY'];

/** Entries of its folder that affect the user's next session. */
const userSettings = [
  'config.toml',
  'AGENTS.md',
  'AGENTS.override.md',
  'hooks',
  'hooks.json',
  'plugins',
  'prompts',
  'rules',
  'skills',
];

/** Without these options Codex asks whether the folder is trusted, and cannot save the answer in our sandbox. */
const trusting = (worktree: string): readonly string[] => [
  ...['-c', 'sandbox_mode="danger-full-access"'],
  ...['-c', `projects={${quoted(worktree)}={trust_level="trusted"}}`],
];

/** Uses `-c` alone, because `resume` does not accept the sandbox flags. Values are TOML. */
function settings(turn: Turn, { sandbox }: HarnessOptions): readonly string[] {
  const values: Record<string, string> = {
    // Otherwise it waits for the network forever, without output.
    'features.unbounded_connection_retries': 'false',
    check_for_update_on_startup: 'false',
    ...(turn.reasoning === undefined ? {} : { model_reasoning_effort: quoted(turn.reasoning) }),
    ...(sandbox === 'none' || turn.purpose === 'review'
      ? {}
      : {
          sandbox_mode: quoted('workspace-write'),
          'sandbox_workspace_write.network_access': 'true',
          'sandbox_workspace_write.writable_roots': list([
            ...gitRoots(turn.worktree),
            ...(turn.mailbox === undefined ? [] : [turn.mailbox]),
          ]),
        }),
  };
  return [
    ...permissionArgs(turn, sandbox),
    ...Object.entries(values).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
    ...(turn.model === undefined ? [] : ['-m', turn.model]),
  ];
}

/**
 * Codex reads files by running commands. Without a sandbox profile, a read-only sandbox that cannot start would stop
 * all reading.
 */
function permissionArgs({ purpose }: Turn, sandbox: HarnessOptions['sandbox']): readonly string[] {
  const all = sandbox === 'none' ? ['--dangerously-bypass-approvals-and-sandbox'] : [];
  if (purpose !== 'review') return all;
  return sandbox === 'none' ? ['--ephemeral', ...all] : codex.review.args;
}

const quoted = (text: string): string => JSON.stringify(text);
const list = (texts: readonly string[]): string => `[${texts.map(quoted).join(',')}]`;

const noSession =
  /no rollout found for thread id[^\n]*|no (?:conversation|session|thread) found[^\n]*/i;
const tooLong = /Input exceeds the maximum length[^\n(]*/i;
const missingKey = /Missing environment variable: `?(\w+)/i;

/** Some errors come before the turn begins, in the stream or on standard error. */
function diagnosed(turn: Turn, tail: string, agent: string): Failure | undefined {
  const lost = noSession.exec(tail)?.[0];
  if (turn.session !== undefined && lost !== undefined) {
    return { kind: 'session-lost', agent, message: lost, session: turn.session };
  }
  // It accepts at most one megabyte, whatever the model allows.
  const long = tooLong.exec(tail)?.[0];
  if (long !== undefined) return { kind: 'context-overflow', agent, message: oneLine(long) };
  const errors = tail.split('\n').flatMap((line) => {
    const json = jsonOf(line);
    return json?.type === 'error' ? [textAt(json, 'message') ?? ''] : [];
  });
  const message = errors.at(-1);
  // A stream that broke off during a retry does not show why it ended.
  if (message === undefined || /^Reconnecting/.test(message)) return undefined;
  return recognized(agent, reportedError(turn, message));
}

/** Texts that Codex prints instead of the error name of the service. */
const codeOfMessage: readonly (readonly [words: RegExp, code: string])[] = [
  [missingKey, 'authentication_error'],
  [/^Quota exceeded\. Check your plan and billing/, 'insufficient_quota'],
];

function reportedError(turn: ReaderInput, message: string): ReportedError {
  return {
    message,
    model: turn.model,
    codes: codeOfMessage.filter(([words]) => words.test(message)).map(([, code]) => code),
    variable: missingKey.exec(message)?.[1],
  };
}

/**
 * Reads `exec --json`. `turn.completed` or `turn.failed` ends the turn. An `error` before it is a retry or a
 * repetition; an item of type `error` is a warning.
 */
class CodexReader extends BaseReader {
  line(json: Json): readonly Action[] {
    switch (json.type) {
      case 'thread.started':
        this.session = textAt(json, 'thread_id') ?? this.session;
        return [];
      case 'item.started':
        return this.#begun(objectAt(json, 'item'));
      case 'item.completed':
        return this.#item(objectAt(json, 'item'));
      case 'turn.completed':
        this.usage = usageOf(objectAt(json, 'usage'), this.turn.sessionUsage);
        this.end = 'ok';
        return [];
      case 'turn.failed': {
        const message = textAt(objectAt(json, 'error'), 'message') ?? '';
        this.end = classify(this.agent, reportedError(this.turn, message));
        return [];
      }
      default:
        return [];
    }
  }

  #begun(item: Json | undefined): readonly Action[] {
    const tool = toolOf(item);
    if (tool === undefined) return [];
    return this.tools.begin(textAt(item, 'id') ?? '', tool.name, tool.subject);
  }

  #item(item: Json | undefined): readonly Action[] {
    if (item?.type === 'agent_message') {
      this.text.restart(textAt(item, 'text'));
      return textActions(textAt(item, 'text'));
    }
    // Some items are reported only at their end.
    const begun = this.#begun(item);
    const exit = numberAt(item, 'exit_code');
    const ended = this.tools.end(textAt(item, 'id') ?? '', {
      ok: textAt(item, 'status') !== 'failed' && (exit ?? 0) === 0,
      exit: exit || undefined,
      output: textAt(item, 'aggregated_output') ?? textAt(objectAt(item, 'error'), 'message') ?? '',
    });
    return [...begun, ...ended];
  }

  override facts(): StreamFacts {
    return { ...super.facts(), session: this.session ?? this.turn.session };
  }
}

interface Tool {
  readonly name: string;
  readonly subject: string;
}

function toolOf(item: Json | undefined): Tool | undefined {
  switch (item?.type) {
    case 'command_execution':
      return { name: 'shell', subject: unwrapped(textAt(item, 'command') ?? '') };
    case 'file_change': {
      const paths = listAt(item, 'changes').map((change) => textAt(change, 'path') ?? '');
      return { name: 'edit', subject: paths.join(' ') };
    }
    case 'mcp_tool_call': {
      const name = textAt(item, 'tool') ?? 'tool';
      return { name, subject: subjectOf(objectAt(item, 'arguments')) };
    }
    case 'web_search':
      return { name: 'search', subject: textAt(item, 'query') ?? '' };
    default:
      return undefined;
  }
}

/** Removes the shell that wraps each command. */
function unwrapped(command: string): string {
  return /^\S*sh -l?c '([\s\S]*)'$/.exec(command)?.[1]?.replaceAll(`'\\''`, "'") ?? command;
}

/**
 * Usage of the turn: the count of the whole conversation without the earlier turns. Input includes cache reads and
 * writes; output includes reasoning.
 */
function usageOf(json: Json | undefined, before: Usage | undefined): Usage | undefined {
  if (json === undefined) return undefined;
  const cacheRead = countAt(json, 'cached_input_tokens');
  const cacheWrite = countAt(json, 'cache_write_input_tokens');
  const input = Math.max(0, countAt(json, 'input_tokens') - cacheRead - cacheWrite);
  return minus({ input, cacheRead, cacheWrite, output: countAt(json, 'output_tokens') }, before);
}

/**
 * The worktree's own git, which lies next to it. Only an existing one, because the sandbox fails to start with others.
 */
export function gitRoots(worktree: string): readonly string[] {
  const own = cloneOf(worktree);
  return existsSync(own) ? [own] : [];
}
