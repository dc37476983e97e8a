import type { Action } from '../model/action.ts';
import type { Failure } from '../model/failure.ts';
import { plus, type Usage } from '../model/turn.ts';
import type { Turn } from '../port/agent.ts';
import { subjectOf, textActions } from './action.ts';
import { agentError, agentLimit, classify, oneLine } from './classify.ts';
import {
  BaseReader,
  type Harness,
  type HarnessOptions,
  type Json,
  type ReaderInput,
  type StreamFacts,
  sessionArgs,
  signInBy,
} from './harness.ts';
import { countAt, listAt, numberAt, objectAt, textAt } from './stream.ts';
import { moment, type Wait } from './wait.ts';

/** Tools allowed in the sandbox; all others are refused. */
const tools = 'Bash,Edit,Write,Read,Glob,Grep,NotebookEdit,TodoWrite,Task';

/** Tools offered to a reviewer. Commands that write need a permission, which is never given. */
const readingTools = 'Read,Glob,Grep,Bash';

export const claude: Harness = {
  use: 'claude',
  binary: 'claude',
  capabilities: { sessions: 'ours', usage: 'turn', cost: true, model: true, reasoning: true },
  // Only on SIGINT it reports its usage so far and ends its child processes.
  endSignal: 'SIGINT',
  supported: ['2.1.0', '2.2.0'],
  review: {
    args: ['--no-session-persistence', '--tools', readingTools, '--allowedTools', 'Read,Glob,Grep'],
    env: {},
  },
  argv: (turn, { sandbox, args }) => [
    '-p',
    '--output-format',
    'stream-json',
    '--verbose',
    ...permissionArgs(turn, sandbox),
    ...(turn.model === undefined ? [] : ['--model', turn.model]),
    ...(turn.reasoning === undefined ? [] : ['--effort', effortOf(turn.reasoning)]),
    ...sessionArgs(turn),
    ...args,
  ],
  env: (turn, { sandbox }) => ({
    DISABLE_AUTOUPDATER: '1',
    // Without this, root may not skip permissions.
    ...(sandbox === 'none' && turn.purpose !== 'review' ? { IS_SANDBOX: '1' } : {}),
    // It retries even a refused key for minutes, longer than a probe waits.
    ...(turn.step === 'probe' ? { CLAUDE_CODE_MAX_RETRIES: '1' } : {}),
  }),
  attach: (session) => ['--resume', session],
  read: (turn, options) => new ClaudeReader(turn, options),
  owns: (json, type) => types.has(type) && textAt(json, 'session_id') !== undefined,
  // A lost or duplicate session is reported before the stream begins.
  diagnose(turn, _end, tail, { name }) {
    const found = noSession.exec(tail);
    return found === null ? undefined : sessionLost(turn, name, found[0]);
  },
  state(env) {
    const home = env.HOME ?? '';
    const dir = env.CLAUDE_CONFIG_DIR ?? `${home}/.claude`;
    return {
      folders: [{ use: 'mixed', dir, keep: ['projects'], readOnly: userSettings }],
      files: [`${home}/.claude.json`],
      variables: signInVariables,
    };
  },
  signIn: (env, exists) => {
    const variable = signInBy(env, signInVariables);
    if (variable !== undefined) return variable;
    const home = env.HOME ?? '';
    const folder = env.CLAUDE_CONFIG_DIR ?? `${home}/.claude`;
    if (exists(`${folder}/.credentials.json`)) {
      return { signedIn: 'yes', signIn: displayPath(folder, home, '.credentials.json') };
    }
    const remedy = 'Run `claude` once and sign in with /login, or set ANTHROPIC_API_KEY.';
    // macOS keeps the sign-in in the keychain, which asks the user before it answers.
    return exists(`${home}/Library/Keychains`)
      ? { signedIn: 'unknown', signIn: 'the keychain', remedy }
      : { signedIn: 'no', signIn: displayPath(folder, home, '.credentials.json'), remedy };
  },
};

function permissionArgs({ purpose }: Turn, sandbox: HarnessOptions['sandbox']): readonly string[] {
  if (purpose === 'review') return claude.review.args;
  return sandbox === 'none'
    ? ['--dangerously-skip-permissions']
    : ['--permission-mode', 'acceptEdits', '--allowedTools', tools];
}

