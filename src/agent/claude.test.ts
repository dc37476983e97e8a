import { describe, expect, it } from 'vitest';
import { turn } from '../../test/agent/turn.ts';
import type { Turn } from '../port/agent.ts';
import { claude } from './claude.ts';
import type { HarnessOptions, Json } from './harness.ts';

const options: HarnessOptions = { name: 'mine', args: [], sandbox: 'auto' };

describe('the command line of claude', () => {
  const words = (more: Partial<Turn> = {}, own: Partial<HarnessOptions> = {}) =>
    claude.argv(turn(more), { ...options, ...own }).join(' ');
  const start = '-p --output-format stream-json --verbose';
  const allowed =
    '--permission-mode acceptEdits --allowedTools Bash,Edit,Write,Read,Glob,Grep,NotebookEdit,TodoWrite,Task';

  it('begins a conversation under the id it is given', () => {
    expect(words({ newSession: 'id-1' })).toBe(`${start} ${allowed} --session-id id-1`);
  });

  it('goes on with one', () => {
    expect(words({ session: 'id-2' })).toBe(`${start} ${allowed} --resume id-2`);
  });

  it('has model and effort, and the arguments of the profile last', () => {
    const own = { args: ['--max-turns', '9'] };
    expect(words({ session: 's', model: 'opus', reasoning: 'xhigh' }, own)).toBe(
      `${start} ${allowed} --model opus --effort xhigh --resume s --max-turns 9`,
    );
    expect(words({ session: 's', reasoning: 'minimal' })).toContain('--effort low');
  });

  it('is read-only in a review, without a session, whatever the sandbox', () => {
    for (const sandbox of ['auto', 'none'] as const) {
      const look = { purpose: 'review', session: 's', model: 'opus' } as const;
      expect(words(look, { sandbox })).toBe(
        `${start} --no-session-persistence --tools Read,Glob,Grep,Bash --allowedTools Read,Glob,Grep --model opus`,
      );
      expect(claude.env(turn(look), { ...options, sandbox })).not.toHaveProperty('IS_SANDBOX');
    }
  });

  it('skips permissions only without a sandbox', () => {
    expect(words({ session: 's' }, { sandbox: 'none' })).toBe(
      `${start} --dangerously-skip-permissions --resume s`,
    );
    expect(claude.env(turn(), { ...options, sandbox: 'none' })).toHaveProperty('IS_SANDBOX');
    expect(claude.env(turn(), options)).not.toHaveProperty('IS_SANDBOX');
  });
});

describe('the sign-in of claude', () => {
  const signIn = (env: Record<string, string>, ...files: string[]) =>
    claude.signIn({ HOME: '/h', ...env }, (file) => files.includes(file));

  it.each(['ANTHROPIC_API_KEY', 'CLAUDE_CODE_OAUTH_TOKEN', 'CLAUDE_CODE_USE_BEDROCK'])(
    'is %s, whose value is not told',
    (name) => {
      expect(signIn({ [name]: 'secret' })).toEqual({ signedIn: 'yes', signIn: name });
    },
  );

  it('is a file in the home folder or the configured folder', () => {
    expect(signIn({}, '/h/.claude/.credentials.json')).toEqual({
      signedIn: 'yes',
      signIn: '~/.claude/.credentials.json',
    });
    expect(signIn({ CLAUDE_CONFIG_DIR: '/c' }, '/c/.credentials.json')).toEqual({
      signedIn: 'yes',
      signIn: '/c/.credentials.json',
    });
  });

  it('is missing, with a remedy', () => {
    expect(signIn({ ANTHROPIC_API_KEY: '' })).toMatchObject({
      signedIn: 'no',
      remedy: expect.stringContaining('/login'),
    });
  });

  it('cannot be seen in a keychain', () => {
    expect(signIn({}, '/h/Library/Keychains')).toMatchObject({ signedIn: 'unknown' });
  });
});

