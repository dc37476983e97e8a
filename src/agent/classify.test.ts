import { describe, expect, it } from 'vitest';
import type { ProviderFailure } from '../model/failure.ts';
import { agentError, classify, oneLine, type ReportedError, recognized } from './classify.ts';

const kindOf = (trouble: Partial<ReportedError>): string | undefined =>
  recognized('a', { message: 'It did not work.', ...trouble })?.kind;

describe('the class of an error', () => {
  it.each([
    [400, 'provider-refused'],
    [401, 'provider-auth'],
    [402, 'provider-billing'],
    [403, 'provider-auth'],
    [404, 'model-unknown'],
    [408, 'provider-unreachable'],
    [409, 'provider-refused'],
    [413, 'context-overflow'],
    [422, 'provider-refused'],
    [429, 'provider-rate-limit'],
    [500, 'provider-server'],
    [502, 'provider-server'],
    [503, 'provider-server'],
    [529, 'provider-server'],
  ])('of status %i alone is %s', (status, kind) => {
    expect(kindOf({ status })).toBe(kind);
  });

  it.each([
    ['authentication_failed', 'provider-auth'],
    ['authentication_error', 'provider-auth'],
    ['invalid_api_key', 'provider-auth'],
    ['permission_error', 'provider-auth'],
    ['UNAUTHENTICATED', 'provider-auth'],
    ['PERMISSION_DENIED', 'provider-auth'],
    ['billing_error', 'provider-billing'],
    ['insufficient_quota', 'provider-billing'],
    ['usage_limit_reached', 'quota-exhausted'],
    ['TerminalQuotaError', 'quota-exhausted'],
    ['rate_limit', 'provider-rate-limit'],
    ['rate_limit_error', 'provider-rate-limit'],
    ['RESOURCE_EXHAUSTED', 'provider-rate-limit'],
    ['model_not_found', 'model-unknown'],
    ['ModelNotFoundError', 'model-unknown'],
    ['not_found_error', 'model-unknown'],
    ['context_length_exceeded', 'context-overflow'],
    ['ContextOverflowError', 'context-overflow'],
    ['prompt_too_long', 'context-overflow'],
    ['invalid_request_error', 'provider-refused'],
    ['INVALID_ARGUMENT', 'provider-refused'],
    ['api_error', 'provider-server'],
    ['server_error', 'provider-server'],
    ['overloaded_error', 'provider-server'],
    ['UNAVAILABLE', 'provider-server'],
    ['ECONNREFUSED', 'provider-unreachable'],
    ['ENOTFOUND', 'provider-unreachable'],
  ])('that is named %s is %s', (code, kind) => {
    expect(kindOf({ codes: [undefined, code] })).toBe(kind);
  });

  it.each([
    ['unexpected status 401 Unauthorized: bad key', 'provider-auth'],
    ['exceeded retry limit, last status: 429 Too Many Requests', 'provider-rate-limit'],
    ['API Error: 529 overloaded', 'provider-server'],
    ['HTTP 503', 'provider-server'],
    ['Not logged in · Please run /login', 'provider-auth'],
    ['Incorrect API key provided', 'provider-auth'],
    ['Credit balance is too low', 'provider-billing'],
    ['You’ve hit your usage limit. Purchase more credits or try again later.', 'quota-exhausted'],
    ['You have exhausted your daily quota on this model.', 'quota-exhausted'],
    ["You've hit your 5-hour limit · resets 2:59am (UTC)", 'quota-exhausted'],
    ["You've hit your session limit · resets 3pm", 'quota-exhausted'],
    ['You’ve hit your Opus limit', 'quota-exhausted'],
    ["You've reached your Fable limit for this week.", 'quota-exhausted'],
    ["You've hit your fast limit · resets in 6m 3s", 'quota-exhausted'],
    ["You've hit your monthly spend limit.", 'provider-billing'],
    ["You've hit your org's monthly usage limit", 'provider-billing'],
    ["You've hit your team's shared budget. /model to switch models.", 'provider-billing'],
    ["You're out of usage credits. See Usage in Settings", 'provider-billing'],
    ['Fable 5 requires usage credits. Switch models to continue.', 'provider-billing'],
    ['Rate limit reached for requests', 'provider-rate-limit'],
    ['Too many tokens, please wait before trying again.', 'provider-rate-limit'],
    ['Too many tokens in the prompt', 'context-overflow'],
    ['the model: no-such-model does not exist', 'model-unknown'],
    ['Prompt is too long', 'context-overflow'],
    ['Your input exceeds the context window of this model.', 'context-overflow'],
    ['We’re currently experiencing high demand', 'provider-server'],
    ['The service is temporarily unavailable', 'provider-server'],
    ['API returned an empty or malformed response (HTTP 200)', 'provider-server'],
    ['Connection failed: error sending request', 'provider-unreachable'],
    ['connect ECONNREFUSED 127.0.0.1:9', 'provider-unreachable'],
    ['getaddrinfo ENOTFOUND api.example.invalid', 'provider-unreachable'],
    ['Connection to the API was lost (ECONNRESET).', 'provider-unreachable'],
    ['Request timed out', 'provider-unreachable'],
    ['stream disconnected before completion: idle timeout', 'provider-unreachable'],
    ['fetch failed sending request', 'provider-unreachable'],
    ['terminated', 'provider-unreachable'],
  ])('that only says "%s" is %s', (message, kind) => {
    expect(kindOf({ message })).toBe(kind);
  });

  it.each([
    [400, 'prompt is too long: 250000 tokens > 200000 maximum', 'context-overflow'],
    [400, 'The input token count (9) exceeds the maximum number of tokens', 'context-overflow'],
    [400, 'Your credit balance is too low', 'provider-billing'],
    [400, 'API key not valid. Please pass a valid API key.', 'provider-auth'],
    [400, "The 'x' model is not supported when using this account.", 'model-unknown'],
    [403, 'Billing is not enabled for this project', 'provider-billing'],
    [429, 'You exceeded your current quota, please check your billing details', 'quota-exhausted'],
    [429, 'This request would exceed your rate limit', 'provider-rate-limit'],
    [429, "You've hit your session limit · progress saved", 'quota-exhausted'],
    [429, "You've hit your fast limit", 'quota-exhausted'],
    [429, "You've hit your monthly spend limit. See Usage in Settings", 'provider-billing'],
    [429, "You've hit your team's shared budget. Switch to another model", 'provider-billing'],
    [403, "You've hit your monthly spend limit.", 'provider-billing'],
    [400, 'You have reached your specified API usage limits.', 'provider-billing'],
    [500, 'The spend limit could not be read', 'provider-server'],
    [429, 'Too many tokens, please wait before trying again.', 'provider-rate-limit'],
    [400, 'Too many tokens, please wait before trying again.', 'provider-rate-limit'],
  ])('of status %i is told more exactly by "%s"', (status, message, kind) => {
    expect(kindOf({ status, message })).toBe(kind);
  });

  it('comes from data before text', () => {
    const message = 'Rate limit: 429. Not logged in. Quota. Connection refused.';
    expect(kindOf({ message, codes: ['model_not_found'] })).toBe('model-unknown');
    expect(kindOf({ message, status: 500 })).toBe('provider-server');
    expect(kindOf({ status: 401, codes: ['billing_error'] })).toBe('provider-billing');
  });

  it.each([
    'The test 401 of the suite failed',
    'Wrote 429 lines to quotation.ts',
    'Could not parse src/model.ts',
    'error TS2304: Cannot find name "login"',
    'Process exited with code 3',
    '',
  ])('is not guessed from "%s"', (message) => {
    expect(kindOf({ message })).toBeUndefined();
    expect(classify('a', { message })).toEqual(agentError('a', message));
  });

  it('of a known name inside an unknown one is not taken', () => {
    expect(kindOf({ codes: ['my_rate_limit_test', 'toString', '__proto__'] })).toBeUndefined();
  });
});

