import { describe, expect, it } from 'vitest';
import { turn } from '../../test/agent/turn.ts';
import type { Json, StreamFacts } from './harness.ts';
import { opencode } from './opencode.ts';

const options = { name: 'mine', args: [], sandbox: 'auto' } as const;
const wordsOf = (more = {}, given = {}) => opencode.argv(turn(more), { ...options, ...given });

describe('the command line of opencode', () => {
  it('works in the worktree, allows tools, and asks no model for a title', () => {
    expect(wordsOf().join(' ')).toBe(
      'run --format json --auto --print-logs --log-level ERROR --dir /tree --title run-1/T-1',
    );
  });

  it('is the same in either sandbox: it has none of its own', () => {
    expect(wordsOf({}, { sandbox: 'none' })).toEqual(wordsOf());
  });

  it('goes on with a conversation by its id', () => {
    const words = wordsOf({ session: 'ses_1' }).join(' ');
    expect(words).toMatch(/ --session ses_1$/);
    expect(words).not.toContain('--title');
  });

  it('has model and reasoning, and the arguments of the profile last', () => {
    const more = { model: 'anthropic/claude', reasoning: 'high' };
    const words = wordsOf(more, { args: ['--agent', 'plan'] }).join(' ');
    expect(words).toContain('--dir /tree --model anthropic/claude --variant high ');
    expect(words).toMatch(/ --agent plan$/);
  });

  it('turns off updates and sharing, and keeps the user’s config', () => {
    expect(opencode.env(turn(), options)).toEqual({
      OPENCODE_DISABLE_AUTOUPDATE: '1',
      OPENCODE_DISABLE_SHARE: '1',
    });
  });
});

describe('a review by opencode', () => {
  it('may edit nothing, and run only commands that read', () => {
    const { OPENCODE_PERMISSION = '', ...rest } = opencode.env(
      turn({ purpose: 'review' }),
      options,
    );
    expect(rest).toEqual(opencode.env(turn(), options));
    const rules = JSON.parse(OPENCODE_PERMISSION) as { edit: string; bash: object };
    expect(rules.edit).toBe('deny');
    expect(Object.entries(rules.bash)[0]).toEqual(['*', 'deny']);
    expect(Object.entries(rules.bash).slice(-2)).toEqual([
      ['*--output*', 'deny'],
      ['*>*', 'deny'],
    ]);
  });
});

/** Reads these lines of output. */
function heard(...lines: readonly Json[]): StreamFacts {
  const reader = opencode.read(turn({ model: 'p/m' }), options);
  for (const line of lines) reader.line({ sessionID: 'ses_1', ...line });
  return reader.facts();
}

const start: Json = { type: 'step_start', part: {} };
const text = (words: string): Json => ({ type: 'text', part: { text: words } });
const tool = (state: Json = { status: 'completed' }): Json => ({
  type: 'tool_use',
  part: { tool: 'bash', state },
});
const finish = (reason: string, tokens: Json = { input: 5, output: 1 }, cost = 0): Json => ({
  type: 'step_finish',
  part: { reason, tokens, cost },
});
const error = (name: string, data: Json): Json => ({ type: 'error', error: { name, data } });

