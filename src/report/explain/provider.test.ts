import { describe, expect, it } from 'vitest';
import { failures } from '../../../test/report/failures.ts';
import { settableKeys } from '../../config/keys.ts';
import type { Failure, ProviderFailure } from '../../model/failure.ts';
import { explain } from './explain.ts';

const text = (failure: Failure): string => {
  const { what, why, do: remedy, exit } = explain(failure, 'search');
  return `${what}\n${why}\n${remedy}\n(${exit})`;
};
const kinds: readonly ProviderFailure['kind'][] = [
  'provider-auth',
  'provider-billing',
  'provider-rate-limit',
  'quota-exhausted',
  'provider-server',
  'provider-unreachable',
  'model-unknown',
  'provider-refused',
  'context-overflow',
  'permission-denied',
  'agent-limit',
  'session-lost',
  'stream-broken',
  'agent-error',
];

describe('a turn that the service ended', () => {
  it('is explained, each kind in its own words', () => {
    const all = kinds.map((kind) => `${kind}\n${text(failures[kind])}\n`).join('\n');
    expect(`\n${all}`).toMatchInlineSnapshot(`
      "
      provider-auth
      claude is not signed in, or its key was refused.
      It reported: Not logged in · Please run /login.
      Start \`claude\` and type \`/login\`, or put a valid key into ANTHROPIC_API_KEY; check it with \`ym doctor\`, then type \`ym resume\`.
      (3)

      provider-billing
      The account of claude has no credit.
      It reported: Credit balance is too low (HTTP 400).
      Add credit at the service, then type \`ym resume\`; or let another agent work: \`ym config set agent NAME\`.
      (3)

      provider-rate-limit
      codex hit a rate limit; it may retry in 12 s.
      It reported: Rate limit reached (HTTP 429).
      No action needed: it continues automatically after a pause, or with \`ym resume\` if the run has ended. Fewer agents send fewer requests: \`ym config set jobs 2\`.
      (1)

      quota-exhausted
      The quota of claude is used up until 1970-01-01 14:05 UTC.
      It reported: You've hit your 5-hour limit (HTTP 429).
      No action needed: it continues automatically at 1970-01-01 14:05 UTC. If the run has ended, type \`ym resume\` then; \`ym config set quota.wait 12h\` lets runs wait longer.
      (4)

      provider-server
      The service behind gemini is overloaded.
      It reported: Overloaded (HTTP 529).
      No action needed at first: it is retried automatically, with growing pauses. If it keeps failing, see the status page of the service; then \`ym retry search\`, and \`ym resume\` if the run has ended.
      (1)

      provider-unreachable
      The service behind opencode could not be reached.
      It reported: connect ECONNREFUSED.
      No action needed at first: it is retried automatically, with growing pauses. If it keeps failing, check the network, the proxy and the address of the service; then \`ym retry search\`, and \`ym resume\` if the run has ended.
      (3)

      model-unknown
      codex does not know the model "gtp-5".
      It reported: The model does not exist (HTTP 404).
      Name another one: \`ym config set model.default NAME\`, or in the label or text of the task; then \`ym retry search\`.
      (1)

      provider-refused
      The service behind gemini refused what it was sent.
      It reported: Invalid JSON payload (HTTP 400).
      Read \`ym log search\`; fix what it complains about (\`model.default\`, \`agents.gemini.args\`, the text of the task), then \`ym retry search\`.
      (1)

      context-overflow
      The conversation of claude grew too long for its model.
      It reported: prompt is too long: 210000 tokens > 200000 maximum (HTTP 400).
      Make the task smaller, or choose a model with a larger context: \`ym config set model.default NAME\`; then \`ym retry search\`.
      (1)

      permission-denied
      claude was not allowed to use Bash, WebFetch.
      It reported nothing more.
      Allow it in \`agents.claude.args\`, or turn the sandbox off with \`ym config set sandbox none\`; then \`ym retry search\`.
      (1)

      agent-limit
      claude stopped at its own limit: error_max_turns.
      It reported: Reached maximum number of turns (3).
      Make the task smaller, or raise the limit in \`agents.claude.args\`; then \`ym retry search\`.
      (1)

      session-lost
      claude no longer knows the conversation e26f39dc.
      It reported: No conversation found with session ID.
      No action needed: a new conversation starts, and the work so far is in its worktree. If it happens again, read \`ym log search\`.
      (1)

      stream-broken
      codex ended without a readable result.
      It reported: no turn.completed.
      No action needed at first: it is retried automatically, with growing pauses. If it keeps failing, check with \`ym doctor\` whether its version is supported; then \`ym retry search\`, and \`ym resume\` if the run has ended.
      (1)

      agent-error
      mine reported an error.
      It reported: out of coffee (HTTP 418).
      Read \`ym log search\` for its full output; \`ym doctor\` checks the agent.
      (1)
      "
    `);
  });

  it.each([
    ['claude', '`/login`'],
    ['claude-fast', '`/login`'],
    ['codex', '`codex login`'],
    ['opencode', '`opencode auth login`'],
    ['gemini', 'start `gemini`'],
    ['qwen', 'start `qwen` and type `/auth`'],
    ['goose', '`goose configure`'],
    ['copilot', '`copilot login`'],
    ['cursor', '`cursor-agent login`'],
    ['amp', '`amp login`'],
    ['mine', 'sign in with its own command'],
  ])('says how to sign in to %s', (agent, way) => {
    const explained = explain({ kind: 'provider-auth', agent, message: '' });
    expect(explained.do.toLowerCase()).toContain(way);
    expect(explained.do).not.toContain('or set');
    expect(explained.why).toBe('It reported nothing more.');
  });

  it('names the status where the service gave no words', () => {
    const explained = explain({ kind: 'provider-server', agent: 'x', message: '', status: 500 });
    expect(explained.what).toBe('The service behind x failed.');
    expect(explained.why).toBe('It reported nothing more (HTTP 500).');
  });

  it('does not promise a time that nobody knows', () => {
    const explained = explain({ kind: 'quota-exhausted', agent: 'x', message: 'no' });
    expect(explained.what).toBe('The quota of x is used up.');
    expect(explained.do).toContain('continues automatically after a pause');
    const limited = explain({ kind: 'provider-rate-limit', agent: 'x', message: 'no' });
    expect(limited.what).toBe('x hit a rate limit.');
  });

  it('shows long words of a service on one line, cut', () => {
    const message = `first\nsecond ${'x'.repeat(5000)}`;
    const { why } = explain({ kind: 'provider-refused', agent: 'x', message });
    expect(why).toMatch(/^It reported: first second x+….$/);
    expect(why.length).toBeLessThan(450);
  });

  it('is for a person where a person must act: environment, else a task that did not land', () => {
    const exits = kinds.filter((kind) => explain(failures[kind]).exit === 3);
    expect(exits).toEqual(['provider-auth', 'provider-billing', 'provider-unreachable']);
    expect(explain(failures['quota-exhausted']).exit).toBe(4);
  });

  it('names only keys that can be set', () => {
    const known = settableKeys.map(({ key }) => key);
    for (const kind of kinds) {
      for (const [, key = ''] of explain(failures[kind]).do.matchAll(/config set ([\w.]+)/g)) {
        expect(known, kind).toContain(key);
      }
    }
  });
});
