import { describe, expect, test } from 'vitest';
import { isTaskId } from '../model/task.ts';
import { fixTask, type Trouble } from './fix-task.ts';

const failed: Trouble = {
  kind: 'failed',
  command: 'npm test',
  exit: 2,
  ms: 10,
  tail: 'expected 2\n\n```\ngot 3\n',
};
const made = (trouble: Trouble) => fixTask(trouble, '261115-230028-5169', '/runs/r/verify.log');

describe('the task that follows a look at the target which failed', () => {
  test('is an urgent bug with a name that a run has only one of', () => {
    const task = made(failed);
    expect(task).toMatchObject({ id: 'fix-verify-261115-230028-5169', type: 'bug', priority: 1 });
    expect(isTaskId(task.id)).toBe(true);
    expect(made({ ...failed, exit: 3 }).id).toBe(task.id);
  });

  test('tells the command, how it ended, what it printed and where the rest is', () => {
    const { body } = made(failed);
    expect(body).toContain('    npm test\n');
    expect(body).toContain('exit status 2');
    expect(body).toContain('    expected 2\n\n    ```\n    got 3\n');
    expect(body).toContain('/runs/r/verify.log');
  });

  test('names the failing tests', () => {
    const failures = [{ name: 'adds prices', message: 'expected 3\ngot 4' }];
    const { body } = made({ ...failed, evidence: { failures, unlisted: 0, signs: [], head: '' } });
    expect(body).toContain('This failed: adds prices\n\n    expected 3\n    got 4\n');
  });

  test('names the landing from which on it fails, where that is known', () => {
    const culprit = { commit: 'abc123', tasks: ['rename', 'receipt'] };
    expect(made({ ...failed, culprit }).body).toContain(
      'It fails from commit abc123 on, which brought rename, receipt.',
    );
  });

  test('says of one without a status of its own that it was not started or was ended', () => {
    expect(made({ ...failed, exit: -1 }).body).not.toContain('exit status');
  });

  test('shows no empty output', () => {
    expect(made({ ...failed, tail: ' \n' }).body).not.toContain('printed');
  });

  test('says how long one that did not end was waited for', () => {
    const task = made({ kind: 'timed-out', command: 'npm test', budgetMs: 90_000 });
    expect(task.body).toContain('not come to an end after 90 seconds');
  });
});
