import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { Misfit, read } from '../model/shape.ts';
import { Action } from './action.ts';
import type { Reads } from './contract.ts';

const codeIn = (text: string): string[] =>
  Array.from(text.matchAll(/`([^`]*)`/g), ([, code = '']) => code);

describe('an action', () => {
  it('is read if it has the fields of its kind', () => {
    const action = { kind: 'reject', task: 'a', reason: 'too long' };
    expect(read(Action, action)).toEqual(action);
  });

  it('is refused if a field is missing or its kind is unknown', () => {
    expect(String(read(Action, { kind: 'reject', task: 'a' }))).toBe('has no "reason"');
    expect(read(Action, { kind: 'erase', task: 'a' })).toBeInstanceOf(Misfit);
  });

  it('is refused if it has a field or a word that its kind does not have', () => {
    expect(String(read(Action, { kind: 'run', onyl: ['a'] }))).toBe('has an unknown "onyl"');
    expect(read(Action, { kind: 'stop', how: 'nwo' })).toBeInstanceOf(Misfit);
    const added = { kind: 'add', title: 'Map', after: ['geo'] };
    expect(String(read(Action, added))).toBe('has an unknown "after"');
    const text = 'Commit the test.';
    expect(read(Action, { kind: 'tell', task: 'a', text, reason: 'b' })).toBeInstanceOf(Misfit);
  });

  it('has its kinds and fields in docs/programs.md', () => {
    const rows = readFileSync('docs/programs.md', 'utf8').matchAll(/^\| (`[^|]*) \| (.*?) \|/gm);
    const documented = new Map<string, string[]>();
    for (const [, kinds = '', fields = ''] of rows) {
      for (const kind of codeIn(kinds)) documented.set(kind, codeIn(fields));
    }
    const { node } = Action;
    const members = node.kind === 'union' ? Object.entries(node.members) : [];
    expect(members.length).toBeGreaterThan(0);
    for (const [kind, fields] of members) {
      const names = Object.entries(fields).map(
        ([name, { optional }]) => name + (optional ? '?' : ''),
      );
      expect([kind, documented.get(kind)]).toEqual([kind, names]);
    }
  });

  it('has a list of requests that read next to it', () => {
    const path: keyof Reads = '/api/view';
    expect(path).toBe('/api/view');
  });
});