describe('a stream of claude', () => {
  const heard = (...lines: Json[]) => {
    const reader = claude.read(turn(), options);
    for (const line of lines) reader.line(line);
    return reader.facts();
  };
  const result = (more: Json = {}): Json => ({
    type: 'result',
    subtype: 'success',
    is_error: false,
    result: 'Fine.',
    usage: { input_tokens: 1, cache_read_input_tokens: 2, output_tokens: 3 },
    total_cost_usd: 9,
    ...more,
  });
  const answer = (id: string, more: Json = {}): Json => ({
    type: 'assistant',
    parent_tool_use_id: null,
    message: { id, model: 'm-1', usage: { input_tokens: 10, output_tokens: 1 } },
    ...more,
  });

  it('that is empty has no facts', () => {
    expect(heard()).toEqual({ finalText: '', denied: [] });
  });

  it('counts each answer once while there is no result', () => {
    const { usage, end } = heard(answer('a'), answer('a'), answer('b'));
    expect(usage).toEqual({ input: 20, cacheRead: 0, cacheWrite: 0, output: 2 });
    expect(end).toBeUndefined();
  });

  it('is counted by its result, helpers and other models included', () => {
    const model = { inputTokens: 5, cacheReadInputTokens: 6, outputTokens: 7, costUSD: 0.25 };
    const { usage } = heard(
      answer('a'),
      result({ model_usage_since_last_result: { big: model, small: model } }),
    );
    expect(usage).toEqual({ input: 10, cacheRead: 12, cacheWrite: 0, output: 14, costUsd: 0.5 });
  });

  it('of an older version is counted by its own usage', () => {
    expect(heard(result()).usage).toEqual({
      input: 1,
      cacheRead: 2,
      cacheWrite: 0,
      output: 3,
      costUsd: 9,
    });
  });

  it('with several results adds them up, and the last one decides', () => {
    const { usage, finalText, end } = heard(result(), result({ result: 'Finer.' }));
    expect(usage?.output).toBe(6);
    expect(finalText).toBe('Finer.');
    expect(end).toBe('ok');
  });

  it('has the model that answered, not that of a helper or of an error', () => {
    const helper = answer('h', { parent_tool_use_id: 't', message: { id: 'h', model: 'm-2' } });
    const error = answer('e', { message: { id: 'e', model: '<synthetic>' } });
    expect(heard(answer('a'), helper, error).model).toBe('m-1');
    const init = { type: 'system', subtype: 'init', model: 'm-0', session_id: 's' };
    expect(heard(init)).toMatchObject({ model: 'm-0', session: 's' });
  });

  it('names the tools that were refused', () => {
    const denials = [{ tool_name: 'WebFetch' }, {}, 'x'];
    expect(heard(result({ permission_denials: denials })).denied).toEqual(['WebFetch', 'a tool']);
  });

  it.each([
    [
      { subtype: 'error_max_turns', errors: ['9 turns'] },
      { kind: 'agent-limit', limit: 'max-turns' },
    ],
    [{ subtype: 'error_max_budget_usd' }, { kind: 'agent-limit', limit: 'max-budget-usd' }],
    [{ result: 'No conversation found with session ID: x' }, { kind: 'session-lost' }],
    [{ terminal_reason: 'aborted_tools' }, { kind: 'agent-error', message: 'aborted_tools' }],
    [{ result: 'Something new' }, { kind: 'agent-error', message: 'Something new' }],
    [{ result: undefined, subtype: 'error_of_some_kind' }, { message: 'error_of_some_kind' }],
  ] as const)('that ends with %j says so', (more, failure) => {
    expect(heard(result({ is_error: true, ...more })).end).toMatchObject(failure);
  });

  it.each([
    [{ subtype: 'error_max_turns' }, { kind: 'agent-limit', limit: 'max-turns' }],
    [{ subtype: 'error_during_execution' }, { kind: 'agent-error' }],
    [{ subtype: undefined }, { kind: 'agent-error' }],
  ] as const)('is a failure with %j, even where no error is claimed', (more, failure) => {
    expect(heard(result(more)).end).toMatchObject(failure);
  });

  it('is not ok without an explicit success', () => {
    expect(heard({ type: 'result', subtype: 'success' }).end).toMatchObject({
      kind: 'agent-error',
    });
  });

  it('takes the end of a quota from the event that announced it, and forgets it when all is well', () => {
    const limit = (status: string): Json => ({
      type: 'rate_limit_event',
      rate_limit_info: { status, resetsAt: 1_900_000_000 },
    });
    const refused = result({ is_error: true, api_error_status: 429, result: 'Limit.' });
    expect(heard(limit('rejected'), refused).end).toMatchObject({
      kind: 'quota-exhausted',
      resetAt: 1_900_000_000_000,
    });
    for (const status of ['allowed', 'allowed_warning']) {
      expect(heard(limit('rejected'), limit(status), refused).end).toMatchObject({
        kind: 'provider-rate-limit',
      });
    }
  });
});

describe('a failure of claude before its stream', () => {
  const ended = {
    how: { id: 'exited', code: 1 },
    startedAt: 0,
    endedAt: 0,
    stragglers: 0,
  } as const;
  const diagnosed = (tail: string, more: Partial<Turn> = {}) =>
    claude.diagnose(turn(more), ended, tail, options);

  it('may be a conversation that is not there, or is there already', () => {
    expect(diagnosed('No conversation found with session ID: s', { session: 's' })).toMatchObject({
      kind: 'session-lost',
      session: 's',
    });
    expect(diagnosed('Error: Session ID s-1 is already in use.')).toMatchObject({
      kind: 'session-lost',
    });
  });

  it('is not guessed', () => {
    expect(diagnosed("error: unknown option '--nope'")).toBeUndefined();
  });
});