describe('the stream of opencode', () => {
  it('has the final text after the last tool and the last step', () => {
    const all = [start, text('One'), tool(), text('Two'), finish('tool-calls'), start];
    expect(heard(...all, text('Three'), text('Four'), finish('stop')).finalText).toBe(
      'Three\nFour',
    );
  });

  it('is over with a step that stops, and goes on when another one begins', () => {
    expect(heard(start, finish('tool-calls')).end).toBeUndefined();
    expect(heard(start, finish('stop')).end).toBe('ok');
    expect(heard(start, finish('stop'), start).end).toBeUndefined();
  });

  it('adds up the steps, and has no cost without a price', () => {
    const tokens = { input: 5, output: 1, reasoning: 2, cache: { read: 7, write: 3 } };
    expect(heard(finish('tool-calls', tokens, 0.25), finish('stop', tokens, 0.5)).usage).toEqual({
      input: 10,
      cacheRead: 14,
      cacheWrite: 6,
      output: 6,
      costUsd: 0.75,
    });
    expect(heard(finish('stop', tokens)).usage).not.toHaveProperty('costUsd');
  });

  it('is broken after five empty answers in a row, whatever follows', () => {
    const empty = [start, finish('unknown', { input: 0, output: 0 })];
    const four = [...empty, ...empty, ...empty, ...empty];
    expect(heard(...four).end).toBeUndefined();
    expect(heard(...four, ...empty, start).end).toMatchObject({ kind: 'stream-broken' });
    expect(heard(...four, start, finish('tool-calls'), ...empty).end).toBeUndefined();
    expect(heard(...four, ...empty, start, finish('stop')).end).toBe('ok');
  });

  it.each([
    ['length', { kind: 'agent-limit', limit: 'output tokens' }],
    ['content-filter', { kind: 'provider-refused' }],
    ['error', { kind: 'agent-error' }],
  ])('that ends for the reason %s has failed', (reason, failure) => {
    expect(heard(start, finish(reason)).end).toMatchObject({ agent: 'mine', ...failure });
  });

  it('names tools that a rule refused, not those that failed', () => {
    const rule = 'The user has specified a rule which prevents you from using this';
    const failed = tool({ status: 'error', error: 'File not found' });
    expect(heard(tool({ status: 'error', error: rule }), failed).denied).toEqual(['bash']);
  });

  it('does not end with a conversation that is too long, which it cuts down by itself', () => {
    const tooLong = error('ContextOverflowError', { message: 'too long' });
    expect(heard(start, tooLong).end).toBeUndefined();
    expect(heard(start, tooLong, start, text('Done'), finish('stop')).end).toBe('ok');
  });

  it('ignores text that OpenCode sends to the model itself', () => {
    const told: Json = { type: 'text', part: { text: 'Continue.', synthetic: true } };
    expect(heard(start, text('Summary'), finish('stop'), told).finalText).toBe('Summary');
  });

  it('leaves an error without data to the log', () => {
    const message = 'Unexpected server error. Check server logs for details.';
    expect(heard(error('UnknownError', { message, ref: 'err_1' })).end).toBeUndefined();
  });

  it('survives lines of any shape', () => {
    const odd = [{ type: 'step_finish' }, { type: 'text', part: 7 }, { type: 'error', error: 'x' }];
    expect(heard(...odd, { type: 'tool_use', part: null }).end).toMatchObject({
      kind: 'agent-error',
    });
  });
});

describe('opencode that ended without a last word', () => {
  const end = { how: { id: 'exited', code: 1 }, startedAt: 0, endedAt: 1, stragglers: 0 } as const;
  const diagnose = (tail: string, more = {}) => opencode.diagnose(turn(more), end, tail, options);

  it('loses its session only if it resumed one', () => {
    const tail = '\u001b[91m\u001b[1mError: \u001b[0mSession not found\n';
    expect(diagnose(tail, { session: 'ses_1' })).toMatchObject({
      kind: 'session-lost',
      session: 'ses_1',
    });
    expect(diagnose(tail)).toBeUndefined();
  });

  it('is classified by the last known error in its log', () => {
    const log = (words: string) => `timestamp=1 level=ERROR run=2 message=failed ${words}\n`;
    const tail = log('error.error="AI_APICallError: rate limit"') + log('error="Odd \\"thing\\""');
    expect(diagnose(tail)).toMatchObject({ kind: 'provider-rate-limit' });
    const unknown = log('error="ProviderModelNotFoundError: Model not found: p/m."');
    expect(diagnose(tail + unknown, { model: 'p/m' })).toMatchObject({
      kind: 'model-unknown',
      model: 'p/m',
    });
  });

  it('is unknown if neither stream nor log has an error', () => {
    expect(diagnose('Segmentation fault\n')).toBeUndefined();
  });
});

describe('the sign-in of opencode', () => {
  const none = () => false;

  it('is a key of a provider in the environment, by name', () => {
    expect(opencode.signIn({ OPENAI_API_KEY: 'secret' }, none)).toEqual({
      signedIn: 'yes',
      signIn: 'OPENAI_API_KEY',
    });
  });

  it('is the file it keeps its keys in', () => {
    const at = (file: string) => (asked: string) => asked === file;
    expect(opencode.signIn({ HOME: '/u' }, at('/u/.local/share/opencode/auth.json'))).toEqual({
      signedIn: 'yes',
      signIn: '~/.local/share/opencode/auth.json',
    });
    expect(
      opencode.signIn({ HOME: '/u', XDG_DATA_HOME: '/data' }, at('/data/opencode/auth.json')),
    ).toEqual({ signedIn: 'yes', signIn: '$XDG_DATA_HOME/opencode/auth.json' });
  });

  it('is not known otherwise: its config may hold a key, or name a model that needs none', () => {
    expect(opencode.signIn({ HOME: '/u', OPENAI_API_KEY: '' }, none)).toMatchObject({
      signedIn: 'unknown',
      remedy: expect.stringContaining('opencode auth login'),
    });
  });
});
