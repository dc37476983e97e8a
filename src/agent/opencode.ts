import type { Action } from '../model/action.ts';
import type { Failure } from '../model/failure.ts';
import { plus, type Usage } from '../model/turn.ts';
import { subjectOf, textActions } from './action.ts';
import { agentError, agentLimit, classify, recognized, streamBroken } from './classify.ts';
import { BaseReader, type Harness, type Json, type StreamFacts, signInBy } from './harness.ts';
import { countAt, jsonOf, numberAt, objectAt, textAt } from './stream.ts';

/** The last matching rule counts. Redirection and `--output` could make a reading command write. */
const readingOnly = {
  edit: 'deny',
  bash: {
    '*': 'deny',
    'git diff*': 'allow',
    'git log*': 'allow',
    'git show*': 'allow',
    '*--output*': 'deny',
    '*>*': 'deny',
  },
} as const;

export const opencode: Harness = {
  use: 'opencode',
  binary: 'opencode',
  capabilities: { sessions: 'theirs', usage: 'turn', cost: true, model: true, reasoning: true },
  endSignal: 'SIGTERM',
  supported: ['1.18.0', '2.0.0'],
  review: { args: [], env: { OPENCODE_PERMISSION: JSON.stringify(readingOnly) } },
  argv: (turn, { args }) => [
    'run',
    '--format',
    'json',
    // It has no sandbox, so both settings allow everything that the user's config does not deny.
    '--auto',
    // The log is the only place that names errors such as an unknown model.
    '--print-logs',
    '--log-level',
    'ERROR',
    '--dir',
    turn.worktree,
    ...(turn.model === undefined ? [] : ['--model', turn.model]),
    ...(turn.reasoning === undefined ? [] : ['--variant', turn.reasoning]),
    // With a title given, it does not ask a model for one, whose tokens it would not report.
    ...(turn.session === undefined
      ? ['--title', `${turn.run}/${turn.subject}`]
      : ['--session', turn.session]),
    ...args,
  ],
  env: ({ purpose }) => ({
    OPENCODE_DISABLE_AUTOUPDATE: '1',
    OPENCODE_DISABLE_SHARE: '1',
    ...(purpose === 'review' ? opencode.review.env : {}),
  }),
  attach: (session) => ['--session', session],
  read: (turn, options) => new OpencodeReader(turn, options),
  owns: (json, type) => textAt(json, 'sessionID') !== undefined && type !== '',
  diagnose(turn, _end, tail, { name }) {
    if (turn.session !== undefined && /Session not found\s*$/m.test(tail)) {
      const message = 'Session not found';
      return { kind: 'session-lost', agent: name, message, session: turn.session };
    }
    return failureInLog(tail, name, turn.model) ?? failureInStream(tail, name, turn.model);
  },
  state(env) {
    const within = (variable: string, usual: string): string =>
      `${env[variable] || `${env.HOME ?? ''}/${usual}`}/opencode`;
    return {
      // Its database is among its data, so that its folder has to be shared as a whole.
      folders: [
        { use: 'shared', dir: within('XDG_DATA_HOME', '.local/share') },
        { use: 'shared', dir: within('XDG_STATE_HOME', '.local/state') },
        { use: 'shared', dir: within('XDG_CACHE_HOME', '.cache') },
        { use: 'read', dir: within('XDG_CONFIG_HOME', '.config') },
      ],
      files: [],
      variables: signInVariables,
    };
  },
  signIn(env, exists) {
    const variable = signInBy(env, signInVariables);
    if (variable !== undefined) return variable;
    const moved = env.XDG_DATA_HOME ?? '';
    const folder = moved === '' ? `${env.HOME ?? ''}/.local/share` : moved;
    const signIn = `${moved === '' ? '~/.local/share' : '$XDG_DATA_HOME'}/opencode/auth.json`;
    if (exists(`${folder}/opencode/auth.json`)) return { signedIn: 'yes', signIn };
    const remedy =
      'Run `opencode auth login`, or set the variable that your provider takes its key from.';
    // The key may be in its config, and a local model needs none.
    return { signedIn: 'unknown', signIn, remedy };
  },
};

/** API key variables of common providers. */
const signInVariables = [
  'OPENCODE_API_KEY',
  'OPENCODE_AUTH_CONTENT',
  'ANTHROPIC_API_KEY',
  'OPENAI_API_KEY',
  'GEMINI_API_KEY',
  'GOOGLE_GENERATIVE_AI_API_KEY',
  'OPENROUTER_API_KEY',
  'GROQ_API_KEY',
  'XAI_API_KEY',
  'MISTRAL_API_KEY',
  'DEEPSEEK_API_KEY',
];

/** `level=ERROR … error="SomeError: text" …` in the log; `error.error` for errors of a service. */
const logged = /\blevel=ERROR\b.*?\berror(?:\.error)?="(?:(\w*Error): )?((?:[^"\\]|\\.)*)"/g;

/** The last known error in the log. */
function failureInLog(tail: string, agent: string, model: string | undefined): Failure | undefined {
  const found = [...tail.matchAll(logged)].map(([, name, message = '']) =>
    recognized(agent, { message, codes: [name], model }),
  );
  return found.findLast((failure) => failure !== undefined);
}

/** The last error of the stream, including those that do not end the turn. */
function failureInStream(
  tail: string,
  agent: string,
  model: string | undefined,
): Failure | undefined {
  const lines = tail.split('\n').map((line) => jsonOf(line));
  const last = lines.findLast((json) => json?.type === 'error');
  return last && opencodeFailure(last, agent, model);
}

