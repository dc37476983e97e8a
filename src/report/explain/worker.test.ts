import { describe, expect, it } from 'vitest';
import { failures } from '../../../test/report/failures.ts';
import type { Failure } from '../../model/failure.ts';
import { explain } from './explain.ts';

const textOf = (failure: Failure): string => {
  const { what, why, do: remedy, exit } = explain(failure);
  return `${what}\n${why}\n${remedy}\n(${exit})`;
};

describe('a worker that gets nothing more', () => {
  it('is named with what it lacks, and with the ways to use it after all', () => {
    const detail = 'The agent mine needs "make-it", which was not found.';
    const failure = { ...failures['worker-unfit'], problem: 'set-up', detail } as const;
    expect(textOf(failure)).toMatchInlineSnapshot(`
      "The worker w1 cannot work for this run: The agent mine needs "make-it", which was not found.
      Something is missing on its machine, or differs there. The run gives this worker nothing more.
      Fix it on that machine, and start a worker there with another \`--name\`. To use the same one, end the run with \`ym stop\` and type \`ym resume\`.
      (3)"
    `);
  });

  it('because of a bug is named with the error; the trace stays in the record', () => {
    const detail = 'TypeError: x is undefined\n    at perform (main.js:1:1)';
    const failure = { ...failures['worker-unfit'], problem: 'error', detail } as const;
    expect(textOf(failure)).toMatchInlineSnapshot(`
      "The worker w1 failed with an internal error: TypeError: x is undefined.
      This is a bug in Yardmaster, or something on that machine that it does not expect. The run gives this worker nothing more.
      Please report it with the output of \`ym events --json\`, which has the whole error. To use the worker again, end the run with \`ym stop\` and type \`ym resume\`.
      (3)"
    `);
  });

  it('may follow a bug in the gate of a candidate, which another machine judges first', () => {
    const detail = 'TypeError: x is undefined\n    at perform (main.js:1:1)';
    const failure = { ...failures['worker-unfit'], problem: 'gate-error', detail } as const;
    expect(textOf(failure)).toMatchInlineSnapshot(`
      "The worker w1 failed with an internal error in the gate of a candidate: TypeError: x is undefined.
      This is a bug in Yardmaster, or something on that machine that it does not expect. Another machine judges the candidate. If it can, the run gives this worker nothing more.
      Please report it with the output of \`ym events --json\`, which has the whole error.
      (3)"
    `);
  });

  it('is the reason why its tasks start elsewhere', () => {
    expect(textOf({ ...failures['worker-gone'], how: 'refused' })).toMatchInlineSnapshot(`
      "The run gives the worker w1 on build-2 nothing more.
      It cannot work for this run, or answered something that the run did not ask for; \`ym events\` shows why.
      No action needed: the task starts again elsewhere, and this does not count as a failure.
      (1)"
    `);
  });

  it('needs a shared repository that takes what is about to land', () => {
    expect(textOf(failures['share-failed'])).toMatchInlineSnapshot(`
      "The shared repository does not take work that is about to land: fatal: unable to connect to git.example.
      Git printed: fatal: unable to connect to git.example.
      Check \`workers.remote\` and that repository. A run under way tries again by itself; after its end, \`ym resume\` lands the work.
      (3)"
    `);
    expect(textOf(failures['share-slow'])).toMatchInlineSnapshot(`
      "The shared repository has not taken work that is about to land for more than 15 s.
      It does not answer, or the link to it is slow.
      Check \`workers.remote\` and that repository. A run under way tries again by itself; after its end, \`ym resume\` lands the work.
      (3)"
    `);
  });

  it('is no machine that drove the run before: its work is made again', () => {
    expect(textOf(failures['work-missing'])).toMatchInlineSnapshot(`
      "This repository lacks commit 3f1db35, the work on the task.
      The machine that drove the run before has it, and has not pushed it to a repository that this machine reaches.
      No action needed: the task starts again, and this does not count as a failure. The old work stays on that machine, on branch \`yard/r1/search-1\` or in its worktree.
      (1)"
    `);
    const { commit: _commit, ...worktree } = failures['work-missing'];
    expect(textOf(worktree)).toContain('The worktree of the task is not on this machine.\n');
  });
});
