import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import {
  BRANCHES,
  baseRefOf,
  branchOf,
  candidateRef,
  KEPT,
  keepRef,
  leftoverRef,
  parseName,
  runOf,
} from './branch.ts';
import { isTaskId } from './task.ts';

const ids = ['T1', 't1', 'a-1', 'a-1-2', 'a.b_c', '9', 'x'.repeat(80), 'CON', 'a.lock.b'];

describe('names of branches and kept refs', () => {
  it('are parsed back into run, task and attempt', () => {
    for (const task of ids) {
      const named = { run: 'r-1', task, attempt: 12 };
      expect(isTaskId(task)).toBe(true);
      expect(parseName(branchOf('r-1', task, 12))).toEqual(named);
      expect(parseName(`refs/heads/${branchOf('r-1', task, 12)}`)).toEqual(named);
      expect(parseName(keepRef('r-1', task, 12))).toEqual(named);
      expect(parseName(baseRefOf(branchOf('r-1', task, 12)))).toEqual(named);
    }
  });

  it('are names that git accepts, for every task id', () => {
    for (const task of ids) {
      for (const ref of [`refs/heads/${branchOf('r1', task, 1)}`, keepRef('r1', task, 1)]) {
        expect(() => execFileSync('git', ['check-ref-format', ref])).not.toThrow();
      }
    }
  });

  it('never meet, not even as folder and file', () => {
    const all = ids.flatMap((task) => [1, 2, 12].map((n) => branchOf('r1', task, n)));
    expect(new Set(all).size).toBe(all.length);
    for (const one of all) expect(all.some((other) => other.startsWith(`${one}/`))).toBe(false);
  });

  it('lie below the prefixes that listings use', () => {
    expect(`refs/heads/${branchOf('r', 't', 1)}`.startsWith(BRANCHES)).toBe(true);
    expect(keepRef('r', 't', 1).startsWith(KEPT)).toBe(true);
    expect(leftoverRef('r', 3)).toBe('refs/yard/keep/r/leftover-3');
    expect(leftoverRef('r', 3, 2)).toBe('refs/yard/keep/r/leftover-3.2');
  });

  it('are not seen in the names of others', () => {
    for (const name of [
      'main',
      'refs/heads/yard',
      'yard/x',
      'yard/r/t',
      'refs/heads/yardage/r/t-1',
    ]) {
      expect(parseName(name)).toBeUndefined();
    }
  });

  it('contain their run even if they name no attempt', () => {
    expect(runOf('refs/yard/keep/r1/leftover-3.2')).toBe('r1');
    expect(runOf('refs/heads/yard/r1/t-1')).toBe('r1');
    expect(runOf(candidateRef('r1', 'c12'))).toBe('r1');
    expect(parseName(candidateRef('r1', 'c12'))).toBeUndefined();
    expect(runOf('refs/heads/main')).toBeUndefined();
  });
});
