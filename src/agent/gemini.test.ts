import { describe, expect, it } from 'vitest';
import { turn } from '../../test/agent/turn.ts';
import { gemini } from './gemini.ts';
import type { Json, StreamFacts } from './harness.ts';

const options = { name: 'mine', args: [], sandbox: 'auto' } as const;
const wordsOf = (more = {}, given = {}) => gemini.argv(turn(more), { ...options, ...given });

describe('the command line of gemini', () => {
  it('allows tools in a folder it has never seen, and names the conversation', () => {
    expect(wordsOf().join(' ')).toBe(
      `--output-format stream-json --yolo --skip-trust --session-id ${turn().newSession}`,
    );
  });

  it('is the same in either sandbox: its own needs a container engine', () => {
    expect(wordsOf({}, { sandbox: 'none' })).toEqual(wordsOf());
  });

  it('goes on with a conversation by its id', () => {
    const words = wordsOf({ session: 'id-1' }).join(' ');
    expect(words).toMatch(/ --resume id-1$/);
    expect(words).not.toContain('--session-id');
  });

  it('has the model, and the arguments of the profile last, but no reasoning', () => {
    const words = wordsOf({ model: 'gemini-2.5-pro', reasoning: 'high' }, { args: ['--debug'] });
    expect(words.join(' ')).toContain('--skip-trust --model gemini-2.5-pro --session-id');
    expect(words.at(-1)).toBe('--debug');
    expect(words).not.toContain('high');
  });

  it('is read-only in a review, without a session', () => {
    const words = wordsOf({ purpose: 'review', session: 'id-1', model: 'm' }).join(' ');
    expect(words).toBe(
      '--output-format stream-json --approval-mode default --skip-trust --model m',
    );
  });

  it('does not start itself a second time', () => {
    expect(gemini.env(turn(), options)).toEqual({ GEMINI_CLI_NO_RELAUNCH: 'true' });
  });
});

/** Reads these lines of output. */
function heard(...lines: readonly Json[]): StreamFacts {
  const reader = gemini.read(turn(), options);
  for (const line of lines) reader.line(line);
  return reader.facts();
}

const says = (content: string): Json => ({ type: 'message', role: 'assistant', content });
const success: Json = { type: 'result', status: 'success', stats: {} };
const failed = (message: string, type = 'unknown'): Json => ({
  type: 'result',
  status: 'error',
  error: { type, message: `[API Error: ${message}]` },
  stats: {},
});

describe('the stream of gemini', () => {
  it('has the final text in the pieces since the last tool', () => {
    const prompt: Json = { type: 'message', role: 'user', content: 'Do it.' };
    const tool: Json = { type: 'tool_use', tool_name: 'x' };
    expect(heard(prompt, says('One'), tool, says('COMPLETE_'), says('AND')).finalText).toBe(
      'COMPLETE_AND',
    );
  });

  it('counts reasoning as output', () => {
    const stats = {
      total_tokens: 115,
      input_tokens: 100,
      output_tokens: 10,
      cached: 60,
      input: 40,
    };
    expect(heard({ ...success, stats }).usage).toEqual({
      input: 40,
      cacheRead: 60,
      cacheWrite: 0,
      output: 15,
    });
  });

  it('names the model that did the work', () => {
    const init: Json = { type: 'init', session_id: 'id-1', model: 'auto' };
    const models = { small: { total_tokens: 5 }, large: { total_tokens: 50 } };
    expect(heard(init, { ...success, stats: { models } }).model).toBe('large');
    expect(heard(init, { ...success, stats: { models: { none: {} } } }).model).toBe('auto');
  });

  it('reports a session only after a complete answer, because Gemini keeps none without one', () => {
    const init: Json = { type: 'init', session_id: 'id-1' };
    expect(heard(init, failed('no')).session).toBeUndefined();
    expect(heard(init, says('Half of'), failed('terminated')).session).toBeUndefined();
    expect(heard(init, { ...success, stats: { total_tokens: 1 } }).session).toBe('id-1');
    expect(heard(init, { type: 'tool_use' }).session).toBe('id-1');
    const resumed = gemini.read(turn({ session: 'id-1' }), options);
    resumed.line(init);
    expect(resumed.facts().session).toBe('id-1');
  });

  it('fails by the status of its result, whatever the exit code', () => {
    const trouble = (message: string): Json => ({ type: 'error', severity: 'error', message });
    const result: Json = { type: 'result', status: 'error', stats: {} };
    expect(heard(result).end).toMatchObject({ kind: 'stream-broken' });
    expect(heard(trouble('The model returned an empty response'), result).end).toMatchObject({
      kind: 'stream-broken',
      message: 'The model returned an empty response',
    });
    expect(heard(trouble('The response was blocked due to safety settings.'), result).end).toEqual({
      kind: 'provider-refused',
      agent: 'mine',
      message: 'The response was blocked due to safety settings.',
    });
    expect(heard(trouble('It exceeded the token limit.'), result).end).toMatchObject({
      kind: 'agent-limit',
      limit: 'output tokens',
    });
  });

  it('takes a warning for one, but not the end of its turns', () => {
    const warning = (message: string): Json => ({ type: 'error', severity: 'warning', message });
    expect(heard(warning('Loop detected, stopping execution'), success).end).toBe('ok');
    expect(heard(warning('Maximum session turns exceeded'), success).end).toMatchObject({
      kind: 'agent-limit',
      limit: 'turns',
    });
  });

  it('classifies an error by the service’s answer inside it', () => {
    const body = { error: { code: 403, message: 'not you', status: 'PERMISSION_DENIED' } };
    expect(heard(failed(JSON.stringify(body))).end).toEqual({
      kind: 'provider-auth',
      agent: 'mine',
      message: 'not you',
      status: 403,
      variable: 'GEMINI_API_KEY',
    });
  });

  it('leaves an error without data to the exit status', () => {
    expect(heard(failed('Resource has been exhausted')).end).toBeUndefined();
  });
});