describe('the answer of a service within a message', () => {
  const failureOf = (message: string): ProviderFailure | undefined => recognized('a', { message });

  it('is read as data', () => {
    const body = { error: { message: 'too much', type: 'x', code: 'context_length_exceeded' } };
    expect(failureOf(JSON.stringify(body))).toEqual({
      kind: 'context-overflow',
      agent: 'a',
      message: 'too much',
    });
  });

  it('may be inside a text with the status', () => {
    const text = 'unexpected status 403 Forbidden: {"error":{"message":"no"}}, url: http://h/v1';
    expect(failureOf(text)).toEqual({
      kind: 'provider-auth',
      agent: 'a',
      message: 'no',
      status: 403,
    });
  });

  it('has a status as a code, or as a name', () => {
    const error = { code: 503, message: 'later', status: 'UNAVAILABLE' };
    expect(failureOf(JSON.stringify({ error }))).toMatchObject({
      kind: 'provider-server',
      status: 503,
    });
  });

  it('has the time at which a quota is back', () => {
    const quota = (more: object) =>
      failureOf(JSON.stringify({ error: { type: 'usage_limit_reached', message: 'm', ...more } }));
    expect(quota({ resets_at: 1_900_000_000 })).toMatchObject({ resetAt: 1_900_000_000_000 });
    expect(quota({ resets_in_seconds: 60 })).toMatchObject({ wait: { afterMs: 60_000 } });
    expect(quota({ details: [{}, { retryDelay: '7.5s' }] })).toMatchObject({
      wait: { afterMs: 7500 },
    });
  });

  it('that is incomplete is only text', () => {
    expect(failureOf('{"error":{"message":"Rate limit reached')).toMatchObject({
      kind: 'provider-rate-limit',
    });
  });
});