/** Entries of its folder that affect the user's next session. */
const userSettings = [
  'settings.json',
  'settings.local.json',
  'CLAUDE.md',
  'agents',
  'commands',
  'hooks',
  'keybindings.json',
  'output-styles',
  'plugins',
  'rules',
  'skills',
];

const types = new Set(['system', 'assistant', 'user', 'result', 'rate_limit_event']);

const signInVariables = [
  'ANTHROPIC_API_KEY',
  'ANTHROPIC_AUTH_TOKEN',
  'CLAUDE_CODE_OAUTH_TOKEN',
  'CLAUDE_CODE_USE_BEDROCK',
  'CLAUDE_CODE_USE_VERTEX',
  'CLAUDE_CODE_USE_FOUNDRY',
];

function displayPath(folder: string, home: string, file: string): string {
  const short =
    home !== '' && folder.startsWith(`${home}/`) ? `~${folder.slice(home.length)}` : folder;
  return `${short}/${file}`;
}

/** Claude accepts low, medium, high, xhigh and max. */
const effortOf = (reasoning: string): string => (reasoning === 'minimal' ? 'low' : reasoning);

const noSession = /No conversation found with session ID|Session ID \S+ is already in use/i;

function sessionLost(turn: ReaderInput, agent: string, message: string): Failure {
  return { kind: 'session-lost', agent, message, session: turn.session ?? turn.newSession };
}

/**
 * Reads `stream-json`. The `result` line ends the turn. It is good only if `is_error` and `subtype` agree: each alone
 * is wrong for some failed turns. The error class is in the message before it.
 */
class ClaudeReader extends BaseReader {
  readonly #counts = new ClaudeUsage();
  #error: string | undefined;
  #reset: Wait | undefined;

  line(json: Json): readonly Action[] {
    this.session = textAt(json, 'session_id') ?? this.session;
    switch (json.type) {
      case 'system':
        if (json.subtype === 'init') this.model = textAt(json, 'model');
        return [];
      case 'assistant':
        this.#answered(json);
        return this.#begun(json);
      case 'user':
        return listAt(objectAt(json, 'message'), 'content').flatMap((part) => this.#result(part));
      case 'rate_limit_event':
        this.#limited(objectAt(json, 'rate_limit_info'));
        return [];
      case 'result':
        this.#ended(json);
        return [];
      default:
        return [];
    }
  }

  /** Text and tool calls of an answer; of a subagent, only the tool calls. */
  #begun(json: Json): readonly Action[] {
    const isHelper = typeof json.parent_tool_use_id === 'string';
    return listAt(objectAt(json, 'message'), 'content').flatMap((part) => {
      if (part.type === 'text') return isHelper ? [] : textActions(textAt(part, 'text'));
      if (part.type !== 'tool_use') return [];
      const subject = subjectOf(objectAt(part, 'input'));
      return this.tools.begin(textAt(part, 'id') ?? '', textAt(part, 'name') ?? 'tool', subject);
    });
  }

