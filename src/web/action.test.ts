import { describe, expect, it } from 'vitest';
import { Misfit, read } from '../model/shape.ts';
import { Action } from './action.ts';
import type { Reads } from './contract.ts';

describe('an action', () => {
  it('is read if it has the fields of its kind', () => {
    const action = { kind: 'reject', task: 'a', reason: 'too long' };
    expect(read(Action, action)).toEqual(action);
  });

  it('is refused if a field is missing or its kind is unknown', () => {
    expect(String(read(Action, { kind: 'reject', task: 'a' }))).toBe('has no "reason"');
    expect(read(Action, { kind: 'erase', task: 'a' })).toBeInstanceOf(Misfit);
  });

  it('has a list of requests that read next to it', () => {
    const path: keyof Reads = '/api/view';
    expect(path).toBe('/api/view');
  });
});
