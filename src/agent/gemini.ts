import type { Action } from '../model/action.ts';
import type { Failure } from '../model/failure.ts';
import type { Usage } from '../model/turn.ts';
import type { Turn } from '../port/agent.ts';
import type { ProcessEnd } from '../port/processes.ts';
import { type EndedCall, pieceActions, subjectOf } from './action.ts';
import { agentError, agentLimit, classify, oneLine, recognized, streamBroken } from './classify.ts';
import {
  BaseReader,
  type Harness,
  type Json,
  type StreamFacts,
  sessionArgs,
  signInBy,
} from './harness.ts';
import { countAt, jsonOf, objectAt, textAt } from './stream.ts';
import type { Wait } from './wait.ts';

export const gemini: Harness = {
  use: 'gemini',
  binary: 'gemini',
  capabilities: { sessions: 'ours', usage: 'turn', cost: false, model: true, reasoning: false },
  endSignal: 'SIGTERM',
  supported: ['0.61.0', '1.0.0'],
  // In this mode a tool that needs permission is refused, since there is no user to ask.
  review: { args: ['--approval-mode', 'default'], env: {} },
  argv: (turn, { args }) => [
    '--output-format',
    'stream-json',
    // Its sandbox needs a container engine, so both settings allow every tool.
    ...(turn.purpose === 'review' ? gemini.review.args : ['--yolo']),
    // It would refuse to work in an unknown folder, and every worktree is one.
    '--skip-trust',
    ...(turn.model === undefined ? [] : ['--model', turn.model]),
    ...sessionArgs(turn),
    ...args,
  ],
  // Otherwise it starts a second process, and the first one does not pass signals on.
  env: () => ({ GEMINI_CLI_NO_RELAUNCH: 'true' }),
  attach: (session) => ['--skip-trust', '--resume', session],
  read: (turn, options) => new GeminiReader(turn, options),
  owns: (json, type) => types.has(type) && textAt(json, 'timestamp') !== undefined,
  diagnose: (turn, end, tail, { name }) => diagnosed(turn, end, tail, name),
  state: (env) => ({
    folders: [
      {
        use: 'mixed',
        dir: `${env.GEMINI_CLI_HOME ?? env.HOME ?? ''}/.gemini`,
        keep: ['tmp'],
        readOnly: userSettings,
      },
    ],
    files: [],
    variables: signInVariables,
  }),
  signIn(env, exists) {
    const variable = signInBy(env, signInVariables);
    if (variable !== undefined) return variable;
    const folder = `${env.GEMINI_CLI_HOME ?? env.HOME ?? ''}/.gemini`;
    const shown = env.GEMINI_CLI_HOME === undefined ? '~/.gemini' : '$GEMINI_CLI_HOME/.gemini';
    const file = signInFiles.find((known) => exists(`${folder}/${known}`));
    if (file !== undefined) return { signedIn: 'yes', signIn: `${shown}/${file}` };
    const remedy = 'Run `gemini` once and sign in, or set GEMINI_API_KEY.';
    const settings = `${shown}/settings.json`;
    // The settings may name a sign-in whose secret is in a keychain.
    return exists(`${folder}/settings.json`)
      ? { signedIn: 'unknown', signIn: settings, remedy }
      : { signedIn: 'no', signIn: `${shown}/oauth_creds.json`, remedy };
  },
};

/** Entries of its folder that affect the user's next session. */
const userSettings = [
  '.env',
  'GEMINI.md',
  'commands',
  'extensions',
  'hooks',
  'policies',
  'settings.json',
  'skills',
  'trustedFolders.json',
];

const types = new Set(['init', 'message', 'tool_use', 'tool_result', 'error', 'result']);

const signInVariables = [
  'GEMINI_API_KEY',
  'GOOGLE_API_KEY',
  'GOOGLE_GENAI_USE_VERTEXAI',
  'GOOGLE_GENAI_USE_GCA',
  'GOOGLE_APPLICATION_CREDENTIALS',
];

const signInFiles = ['oauth_creds.json', 'gemini-credentials.json', '.env'];

/**
 * Meaning of the exit status. A few are its own; any other is the HTTP status of the last answer modulo 256. The error
 * class and the wait are in the error dump on standard error.
 */
