import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anAttempt, anyLog, aRecord, failures, logOf } from '../../test/report/fixtures.ts';
import { end, story } from '../../test/report/story.ts';
import type { Failure } from '../model/failure.ts';
import type { Standing } from '../plan/record.ts';
import { type ProgressContext, progressLines } from './progress.ts';
import { colours } from './style.ts';
import { widthOf } from './width.ts';

const known: ProgressContext = {
  record: (id) =>
    aRecord(id, undefined, {
      attempt: anAttempt({ id: 'landed', commit: 'b' }, { startedAt: 2000 }),
    }),
};

describe('progress without a terminal', () => {
  it('has one line for each thing a person waits for', () => {
    const lines = [...story, ...logOf(end)].flatMap((event) => progressLines(event, known));
    expect(`\n${lines.join('\n')}\n`).toMatchInlineSnapshot(`
      "
      00:00:01 run       r1  2 slots of mine → main
      00:00:02 started   api  attempt 1, slot 1, mine
      00:00:05 returned  api  The gate is red together with what has landed: "npm test" failed with exit status 1.
      00:00:06 turn      api  turn 2
      00:00:08 queued    api  gate passed
      00:00:11 landed    api  bbbbbbb  (attempt 1, 9 s)
      00:00:12 started   ui  attempt 1, slot 2, mine
      00:00:15 failed    ui  The agent ended with exit status 3.
      00:00:16 started   ui  attempt 2, slot 1, mine
      00:00:19 failed    ui  The agent printed nothing for 15 m 00 s and was ended.
      00:00:20 started   docs  attempt 1, slot 2, mine
      00:00:23 failed    docs  The agent ended well but changed nothing.
      00:00:24 started   cut  attempt 1, slot 1, mine
      00:00:27 stopped   cut  Interrupted by ym stop --now.
      00:00:28 started   lost  attempt 1, slot 2, mine
      00:00:01 ended     r1  ended: nothing left to do
      "
    `);
  });

  it('says how long a landed attempt took, where that is known', () => {
    const landed = story.filter(({ type }) => type === 'landed');
    const unknown: ProgressContext = { record: () => undefined };
    expect(landed.flatMap((event) => progressLines(event, known))[0]).toMatch(
      /\(attempt 1, 9 s\)$/,
    );
    expect(landed.flatMap((event) => progressLines(event, unknown))[0]).toMatch(/\(attempt 1\)$/);
  });

  it('has a line for each car of a landing', () => {
    const cars = ['a', 'b'].map((id) => ({ id, attempt: 1, commit: 'c' }));
    const [event] = logOf({
      type: 'landed',
      run: 'r1',
      candidate: 'c1',
      commit: 'd',
      from: 'e',
      cars,
    });
    expect(event === undefined ? [] : progressLines(event, known)).toHaveLength(2);
  });

  it('says why the train waits, drops a candidate or finds it red', () => {
    const base = { run: 'r1', candidate: 'c1' };
    const failure = failures['gate-red'];
    const lines = logOf(
      { ...base, type: 'landing-waits', failure: failures['checkout-in-the-way'], until: 1 },
      { ...base, type: 'candidate-dropped', found: 'f'.repeat(40) },
      {
        ...base,
        type: 'candidate-judged',
        tree: 't',
        gate: 'g',
        verdict: { id: 'failed', ms: 1, failure },
        cached: false,
      },
      { run: 'r1', id: 'api', attempt: 1, type: 'coupling-refused', failure: failures.conflict },
      { type: 'stop-asked', run: 'r1', how: 'finish', by: 'Ctrl-C' },
      { type: 'task-decided', id: 'api', decision: { kind: 'block', reason: 'later' } },
      {
        type: 'run-ended',
        run: 'r1',
        stop: { reason: 'environment', failure: failures['target-red'] },
      },
    ).flatMap((event) => progressLines(event, known));
    expect(`\n${lines.join('\n')}\n`).toMatchInlineSnapshot(`
      "
      00:00:01 waits     The checkout of the target in /somewhere cannot be moved: local changes to src/a.ts.
      00:00:01 do        Mend what git complains about in /somewhere; the landing is tried again by itself, or with \`ym resume\` once the run has ended.
      00:00:02 rebuild   target moved to fffffff
      00:00:03 red       The gate is red together with what has landed: "npm test" failed with exit status 1.
      00:00:04 returned  api  Conflicts with main in src/a.ts, src/b.ts.
      00:00:05 stopping  finish, asked by Ctrl-C
      00:00:06 block     api  by a person: later
      00:00:07 ended     r1  stopped: something outside the tasks is in the way
      00:00:07 because   The target itself is red at bbbbbbbbbbbb.
      00:00:07 do        Read .yardmaster/runs/r1/verify.log, mend the target, check it with \`ym verify\`, then type \`ym resume\`.
      "
    `);
  });

  it('calls what became of a task by the word of its state', () => {
    const failure = failures['agent-exited'];
    const failed = { run: 'r1', id: 'api', attempt: 1, type: 'attempt-failed' } as const;
    const line = (standing: Standing, why: Failure = failure): string => {
      const [event] = logOf({ ...failed, failure: why });
      const record = aRecord('api', standing);
      return event === undefined ? '' : (progressLines(event, { record: () => record })[0] ?? '');
    };
    expect(line({ id: 'open' })).toContain('failed    api  The agent ended');
    expect(line({ id: 'failed', failure, run: 'r1' })).toContain('failed    api');
    expect(line({ id: 'blocked', failure })).toContain('blocked   api  The agent ended');
    expect(line({ id: 'quarantined', failure })).toContain('quarantined api');
    const cancelled: Standing = { id: 'cancelled', failure: failures['cancelled-by-person'] };
    expect(line(cancelled, failures.interrupted)).toContain('cancelled api  Cancelled by a person');
  });

  it('does not say that a gate passed where there is none', () => {
    const verdict = { id: 'passed', ms: 0 } as const;
    const judged = { run: 'r1', id: 'api', attempt: 1, tree: 't', verdict, cached: false };
    const [none, one] = logOf(
      { ...judged, type: 'branch-judged', gate: 'none' },
      { ...judged, type: 'branch-judged', gate: '8:npm test' },
    ).flatMap((event) => progressLines(event, known));
    expect(none).toMatch(/queued +api {2}no gate$/);
    expect(one).toMatch(/queued +api {2}gate passed$/);
  });

  it('shows to its end what a person has to do', () => {
    const files = Array.from({ length: 20 }, (_, at) => `\tsrc/file-${at}.ts`).join('\n');
    const cause = `error: Your local changes would be overwritten:\n${files}\nAborting`;
    const failure: Failure = { kind: 'checkout-in-the-way', dir: '/somewhere', cause };
    const [event] = logOf({ type: 'landing-waits', run: 'r1', candidate: 'c1', failure, until: 1 });
    const lines = event === undefined ? [] : progressLines(event, { ...known, width: 80 });
    expect(lines.join(' ')).toContain('src/file-19.ts');
    expect(lines.join(' ')).toContain('Commit or stash them');
  });

  it('shows the time where the reader is', () => {
    const [first] = story;
    const lines = first === undefined ? [] : progressLines(first, { ...known, offsetMin: -90 });
    expect(lines[0]).toMatch(/^01:30:01 run/);
  });

  it('prints single lines within the width, whatever happened', () => {
    fc.assert(
      fc.property(anyLog, fc.boolean(), (log, tinted) => {
        const style = tinted ? { style: colours } : {};
        for (const event of log) {
          for (const line of progressLines(event, {
            record: () => undefined,
            width: 80,
            ...style,
          })) {
            expect(line).not.toContain('\n');
            expect(widthOf(line)).toBeLessThanOrEqual(80);
          }
        }
      }),
    );
  });
});
