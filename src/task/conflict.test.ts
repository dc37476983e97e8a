import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { task } from '../../test/story.ts';
import { isTaskId } from '../model/task.ts';
import { conflictOf, conflictTask, conflictTaskId } from './conflict.ts';

const failure = {
  kind: 'conflict',
  files: ['src/a.ts', 'src/b.ts'],
  target: 'abc',
  branch: 'yard/r1/a-1',
  branchLog: 'def one step',
  targetLog: 'abc another step',
  stat: ' src/a.ts | 2 +-',
} as const;

describe('the task that is filed for a conflict', () => {
  const filed = conflictTask(
    'a-conflict',
    task('a', { title: 'Do it', priority: 1, checks: ['lint'] }),
    'yard/r1/a-1',
    failure,
    'main',
  );

  test('says where the work is, what is in conflict, and what both sides did', () => {
    expect(filed.title).toBe('Resolve the conflict of a with main');
    for (const said of ['"Do it"', 'yard/r1/a-1', '- src/a.ts', '- src/b.ts', 'ym resolve a']) {
      expect(filed.body).toContain(said);
    }
    for (const part of [failure.branchLog, failure.targetLog, failure.stat]) {
      expect(filed.body).toContain(part);
    }
  });

  test('is as important as the task itself, is judged as that, and is expected to touch those files', () => {
    expect(filed).toMatchObject({
      type: 'conflict',
      priority: 1,
      checks: ['lint'],
      paths: failure.files,
      scope: 'predicted',
      after: [],
    });
  });

  test('knows whose conflict it is there for', () => {
    expect(conflictOf(filed)).toBe('a');
    expect(conflictOf(task('a'))).toBeUndefined();
    expect(conflictOf(task('a', { labels: ['conflict:b'] }))).toBeUndefined();
    expect(conflictOf(task('a', { type: 'conflict' }))).toBeUndefined();
  });

  test('leaves out what nobody knows', () => {
    const { branchLog: _log, targetLog: _target, stat: _stat, ...bare } = failure;
    const short = conflictTask('a-conflict', task('a'), 'b', { ...bare, stat: '' }, 'main');
    expect(short.body).not.toContain('meanwhile');
    expect(short.body).not.toContain('Files that changed');
  });
});

describe('the id of such a task', () => {
  const id = fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9._-]{0,79}$/).filter(isTaskId);
  const nobody = () => undefined;

  test('is always the same for one task, and a good one', () => {
    fc.assert(
      fc.property(id, (one) => {
        const name = conflictTaskId(one, nobody);
        expect(isTaskId(name)).toBe(true);
        expect(conflictTaskId(one, nobody)).toBe(name);
        expect(name).not.toBe(one);
      }),
    );
  });

  test('is another one for another task, however long their names are', () => {
    const long = 'x'.repeat(79);
    expect(conflictTaskId(`${long}1`, nobody)).not.toBe(conflictTaskId(`${long}2`, nobody));
  });

  test('is that of the task that was filed for it already, and of no other', () => {
    const [own, other] = [
      task('a-conflict', { type: 'conflict', labels: ['conflict:a'] }),
      task('a-conflict'),
    ];
    expect(conflictTaskId('a', () => own)).toBe('a-conflict');
    const taken = (name: string) => (name === 'a-conflict' ? other : undefined);
    const next = conflictTaskId('a', taken);
    expect(next).not.toBe('a-conflict');
    expect(isTaskId(next)).toBe(true);
  });
});