describe('gemini that ended without a word that tells', () => {
  const diagnose = (code: number, tail = '', more = {}) =>
    gemini.diagnose(
      turn(more),
      { how: { id: 'exited', code }, startedAt: 0, endedAt: 1, stragglers: 0 },
      tail,
      options,
    );

  it.each([
    [41, { kind: 'provider-auth', variable: 'GEMINI_API_KEY' }],
    [42, { kind: 'agent-error', message: 'why' }],
    [44, { kind: 'agent-error', message: 'why' }],
    [52, { kind: 'agent-error', message: 'why' }],
    [53, { kind: 'agent-limit', limit: 'turns' }],
    [144, { kind: 'provider-refused', status: 400 }],
    [145, { kind: 'provider-auth', status: 401 }],
    [148, { kind: 'model-unknown', status: 404 }],
    [173, { kind: 'provider-rate-limit', status: 429 }],
    [244, { kind: 'provider-server', status: 500 }],
    [247, { kind: 'provider-server', status: 503 }],
    [17, { kind: 'provider-server', status: 529 }],
  ])('with %i has failed by that', (code, failure) => {
    expect(diagnose(code, 'YOLO mode is enabled.\nwhy\n')).toMatchObject({
      agent: 'mine',
      ...failure,
    });
  });

  it('with any other code means nothing', () => {
    for (const code of [0, 1, 2, 3, 130, 143]) expect(diagnose(code, 'why\n')).toBeUndefined();
  });

  it('is classified by its last error class and the wait next to it', () => {
    const dump = (name: string, waitMs?: number) =>
      `YOLO mode\nError when talking to Gemini API ${name}: no\n    at x\n  retryDelayMs: ${waitMs},\n`;
    expect(diagnose(1, dump('ModelNotFoundError'), { model: 'm' })).toMatchObject({
      kind: 'model-unknown',
      model: 'm',
    });
    expect(diagnose(173, dump('TerminalQuotaError'))).toMatchObject({ kind: 'quota-exhausted' });
    expect(diagnose(173, dump('RetryableQuotaError', 2000))).toMatchObject({
      kind: 'provider-rate-limit',
      retryAfterMs: 2000,
    });
    expect(diagnose(247, dump('TerminalQuotaError'))).toMatchObject({ kind: 'provider-server' });
  });

  it('is not misled by the advice that follows every rate limit', () => {
    const advice = 'request a quota increase through AI Studio, or switch to another /auth method';
    const line = {
      ...failed('slow down'),
      error: { message: `[API Error: slow down]\n${advice}` },
    };
    expect(diagnose(173, `${JSON.stringify(line)}\n`)).toMatchObject({
      kind: 'provider-rate-limit',
      message: 'slow down',
    });
  });

  it('lost its conversation, or cannot begin one under an id that is taken', () => {
    expect(diagnose(42, 'Error resuming session: Invalid', { session: 'id-1' })).toMatchObject({
      kind: 'session-lost',
      session: 'id-1',
    });
    expect(diagnose(42, 'Error starting session: Session ID "x" already exists')).toMatchObject({
      kind: 'session-lost',
      session: turn().newSession,
    });
  });
});

describe('the sign-in of gemini', () => {
  const at = (file: string) => (asked: string) => asked === file;

  it('is a variable, by name', () => {
    expect(gemini.signIn({ GEMINI_API_KEY: 'secret' }, () => false)).toEqual({
      signedIn: 'yes',
      signIn: 'GEMINI_API_KEY',
    });
  });

  it('is a file in its config folder', () => {
    expect(gemini.signIn({ HOME: '/u' }, at('/u/.gemini/oauth_creds.json'))).toEqual({
      signedIn: 'yes',
      signIn: '~/.gemini/oauth_creds.json',
    });
    const moved = { HOME: '/u', GEMINI_CLI_HOME: '/g' };
    expect(gemini.signIn(moved, at('/g/.gemini/oauth_creds.json')).signIn).toBe(
      '$GEMINI_CLI_HOME/.gemini/oauth_creds.json',
    );
  });

  it('is unknown with settings, and missing without', () => {
    const env = { HOME: '/u' };
    expect(gemini.signIn(env, at('/u/.gemini/settings.json')).signedIn).toBe('unknown');
    expect(gemini.signIn(env, () => false)).toMatchObject({
      signedIn: 'no',
      remedy: expect.stringContaining('GEMINI_API_KEY'),
    });
  });
});