/**
 * Limit of consecutive steps without tokens and reason. OpenCode retries forever on an answer that is not a model's,
 * such as a proxy page, and keeps printing, so that only the wall-time limit would end it.
 */
const emptySteps = 5;

/** Reads `--format json`. There is no final line; a step with the reason `stop` ends the turn. */
class OpencodeReader extends BaseReader {
  #empty = 0;

  line(json: Json): readonly Action[] {
    this.session = textAt(json, 'sessionID') ?? this.session;
    const part = objectAt(json, 'part');
    switch (json.type) {
      case 'step_start':
        this.text.restart();
        if (this.#empty < emptySteps) this.end = undefined;
        return [];
      case 'text':
        // Text that OpenCode sends to the model itself, for example after compacting, is not an answer.
        if (part?.synthetic === true) return [];
        this.text.add(`${textAt(part, 'text') ?? ''}\n`);
        return textActions(textAt(part, 'text'));
      case 'tool_use':
        this.text.restart();
        if (isDenied(part)) this.denied = [...this.denied, textAt(part, 'tool') ?? 'a tool'];
        return this.#used(part);
      case 'step_finish':
        this.#finished(part);
        return [];
      case 'error':
        this.end = isFinal(json) ? opencodeFailure(json, this.agent, this.turn.model) : undefined;
        return [];
      default:
        return [];
    }
  }

  /** A tool call is reported once, at its end. */
  #used(part: Json | undefined): readonly Action[] {
    const state = objectAt(part, 'state');
    const key = textAt(part, 'callID') ?? '';
    const time = objectAt(state, 'time');
    const exit = numberAt(objectAt(state, 'metadata'), 'exit');
    const subject = subjectOf(objectAt(state, 'input'));
    this.tools.begin(key, textAt(part, 'tool') ?? 'tool', subject, numberAt(time, 'start'));
    const outcome = {
      ok: state?.status !== 'error' && (exit ?? 0) === 0,
      exit: exit || undefined,
      output: textAt(state, 'error') ?? textAt(state, 'output') ?? '',
    };
    return this.tools.end(key, outcome, numberAt(time, 'end'));
  }

  #finished(part: Json | undefined): void {
    const reason = textAt(part, 'reason') ?? 'unknown';
    const step = usageOf(part);
    this.usage = plus(this.usage, step);
    const isEmpty = reason === 'unknown' && step.input + step.cacheRead + step.output === 0;
    this.#empty = isEmpty ? this.#empty + 1 : 0;
    this.end =
      this.#empty < emptySteps
        ? endBy(reason, this.agent)
        : streamBroken(this.agent, `The service gave ${emptySteps} empty answers in a row.`);
  }

  override facts(): StreamFacts {
    return { ...super.facts(), finalText: this.text.text().trimEnd() };
  }
}

function usageOf(part: Json | undefined): Usage {
  const tokens = objectAt(part, 'tokens');
  const cache = objectAt(tokens, 'cache');
  const costUsd = countAt(part, 'cost');
  return {
    input: countAt(tokens, 'input'),
    cacheRead: countAt(cache, 'read'),
    cacheWrite: countAt(cache, 'write'),
    output: countAt(tokens, 'output') + countAt(tokens, 'reasoning'),
    // 0 means that the price of the model is unknown.
    ...(costUsd === 0 ? {} : { costUsd }),
  };
}

/** The turn continues after a step with tool calls and after one without a reason. */
function endBy(reason: string, agent: string): StreamFacts['end'] {
  switch (reason) {
    case 'stop':
      return 'ok';
    case 'tool-calls':
    case 'unknown':
      return undefined;
    case 'length':
      return agentLimit(
        agent,
        'output tokens',
        'The answer exceeded the output limit of the model.',
      );
    case 'content-filter':
      return { kind: 'provider-refused', agent, message: 'The service filtered its answer.' };
    default:
      return agentError(agent, `The last step ended with the reason "${reason}".`);
  }
}

/** True if a rule of the user's config refused the tool. */
function isDenied(part: Json | undefined): boolean {
  const state = objectAt(part, 'state');
  const error = state?.status === 'error' ? textAt(state, 'error') : undefined;
  return error !== undefined && /^The user (?:has specified a rule|rejected)/.test(error);
}

/**
 * True if the error ends the turn. A conversation that is too long is compacted and continues; an error with a
 * reference has details in the log.
 */
function isFinal(json: Json): boolean {
  const error = objectAt(json, 'error');
  if (error?.name === 'UnknownError') return textAt(objectAt(error, 'data'), 'ref') === undefined;
  return error?.name !== 'ContextOverflowError';
}

function opencodeFailure(json: Json, agent: string, model: string | undefined): Failure {
  const error = objectAt(json, 'error');
  const data = objectAt(error, 'data');
  const name = textAt(error, 'name') ?? 'error without a name';
  const message = textAt(data, 'message') ?? name;
  if (name === 'MessageOutputLengthError') return agentLimit(agent, 'output tokens', message);
  const body = textAt(data, 'responseBody') ?? '';
  const answer = objectAt(jsonOf(body), 'error');
  return classify(agent, {
    // The service's answer has the same text plus structured data.
    message: textAt(answer, 'message') === undefined ? message : body,
    status: numberAt(data, 'statusCode'),
    codes: [textAt(objectAt(data, 'metadata'), 'code'), textAt(answer, 'code'), name],
    headers: objectAt(data, 'responseHeaders'),
    model,
  });
}