describe('a failure', () => {
  it('has the values that belong to it', () => {
    const trouble = { message: 'no', model: 'm-1', variable: 'KEY' };
    expect(recognized('a', { ...trouble, status: 401 })).toEqual({
      kind: 'provider-auth',
      agent: 'a',
      message: 'no',
      status: 401,
      variable: 'KEY',
    });
    expect(recognized('a', { ...trouble, status: 404 })).toEqual({
      kind: 'model-unknown',
      agent: 'a',
      message: 'no',
      status: 404,
      model: 'm-1',
    });
  });

  it('of too many requests has a retry time', () => {
    const status = 429;
    const headers = { 'retry-after': '7' };
    expect(recognized('a', { message: 'no', status, headers })).toMatchObject({
      kind: 'provider-rate-limit',
      retryAfterMs: 7000,
    });
    const message = 'Rate limit reached. Please try again in 1.5s.';
    expect(recognized('a', { message, status })).toMatchObject({ retryAfterMs: 1500 });
  });

  it('of no quota is one of the account, unless a time is known', () => {
    const codes = ['insufficient_quota'];
    expect(kindOf({ codes })).toBe('provider-billing');
    expect(kindOf({ codes, wait: { afterMs: 5 } })).toBe('quota-exhausted');
  });

  it('of spent money is one of the account, unless a time is known at which work can go on', () => {
    const message = "You've hit your monthly spend limit · your session limit resets in 2h5m";
    for (const status of [429, undefined]) {
      expect(recognized('a', { message, status })).toMatchObject({
        kind: 'quota-exhausted',
        wait: { afterMs: 7_500_000 },
      });
    }
  });

  it('of a session limit has a reset time', () => {
    const message = "You've hit your session limit · resets 3pm";
    expect(recognized('a', { message, status: 429 })).toMatchObject({
      kind: 'quota-exhausted',
      wait: { dayMinute: 15 * 60 },
    });
  });

  it('has a short message of one line', () => {
    expect(oneLine(' a\n\tb  c ')).toBe('a b c');
    const long = oneLine('x'.repeat(1000));
    expect(long).toHaveLength(300);
    expect(long.endsWith('…')).toBe(true);
    expect(classify('a', { message: 'y'.repeat(400), status: 500 }).message).toHaveLength(300);
  });
});
