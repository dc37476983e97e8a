import type { Failure } from '../model/failure.ts';
import { recognized } from './classify.ts';
import type { Harness } from './harness.ts';
import { OpencodeReader, opencodeFailure } from './opencode-stream.ts';
import { jsonOf } from './stream.ts';

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
      ? ['--title', `${turn.run}/${turn.task.id}`]
      : ['--session', turn.session]),
    ...args,
  ],
  env: ({ purpose }) => ({
    OPENCODE_DISABLE_AUTOUPDATE: '1',
    OPENCODE_DISABLE_SHARE: '1',
    ...(purpose === 'review' ? opencode.review.env : {}),
  }),
  attach: (session) => ['--session', session],
  read: (turn, { name }) => new OpencodeReader(name, turn.model),
  diagnose(turn, _end, tail, { name }) {
    if (turn.session !== undefined && /Session not found\s*$/m.test(tail)) {
      const message = 'Session not found';
      return { kind: 'session-lost', agent: name, message, session: turn.session };
    }
    return failureInLog(tail, name, turn.model) ?? failureInStream(tail, name, turn.model);
  },
  signIn(env, exists) {
    const variable = signInVariables.find((known) => (env[known] ?? '') !== '');
    if (variable !== undefined) return { signedIn: 'yes', signIn: variable };
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