function diagnosed(turn: Turn, end: ProcessEnd, tail: string, agent: string): Failure | undefined {
  if (end.how.id !== 'exited' || end.how.code === 0) return undefined;
  const message = messageIn(tail);
  switch (end.how.code) {
    case 41:
      return {
        kind: 'provider-auth',
        agent,
        message: oneLine(message),
        variable: 'GEMINI_API_KEY',
      };
    case 42:
      return badInput(turn, agent, message);
    case 44:
    case 52:
    case 54:
    case 55:
      return agentError(agent, message);
    case 53:
      return agentLimit(agent, 'turns', message);
    default:
      return refused(turn, end.how.code, message, tail, agent);
  }
}

/** Also covers a new session whose id exists already: the first try created it and left no trace. */
function badInput(turn: Turn, agent: string, message: string): Failure {
  return /^Error (?:resuming|starting) session\b/.test(message)
    ? {
        kind: 'session-lost',
        agent,
        message: oneLine(message),
        session: turn.session ?? turn.newSession,
      }
    : agentError(agent, message);
}

/** A shorter wait is a rate limit, even if the text says quota. */
const shortWaitMs = 5 * 60_000;

function refused(
  turn: Turn,
  code: number,
  message: string,
  tail: string,
  agent: string,
): Failure | undefined {
  const status = statusOf(code);
  const name = lastOf(tail, /\b(\w+Error): /g);
  const delay = lastOf(tail, /\bretryDelayMs: (\d+)/g);
  const wait: Wait = delay === undefined ? {} : { afterMs: Number(delay) };
  if (status === 429 && /credits are depleted/i.test(message)) {
    return { kind: 'provider-billing', agent, message: oneLine(message), status };
  }
  if (status === 429 && name === 'RetryableQuotaError' && (wait.afterMs ?? 0) <= shortWaitMs) {
    const retry = wait.afterMs === undefined ? {} : { retryAfterMs: wait.afterMs };
    return { kind: 'provider-rate-limit', agent, message: oneLine(message), status, ...retry };
  }
  // It also names an overloaded service a quota error; the status is right.
  const codes = status !== undefined && status >= 500 ? [] : [name];
  const trouble = { message, status, codes, model: turn.model };
  const told = delay === undefined ? trouble : { ...trouble, wait };
  return status === undefined ? recognized(agent, told) : classify(agent, told);
}

/** HTTP statuses of services; keeps small exit codes from being mistaken for one. */
const statuses: readonly (readonly [from: number, to: number])[] = [
  [400, 451],
  [500, 511],
  [520, 530],
];

function statusOf(code: number): number | undefined {
  return [code + 256, code + 512].find((status) =>
    statuses.some(([from, to]) => status >= from && status <= to),
  );
}

const lastOf = (text: string, pattern: RegExp): string | undefined =>
  [...text.matchAll(pattern)].at(-1)?.[1];

/** Reason of its end: the text of the `result` line, else the last readable output line. */
function messageIn(tail: string): string {
  const lines = tail.split('\n');
  const result = lines.map((line) => jsonOf(line)).findLast((json) => json?.type === 'result');
  const reported = textAt(objectAt(result, 'error'), 'message');
  if (reported !== undefined) return apiMessage(reported);
  const printed = lines.filter((line) => line.trim() !== '' && !isChatter(line));
  return printed.find((line) => line.startsWith('Error ')) ?? printed.at(-1) ?? '';
}

/** Startup messages, stream lines and stack frames. */
const isChatter = (line: string): boolean =>
  /^(?:\{|\s+at |\s{2}|\}|Warning: |YOLO mode |Ripgrep is |\[STARTUP\])/.test(line);

/**
 * Reads `stream-json`. The `status` of the `result` line decides, because the process may exit with 0 after a failure.
 */
class GeminiReader extends BaseReader {
  /** True if the conversation can be resumed: Gemini keeps none without a complete answer. */
  #isKept = this.turn.session !== undefined;
  /** Text of the last `error` line; only a warning if the turn continues. */
  #trouble: string | undefined;

