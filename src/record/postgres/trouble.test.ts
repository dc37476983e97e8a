import { describe, expect, it } from 'vitest';
import { BadRow } from '../trouble.ts';
import { isLost, troubleFrom } from './trouble.ts';

const store = 'postgres://ada@db/yard';
const coded = (code: string, message = 'it failed'): Error =>
  Object.assign(new Error(message), { code });

describe('an error of the driver', () => {
  it.each([
    [coded('ECONNREFUSED'), 'unreachable'],
    [coded('ENOTFOUND'), 'unreachable'],
    [coded('ETIMEDOUT'), 'unreachable'],
    [coded('57P01', 'terminating connection due to administrator command'), 'unreachable'],
    [coded('57P03', 'the database system is starting up'), 'unreachable'],
    [coded('57P05', 'terminating connection due to idle-session timeout'), 'unreachable'],
    [coded('53300', 'sorry, too many clients already'), 'unreachable'],
    [coded('08006', 'connection failure'), 'unreachable'],
    [new Error('Connection terminated unexpectedly'), 'unreachable'],
    [new Error('Query read timeout'), 'unreachable'],
    [new Error('timeout expired'), 'unreachable'],
    [coded('28P01', 'password authentication failed for user "ada"'), 'login'],
    [coded('28000', 'no pg_hba.conf entry'), 'login'],
    [coded('3D000', 'database "yard" does not exist'), 'no-database'],
    [coded('42501', 'permission denied for schema yardmaster'), 'no-permission'],
  ])('is a server that does not do its part: %s', (error, problem) => {
    const detail = error.message;
    expect(troubleFrom(error, store, 0)).toEqual({
      kind: 'store-unavailable',
      store,
      problem,
      detail,
    });
    expect(isLost(error)).toBe(problem === 'unreachable');
  });

  it('is a server that asks for a password where there is none', () => {
    const text = 'SASL: SCRAM-SERVER-FIRST-MESSAGE: client password must be a string';
    expect(troubleFrom(new Error(text), store, 0)).toMatchObject({
      problem: 'login',
      detail: 'it asks for a password, and none was given',
    });
  });

  it('has its code as its text if it has no other', () => {
    const error = coded('ECONNREFUSED', '');
    expect(troubleFrom(error, store, 0)).toMatchObject({ detail: 'ECONNREFUSED' });
  });

  it.each(['55P03', '40001', '40P01', '57014'])('is a busy store: %s', (code) => {
    const busy = { kind: 'store-busy', file: store, waitedMs: 12 };
    expect(troubleFrom(coded(code), store, 12.4)).toEqual(busy);
    expect(isLost(coded(code))).toBe(false);
  });

  it.each([
    ['53100', 'could not extend file: No space left on device'],
    ['25006', 'cannot execute INSERT in a read-only transaction'],
    ['42703', 'column "stuck" does not exist'],
  ])('is a store that failed: %s', (code, detail) => {
    const failed = { kind: 'store-failed', file: store, detail };
    expect(troubleFrom(coded(code, detail), store, 0)).toEqual(failed);
  });

  it('is damage if a row cannot be read, and a bug if the code is wrong', () => {
    const corrupt = { kind: 'store-corrupt', file: store, detail: 'Event 3 is not readable' };
    expect(troubleFrom(new BadRow('Event 3 is not readable'), store, 0)).toEqual(corrupt);
    expect(troubleFrom(new TypeError('x is not a function'), store, 0).kind).toBe('internal');
    expect(troubleFrom('odd', store, 0)).toMatchObject({ kind: 'store-failed', detail: 'odd' });
  });
});
