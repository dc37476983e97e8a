import { describe, expect, it } from 'vitest';
import { failureOf } from './failure.ts';

const about = { agent: 'mine', binary: 'my-agent', session: 'ses-1', model: 'big' };
const answer = (code: number, message: string, data?: unknown, method = 'session/prompt') =>
  failureOf({ type: 'error', reason: 'answer', method, code, message, data }, about);

// The errors of real agents, as they were seen.
describe('an error as the answer to a prompt', () => {
  it.each([
    [
      'the status as its code',
      401,
      '{"error":{"code":401,"message":"bad key","status":"UNAUTHENTICATED"}}',
      undefined,
      { kind: 'provider-auth', status: 401, message: 'bad key' },
    ],
    [
      'the status as its code',
      429,
      'slow down',
      undefined,
      { kind: 'provider-rate-limit', status: 429 },
    ],
    ['a quota', 429, 'You exceeded your current quota', undefined, { kind: 'quota-exhausted' }],
    [
      'an unknown model behind a server error',
      500,
      'model: no-such-model does not exist',
      undefined,
      { kind: 'model-unknown', model: 'big' },
    ],
    [
      'a cut stream behind a server error',
      500,
      'terminated',
      undefined,
      { kind: 'provider-unreachable' },
    ],
    [
      'a server error',
      500,
      '{"error":{"code":500,"message":"oops","status":"INTERNAL"}}',
      undefined,
      { kind: 'provider-server', status: 500 },
    ],
    [
      'a server error without words',
      503,
      'oops',
      undefined,
      { kind: 'provider-server', status: 503 },
    ],
    [
      'a name in the data',
      -32603,
      'Internal error: too large',
      { errorName: 'ContextOverflowError' },
      { kind: 'context-overflow' },
    ],
    [
      'words only',
      -32603,
      'Internal error: invalid api key',
      { errorName: 'APIError' },
      { kind: 'provider-auth', message: 'invalid api key' },
    ],
    [
      'a kind in the data',
      -32603,
      'Internal error',
      { errorKind: 'billing_error', details: 'no credit left' },
      { kind: 'provider-billing', message: 'no credit left' },
    ],
    [
      'a status deep in the data',
      -32603,
      'exceeded retry limit',
      { codex_error_info: { response_too_many_failed_attempts: { http_status_code: 429 } } },
      { kind: 'provider-rate-limit', status: 429 },
    ],
    [
      'a name of another agent',
      -32603,
      'You have hit your limit',
      { codex_error_info: 'usage_limit_exceeded' },
      { kind: 'quota-exhausted' },
    ],
    [
      'a wish for a sign-in',
      -32000,
      'Authentication required',
      undefined,
      { kind: 'provider-auth' },
    ],
    [
      'nothing that is known',
      -32603,
      'Internal error: it broke',
      undefined,
      { kind: 'agent-error', message: 'it broke' },
    ],
    [
      'nothing at all',
      -32603,
      'Internal error',
      undefined,
      { kind: 'agent-error', message: 'Internal error' },
    ],
    [
      'text as its data',
      -32603,
      'Internal error',
      'it broke',
      { kind: 'agent-error', message: 'it broke' },
    ],
  ])('with %s (%i)', (_, code, message, data, expected) => {
    expect(answer(code, message, data)).toMatchObject({ agent: 'mine', ...expected });
  });
});

describe('an error as the answer to', () => {
  it.each(['session/load', 'session/resume'])('%s loses the conversation', (method) => {
    expect(answer(-32602, 'Invalid params: session not found: ses-1', {}, method)).toEqual({
      kind: 'session-lost',
      agent: 'mine',
      session: 'ses-1',
      message: 'session not found: ses-1',
    });
    expect(answer(-32002, 'Resource not found', {}, method)).toMatchObject({
      kind: 'session-lost',
    });
  });

  it('session/load keeps the session after another error', () => {
    expect(answer(-32000, 'Authentication required', {}, 'session/load')).toMatchObject({
      kind: 'provider-auth',
    });
    expect(answer(503, 'overloaded', {}, 'session/load')).toMatchObject({
      kind: 'provider-server',
    });
  });

  it.each(['session/set_model', 'session/set_config_option'])('%s is about the model', (method) => {
    expect(answer(-32602, 'Invalid params', {}, method)).toEqual({
      kind: 'model-unknown',
      agent: 'mine',
      model: 'big',
      message: 'Invalid params',
    });
  });
});

describe('an error of the client itself', () => {
  it.each([
    ['not-started', { kind: 'agent-not-started', binary: 'my-agent', cause: 'why' }],
    ['not-resumable', { kind: 'session-lost', agent: 'mine', session: 'ses-1', message: 'why' }],
    ['broken', { kind: 'stream-broken', agent: 'mine', message: 'why' }],
    ['protocol', { kind: 'agent-error', agent: 'mine', message: 'why' }],
    ['tomorrow', { kind: 'agent-error', agent: 'mine', message: 'why' }],
  ])('%s', (reason, expected) => {
    expect(failureOf({ type: 'error', reason, message: 'why' }, about)).toEqual(expected);
  });
});