  line(json: Json): readonly Action[] {
    switch (json.type) {
      case 'init':
        this.session = textAt(json, 'session_id');
        this.model = textAt(json, 'model');
        return [];
      case 'message':
        if (json.role !== 'assistant') return [];
        this.text.add(textAt(json, 'content') ?? '');
        return pieceActions(textAt(json, 'content'));
      case 'tool_use':
        this.#isKept = true;
        this.text.restart();
        return this.#begun(json);
      case 'tool_result':
        return this.tools.end(textAt(json, 'tool_id') ?? '', outcomeOf(json), timeOf(json));
      case 'error':
        this.#trouble = textAt(json, 'message');
        return [];
      case 'result':
        this.#ended(json);
        return [];
      default:
        return [];
    }
  }

  #begun(json: Json): readonly Action[] {
    const name = textAt(json, 'tool_name') ?? 'tool';
    const subject = subjectOf(objectAt(json, 'parameters'));
    return this.tools.begin(textAt(json, 'tool_id') ?? '', name, subject, timeOf(json));
  }

  #ended(json: Json): void {
    const stats = objectAt(json, 'stats');
    this.usage = usageOf(stats);
    this.#isKept ||= countAt(stats, 'total_tokens') > 0;
    this.model = mostUsed(objectAt(stats, 'models')) ?? this.model;
    this.end = json.status === 'success' ? this.#success() : this.#failure(json);
  }

  #success(): StreamFacts['end'] {
    const over = this.#trouble !== undefined && /maximum session turns/i.test(this.#trouble);
    return over ? agentLimit(this.agent, 'turns', this.#trouble ?? '') : 'ok';
  }

  /** Undefined if the text says too little; then the exit status decides. */
  #failure(json: Json): StreamFacts['end'] {
    const error = objectAt(json, 'error');
    const message = textAt(error, 'message');
    if (message === undefined)
      return this.#unanswered(this.#trouble ?? 'The result line has no reason.');
    if (error?.type === 'FatalTurnLimitedError') return agentLimit(this.agent, 'turns', message);
    const reported = apiMessage(message);
    if (/^Incomplete JSON segment/.test(reported)) return streamBroken(this.agent, reported);
    return reported.startsWith('{')
      ? classify(this.agent, {
          message: reported,
          model: this.turn.model ?? this.model,
          variable: 'GEMINI_API_KEY',
        })
      : undefined;
  }

  /** The service answered, but with no usable content. */
  #unanswered(message: string): Failure {
    if (/exceeded the token limit/i.test(message))
      return agentLimit(this.agent, 'output tokens', message);
    return /\bblocked\b/i.test(message)
      ? { kind: 'provider-refused', agent: this.agent, message: oneLine(message) }
      : streamBroken(this.agent, message);
  }

  override facts(): StreamFacts {
    return { ...super.facts(), session: this.#isKept ? this.session : undefined };
  }
}

/** Gemini reports no exit status: a failed command is a successful tool call. */
function outcomeOf(json: Json): EndedCall {
  const message = textAt(objectAt(json, 'error'), 'message');
  return { ok: json.status !== 'error', output: message ?? textAt(json, 'output') ?? '' };
}

function timeOf(json: Json): number | undefined {
  const time = Date.parse(textAt(json, 'timestamp') ?? '');
  return Number.isNaN(time) ? undefined : time;
}

/** `output_tokens` excludes reasoning, which is billed as output. */
function usageOf(stats: Json | undefined): Usage {
  const thought = countAt(stats, 'total_tokens') - countAt(stats, 'input_tokens');
  return {
    input: countAt(stats, 'input'),
    cacheRead: countAt(stats, 'cached'),
    cacheWrite: 0,
    output: Math.max(countAt(stats, 'output_tokens'), thought),
  };
}

/** With automatic model selection, small models run next to the main one. */
function mostUsed(models: Json | undefined): string | undefined {
  const used = Object.keys(models ?? {}).map((name) => ({
    name,
    tokens: countAt(objectAt(models, name), 'total_tokens'),
  }));
  return used.filter(({ tokens }) => tokens > 0).sort((one, other) => other.tokens - one.tokens)[0]
    ?.name;
}

/**
 * The service's error text, without the `[API Error: …]` around it and the advice about quotas that follows any 429.
 */
function apiMessage(message: string): string {
  return /^\[API Error: ([\s\S]*)\]/.exec(message)?.[1] ?? message;
}