  #result(part: Json): readonly Action[] {
    if (part.type !== 'tool_result') return [];
    const texts = listAt(part, 'content').map((one) => textAt(one, 'text') ?? '');
    const printed = textAt(part, 'content') ?? texts.join('\n');
    const [head = '', status] = /^Exit code (\d+)\s*/.exec(printed) ?? [];
    const ok = part.is_error !== true;
    return this.tools.end(textAt(part, 'tool_use_id') ?? '', {
      ok,
      exit: status === undefined || ok ? undefined : Number(status),
      output: printed.slice(head.length),
    });
  }

  #answered(json: Json): void {
    const message = objectAt(json, 'message');
    this.#counts.answer(message);
    // An answer of a subagent is not the agent's own.
    if (typeof json.parent_tool_use_id === 'string') return;
    this.#error = textAt(json, 'error');
    const model = textAt(message, 'model');
    // Errors come as answers of the model `<synthetic>`.
    if (model !== '<synthetic>') this.model = model ?? this.model;
  }

  #limited(info: Json | undefined): void {
    const isOver = textAt(info, 'status') === 'rejected';
    this.#reset = isOver ? moment(numberAt(info, 'resetsAt')) : undefined;
  }

  #ended(json: Json): void {
    this.#counts.result(json);
    this.text.restart(textAt(json, 'result'));
    this.denied = listAt(json, 'permission_denials').map(
      (denial) => textAt(denial, 'tool_name') ?? 'a tool',
    );
    const isGood = json.is_error === false && json.subtype === 'success';
    this.end = isGood ? 'ok' : this.#failure(json);
  }

  #failure(json: Json): Failure {
    const agent = this.agent;
    const subtype = textAt(json, 'subtype') ?? '';
    const errors = Array.isArray(json.errors) ? json.errors.filter(isText) : [];
    const message = textAt(json, 'result') ?? errors.join(' ');
    const own = /^error_(max_\w+)$/.exec(subtype)?.[1];
    if (own !== undefined) return agentLimit(agent, own.replaceAll('_', '-'), message);
    if (noSession.test(message)) return sessionLost(this.turn, agent, oneLine(message));
    const reason = textAt(json, 'terminal_reason');
    // Stopped from outside.
    if (reason?.startsWith('aborted')) return agentError(agent, reason);
    return classify(agent, {
      message: message || subtype,
      status: numberAt(json, 'api_error_status'),
      codes: [
        ...(this.#reset === undefined ? [] : ['usage_limit_reached']),
        this.#error,
        textAt(json, 'api_error'),
        textAt(json, 'api_error_type'),
        reason,
      ],
      wait: this.#reset,
      model: this.turn.model ?? this.model,
      variable: 'ANTHROPIC_API_KEY',
    });
  }

  override facts(): StreamFacts {
    return { ...super.facts(), usage: this.#counts.usage() };
  }
}

const isText = (value: unknown): value is string => typeof value === 'string';

/**
 * Usage of one Claude Code turn. A result line has three counts: `model_usage_since_last_result` covers this turn and
 * every model, subagents included; `usage` covers this turn's own conversation; `modelUsage` and, in newer versions,
 * `total_cost_usd` cover the whole conversation. The first is used; versions without it report the cost of the turn
 * alone. A turn that was cut off has only the counts of its answers.
 */
class ClaudeUsage {
  readonly #answers = new Map<string, Usage>();
  #results: Usage | undefined;

  /** Message of an `assistant` line. One answer comes as several lines with the same id. */
  answer(message: Json | undefined): void {
    const id = textAt(message, 'id');
    const usage = objectAt(message, 'usage');
    if (id === undefined || usage === undefined) return;
    this.#answers.set(id, tokens(usage, ofApi));
  }

  result(json: Json): void {
    const own = objectAt(json, 'model_usage_since_last_result');
    const usage = own === undefined ? usageOfTurn(json) : usageOfModels(own);
    this.#results = plus(this.#results, usage);
  }

  usage(): Usage | undefined {
    if (this.#results !== undefined) return this.#results;
    return [...this.#answers.values()].reduce<Usage | undefined>(plus, undefined);
  }
}

const ofApi = {
  input: 'input_tokens',
  cacheRead: 'cache_read_input_tokens',
  cacheWrite: 'cache_creation_input_tokens',
  output: 'output_tokens',
} as const;

const ofModel = {
  input: 'inputTokens',
  cacheRead: 'cacheReadInputTokens',
  cacheWrite: 'cacheCreationInputTokens',
  output: 'outputTokens',
} as const;

function tokens(json: Json | undefined, names: typeof ofApi | typeof ofModel): Usage {
  return {
    input: countAt(json, names.input),
    cacheRead: countAt(json, names.cacheRead),
    cacheWrite: countAt(json, names.cacheWrite),
    output: countAt(json, names.output),
  };
}

function usageOfTurn(json: Json): Usage {
  const cost = numberAt(json, 'total_cost_usd');
  const usage = tokens(objectAt(json, 'usage'), ofApi);
  return cost === undefined ? usage : { ...usage, costUsd: Math.max(0, cost) };
}

function usageOfModels(models: Json): Usage {
  const none: Usage = { input: 0, cacheRead: 0, cacheWrite: 0, output: 0, costUsd: 0 };
  return Object.keys(models).reduce<Usage>((all, name) => {
    const model = objectAt(models, name);
    return plus(all, { ...tokens(model, ofModel), costUsd: countAt(model, 'costUSD') });
  }, none);
}
