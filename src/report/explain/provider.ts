import type { ProviderFailure } from '../../model/failure.ts';
import { capitalized } from '../format/layout.ts';
import { span, utcMinute } from '../format/time.ts';
import { inline, type SentencesOf } from './explanation.ts';

/** Advice on signing in to known agents, by profile name. */
const signIns: readonly (readonly [RegExp, string])[] = [
  [/^claude/i, 'start `claude` and type `/login`'],
  [/^codex/i, 'type `codex login`'],
  [/^opencode/i, 'type `opencode auth login`'],
  [/^gemini/i, 'start `gemini` and choose how to sign in'],
  [/^qwen/i, 'start `qwen` and type `/auth`'],
  [/^goose/i, 'type `goose configure`'],
  [/^copilot/i, 'type `copilot login`'],
  [/^cursor/i, 'type `cursor-agent login`'],
  [/^amp$/i, 'type `amp login`'],
];

/** Failures of an agent's service or of the agent program. */
export const providerSentences: SentencesOf<ProviderFailure> = {
  'provider-auth': (failure) => ({
    what: `${name(failure)} is not signed in, or its key was refused.`,
    why: reported(failure),
    do: `${signIn(failure)}; check it with \`ym doctor\`, then type \`ym resume\`.`,
    exit: 3,
  }),
  'provider-billing': (failure) => ({
    what: `The account of ${name(failure)} has no credit.`,
    why: reported(failure),
    do: 'Add credit at the service, then type `ym resume`; or let another agent work: `ym config set agent NAME`.',
    exit: 3,
  }),
  'provider-rate-limit': (failure) => ({
    what: `${name(failure)} hit a rate limit${after(failure.retryAfterMs)}.`,
    why: reported(failure),
    do: 'No action needed: it continues automatically after a pause, or with `ym resume` if the run has ended. Fewer agents send fewer requests: `ym config set jobs 2`.',
  }),
  'quota-exhausted': (failure) => {
    const at = failure.resetAt === undefined ? undefined : utcMinute(failure.resetAt);
    return {
      what: `The quota of ${name(failure)} is used up${at === undefined ? '' : ` until ${at}`}.`,
      why: reported(failure),
      do: `No action needed: it continues automatically ${at === undefined ? 'after a pause' : `at ${at}`}. If the run has ended, type \`ym resume\` then; \`ym config set quota.wait 12h\` lets runs wait longer.`,
      exit: 4,
    };
  },
  'provider-server': (failure, task) => ({
    what: `The service behind ${name(failure)} ${failure.status === 529 || failure.status === 503 ? 'is overloaded' : 'failed'}.`,
    why: reported(failure),
    do: againByItself('see the status page of the service', task),
  }),
  'provider-unreachable': (failure, task) => ({
    what: `The service behind ${name(failure)} could not be reached.`,
    why: reported(failure),
    do: againByItself('check the network, the proxy and the address of the service', task),
    exit: 3,
  }),
  'model-unknown': (failure, task) => ({
    what: `${name(failure)} does not know the model${failure.model === undefined ? '' : ` "${inline(failure.model)}"`}.`,
    why: reported(failure),
    do: `Name another one: \`ym config set model.default NAME\`, or in the label or text of the task; then \`ym retry ${task}\`.`,
  }),
  'provider-refused': (failure, task) => ({
    what: `The service behind ${name(failure)} refused what it was sent.`,
    why: reported(failure),
    do: `Read \`ym log ${task}\`; fix what it complains about (\`model.default\`, \`agents.${name(failure)}.args\`, the text of the task), then \`ym retry ${task}\`.`,
  }),
  'context-overflow': (failure, task) => ({
    what: `The conversation of ${name(failure)} grew too long for its model.`,
    why: reported(failure),
    do: `Make the task smaller, or choose a model with a larger context: \`ym config set model.default NAME\`; then \`ym retry ${task}\`.`,
  }),
  'permission-denied': (failure, task) => ({
    what: `${name(failure)} was not allowed to use ${inline(failure.tools.join(', ')) || 'a tool it needed'}.`,
    why: reported(failure),
    do: `Allow it in \`agents.${name(failure)}.args\`, or turn the sandbox off with \`ym config set sandbox none\`; then \`ym retry ${task}\`.`,
  }),
  'agent-limit': (failure, task) => ({
    what: `${name(failure)} stopped at its own limit: ${inline(failure.limit) || 'not named'}.`,
    why: reported(failure),
    do: `Make the task smaller, or raise the limit in \`agents.${name(failure)}.args\`; then \`ym retry ${task}\`.`,
  }),
  'session-lost': (failure, task) => ({
    what: `${name(failure)} no longer knows the conversation ${inline(failure.session)}.`,
    why: reported(failure),
    do: `No action needed: a new conversation starts, and the work so far is in its worktree. If it happens again, read \`ym log ${task}\`.`,
  }),
  'stream-broken': (failure, task) => ({
    what: `${name(failure)} ended without a readable result.`,
    why: reported(failure),
    do: againByItself('check with `ym doctor` whether its version is supported', task),
  }),
  'agent-error': (failure, task) => ({
    what: `${name(failure)} reported an error.`,
    why: reported(failure),
    do: `Read \`ym log ${task}\` for its full output; \`ym doctor\` checks the agent.`,
  }),
};

function name({ agent }: ProviderFailure): string {
  return inline(agent) || 'the agent';
}

function reported({ message, status }: ProviderFailure): string {
  const answered = status === undefined ? '' : ` (HTTP ${status})`;
  const text = inline(message);
  return text === '' ? `It reported nothing more${answered}.` : `It reported: ${text}${answered}.`;
}

export function signIn({
  agent,
  variable,
}: Extract<ProviderFailure, { kind: 'provider-auth' }>): string {
  const known = signIns.find(([begins]) => begins.test(agent))?.[1];
  const sentence = capitalized(known ?? 'sign in with its own command');
  return variable === undefined
    ? sentence
    : `${sentence}, or put a valid key into ${inline(variable)}`;
}

function againByItself(remedy: string, task: string): string {
  return `No action needed at first: it is retried automatically, with growing pauses. If it keeps failing, ${remedy}; then \`ym retry ${task}\`, and \`ym resume\` if the run has ended.`;
}

function after(ms: number | undefined): string {
  return ms === undefined ? '' : `; it may retry in ${span(ms)}`;
}
