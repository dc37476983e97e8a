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

describe('the task after a failed end-of-run verification', () => {
  test('is an urgent bug with a name that a run has only one of', () => {
    const task = made(failed);
    expect(task).toMatchObject({ id: 'fix-verify-261115-230028-5169', type: 'bug', priority: 1 });
    expect(isTaskId(task.id)).toBe(true);
    expect(made({ ...failed, exit: 3 }).id).toBe(task.id);
  });

  test('contains the command, its end, its output and the path of the log', () => {
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

  test('names the landing that broke it, if known', () => {
    const culprit = { commit: 'abc123', tasks: ['rename', 'receipt'] };
    expect(made({ ...failed, culprit }).body).toContain(
      'It fails from commit abc123 on, which brought rename, receipt.',
    );
  });

  test('describes a command that did not start or was killed', () => {
    expect(made({ ...failed, exit: -1 }).body).not.toContain('exit status');
  });

  test('shows no empty output', () => {
    expect(made({ ...failed, tail: ' \n' }).body).not.toContain('printed');
  });

  test('gives the time limit of a command that timed out', () => {
    const task = made({ kind: 'timed-out', command: 'npm test', budgetMs: 90_000 });
    expect(task.body).toContain('did not finish within 90 seconds');
  });
});
