import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { agentStory } from '../../../test/report/agent-story.ts';
import { anyLog } from '../../../test/report/any-log.ts';
import { failures } from '../../../test/report/failures.ts';
import { anAttempt, aRecord, logOf } from '../../../test/report/fixtures.ts';
import { colors } from '../../../test/report/ink.ts';
import { recordsOf } from '../../../test/report/records-of.ts';
import { end, story } from '../../../test/report/story.ts';
import { trainStory } from '../../../test/report/train-story.ts';
import { owner, Story, task } from '../../../test/story.ts';
import { defined } from '../../model/defined.ts';
import type { Event } from '../../model/event.ts';
import type { Failure } from '../../model/failure.ts';
import type { QueueEntry } from '../../model/queue-entry.ts';
import type { TaskStatus } from '../../model/task-record.ts';
import { fold } from '../../plan/fold.ts';
import { MemoryRecords } from '../../record/memory-records.ts';
import { widthOf } from '../format/width.ts';
import type { ProgressContext } from './line.ts';
import { progressLines } from './progress.ts';

const known: ProgressContext = {
  record: (id) =>
    aRecord(id, undefined, {
      attempt: anAttempt({ id: 'landed', commit: 'b' }, { startedAt: 2000 }),
    }),
};

describe('progress without a terminal', () => {
  it('names the slots that stay paused after a resume', () => {
    const story = new Story().start({ jobs: 2 });
    story.tell({ type: 'slots-changed', run: 'r1', change: { id: 'pause', slot: 2 } });
    const resumed = logOf({ type: 'run-resumed', run: 'r1', owner });
    const context = { ...known, run: () => story.record() };
    expect(resumed.flatMap((event) => progressLines(event, context))).toEqual([
      '00:00:01 resumed   r1',
      '00:00:01 paused    slot 2 stays paused: `ym slots --resume 2`',
    ]);
  });

  it('has one line for each thing a person waits for', () => {
    const lines = [...story, ...logOf(end)].flatMap((event) => progressLines(event, known));
    expect(`\n${lines.join('\n')}\n`).toMatchInlineSnapshot(`
      "
      00:00:01 run       r1  2 slots of mine → main
      00:00:02 started   api  attempt 1, slot 1, mine
      00:00:05 returned  api  \`npm test\` failed (exit 1) after merging with the target.
      00:00:06 turn      api  turn 2
      00:00:08 queued    api  gate passed
      00:00:11 landed    api  bbbbbbb  (attempt 1, 9 s)
      00:00:12 started   ui  attempt 1, slot 2, mine
      00:00:15 failed    ui  The agent exited with status 3.
      00:00:16 started   ui  attempt 2, slot 1, mine
      00:00:19 failed    ui  The agent printed nothing for 15 m 00 s and was stopped.
      00:00:20 started   docs  attempt 1, slot 2, mine
      00:00:23 failed    docs  The agent finished but made no changes.
      00:00:24 started   cut  attempt 1, slot 1, mine
      00:00:27 stopped   cut  Interrupted by ym stop --now.
      00:00:28 started   lost  attempt 1, slot 2, mine
      00:00:01 ended     r1
      "
    `);
  });

  it('says once for each cause that a state was not written back', () => {
    const told = new Story().tasks(task('a'), task('b'), task('c')).start();
    const context: ProgressContext = { record: () => undefined, run: (id) => told.state.run(id) };
    const failed = (id: string, note: string) => {
      const event = { type: 'source-sync-failed', run: 'r1', id, note } as const;
      told.tell(event);
      const lines = progressLines({ ...event, seq: 1, at: 0, version: 1 }, context);
      return lines.map((line) => line.slice(9));
    };
    expect(failed('a', 'bd is gone')).toEqual([
      'unwritten a  its state was not written back: bd is gone',
    ]);
    expect(failed('a', 'bd is gone')).toEqual([]);
    expect(failed('b', 'bd is gone')).toEqual([]);
    expect(failed('c', 'locked')).toHaveLength(1);
  });

  it('says how long a landed attempt took, where that is known', () => {
    const landed = story.filter(({ type }) => type === 'landed');
    const unknown: ProgressContext = { record: () => undefined };
    expect(landed.flatMap((event) => progressLines(event, known))[0]).toMatch(
      /\(attempt 1, 9 s\)$/,
    );
    expect(landed.flatMap((event) => progressLines(event, unknown))[0]).toMatch(/\(attempt 1\)$/);
  });

  it('has a line for each branch of a landing', () => {
    const entries = ['a', 'b'].map((id) => ({ id, attempt: 1, commit: 'c' }));
    const [event] = logOf({
      type: 'landed',
      run: 'r1',
      candidate: 'c1',
      commit: 'd',
      from: 'e',
      entries,
    });
    expect(event === undefined ? [] : progressLines(event, known)).toHaveLength(2);
  });

  it('says why the train waits, drops a candidate or finds it red', () => {
    const base = { run: 'r1', candidate: 'c1' };
    const failure = failures['gate-red'];
    const lines = logOf(
      { ...base, type: 'landing-waits', failure: failures['checkout-in-the-way'], until: 1 },
      { ...base, type: 'candidate-dropped', reason: { id: 'target-moved', to: 'f'.repeat(40) } },
      {
        ...base,
        type: 'candidate-judged',
        tree: 't',
        gate: 'g',
        verdict: { id: 'failed', ms: 1, failure },
        cached: false,
      },
      { run: 'r1', id: 'api', attempt: 1, type: 'merge-refused', failure: failures.conflict },
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
      00:00:01 waits     Could not update the target's checkout in /somewhere: local changes to src/a.ts.
      00:00:01 do        Fix this in /somewhere; landing is retried automatically, or with \`ym resume\` if the run has ended.
      00:00:02 rebuild   the target moved to fffffff
      00:00:03 red       \`npm test\` failed (exit 1) after merging with the target.
      00:00:04 returned  api  Conflicts with main in src/a.ts, src/b.ts.
      00:00:05 stopping  finish, asked by Ctrl-C
      00:00:06 block     api  by a person: later
      00:00:07 ended     r1
      "
    `);
  });

  it('calls what became of a task by the word of its state', () => {
    const failure = failures['agent-exited'];
    const failed = { run: 'r1', id: 'api', attempt: 1, type: 'attempt-failed' } as const;
    const line = (status: TaskStatus, why: Failure = failure): string => {
      const [event] = logOf({ ...failed, failure: why });
      const record = aRecord('api', status);
      return event === undefined ? '' : (progressLines(event, { record: () => record })[0] ?? '');
    };
    expect(line({ id: 'open' })).toContain('failed    api  The agent exited');
    expect(line({ id: 'failed', failure, run: 'r1' })).toContain('failed    api');
    expect(line({ id: 'blocked', failure })).toContain('stuck     api  The agent exited');
    expect(line({ id: 'quarantined', failure })).toContain('quarantined api');
    const canceled: TaskStatus = {
      id: 'canceled',
      failure: failures['canceled-by-person'],
      at: 1,
    };
    expect(line(canceled, failures.interrupted)).toContain('canceled  api  Canceled by a person');
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

  it('tells once of each worker why it is dropped', () => {
    const failure = { ...failures['worker-unfit'], problem: 'gate' } as const;
    const paused = ['prepare b 1', 'judge-candidate c1 1', 'prepare b 1'];
    const of = { type: 'step-paused', run: 'r1' } as const;
    const other = { ...of, step: 'prepare c 1', failure: { ...failure, worker: 'w2' } };
    const events = [...paused.map((step) => ({ ...of, step, failure })), other];
    const story = new Story().start();
    const lines = logOf(...events).flatMap((event) => {
      story.tell(event);
      return progressLines(event, { ...known, run: () => story.record() });
    });
    const told = lines.filter((line) => line.includes('judges by another gate'));
    expect(told.map((line) => /worker (\S+) judges/.exec(line)?.[1])).toEqual(['w1', 'w2']);
  });

  it('names the versions of the run and of a worker that gets nothing', () => {
    const of = { type: 'worker-changed', run: 'r1', host: 'h', labels: [], slots: 1 } as const;
    const versions = { worker: '0.0.9', run: '0.1.0' };
    const [event] = logOf({ ...of, worker: 'old', state: 'refused', versions });
    const lines = event === undefined ? [] : progressLines(event, known);
    expect(lines).toEqual([
      expect.stringMatching(
        /worker +old has version 0\.0\.9 and gets nothing; this run has 0\.1\.0$/,
      ),
    ]);
  });

  it('tells of silence, claims, questions, pauses and co-claimed tasks', () => {
    const records = new MemoryRecords();
    const lines = agentStory.flatMap((event) => {
      fold(records, event);
      const context = { record: records.task.bind(records), run: records.run.bind(records) };
      return progressLines(event, context);
    });
    expect(`\n${lines.join('\n')}\n`).toMatchInlineSnapshot(`
      "
      00:00:07 run       r1  3 slots of claude, codex, gemini → main
      00:00:08 started   api  attempt 1, slot 1, claude
      00:00:11 silent    api  It ended its last turn without saying whether it is done; its conversation continues.
      00:00:12 turn      api  turn 2 with opus
      00:00:13 reports   api  its agent reports (decision): Keep the old route as an alias.
      00:00:14 claims    api  It asked for further tasks and got schema; it did not get zz (there is no such task).
      00:00:15 turn      api  turn 3 with opus
      00:00:16 files     api  Remove the alias
      00:00:18 queued    api  gate passed
      00:00:21 landed    api  m-api  (attempt 1, 13 s)
      00:00:21 landed    schema  m-api  (with api)
      00:00:22 started   ui  attempt 1, slot 2, codex
      00:00:25 pauses    ui  codex ended without a readable result. It continues automatically in 2 s.
      00:00:26 turn      ui  turn 2 with gpt-5 (high)
      00:00:29 queued    ui  gate passed
      00:00:32 landed    ui  m-ui  (attempt 1, 10 s)
      00:00:33 started   docs  attempt 1, slot 1, claude
      00:00:35 started   query  attempt 1, slot 2, claude
      00:00:37 started   slow  attempt 1, slot 3, gemini
      00:00:42 asks      query  Its agent asks: Which of the two formats is meant?
      00:00:42 do        Type \`ym answer query "…"\`.
      00:00:43 pauses    docs  The quota of claude is used up until 1970-01-01 00:10 UTC. It continues automatically at 00:10.
      00:00:44 pauses    slow  The service behind gemini is overloaded. It continues automatically in 2 s.
      00:00:45 turn      slow  turn 2
      "
    `);
  });

  it('says what to do where an account waits for a person', () => {
    const turnReason = { id: 'paused', failure: failures['provider-auth'] } as const;
    const record = aRecord('api', undefined, {
      attempt: anAttempt({ id: 'between-turns', turnReason }),
    });
    const [event] = logOf({
      run: 'r1',
      id: 'api',
      attempt: 1,
      type: 'turn-ended',
      turn: 1,
      result: { ok: false, failure: turnReason.failure },
    });
    const lines = event === undefined ? [] : progressLines(event, { record: () => record });
    expect(lines).toHaveLength(2);
    expect(lines[0]).toContain('paused    api  claude is not signed in');
    expect(lines[1]).toContain('type `ym resume`');
  });

  it('tells which tasks were filed, and what a person answered', () => {
    const lines = logOf(
      { run: 'r1', id: 'plan', attempt: 1, type: 'work-planned', filed: ['a', 'b'] },
      { type: 'task-decided', id: 'api', decision: { kind: 'answer', text: 'The second.' } },
    ).flatMap((event) => progressLines(event, known));
    expect(lines[0]).toContain('planned   plan  filed a, b');
    expect(lines[1]).toContain('answer    api  by a person: The second.');
  });

  it('names the agent of a turn that another one takes over', () => {
    const turn = { run: 'r1', id: 'api', attempt: 1, type: 'turn-started', slot: 1 } as const;
    const lines = logOf(
      { ...turn, turn: 1, model: 'opus' },
      { ...turn, turn: 2, agent: 'codex', model: 'gpt-5', reasoning: 'high' },
    ).flatMap((event) => progressLines(event, known));
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain('turn 2 by codex gpt-5 (high)');
  });

  it('shows the time where the reader is', () => {
    const [first] = story;
    const lines = first === undefined ? [] : progressLines(first, { ...known, offsetMin: -90 });
    expect(lines[0]).toMatch(/^01:30:01 run/);
  });

  it('prints single lines within the width, whatever happened', () => {
    fc.assert(
      fc.property(anyLog, fc.boolean(), (log, tinted) => {
        const style = tinted ? { style: colors } : {};
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

describe('progress of a run at full strength', () => {
  const lines = (events: readonly Event[], more: Partial<ProgressContext> = {}): string[] => {
    const built = new Map<string, readonly QueueEntry[]>();
    const { steps } = recordsOf(events);
    return events.flatMap((event) => {
      if (event.type === 'candidate-built') built.set(event.candidate, event.entries);
      const entries = (candidate: string) => built.get(candidate) ?? [];
      const blamed = [...steps].flatMap(([task, all]) =>
        all.flatMap(({ at, what }) =>
          what.type === 'blamed' && at === event.at ? [{ task, failure: what.failure }] : [],
        ),
      )[0];
      return progressLines(event, { ...known, entries, ...defined({ blamed }), ...more });
    });
  };

  it('has a line for whatever is said about the work', () => {
    expect(`\n${lines(trainStory).join('\n')}\n`).toMatchInlineSnapshot(`
      "
      00:00:01 run       r1  2 slots of mine → main
      00:00:02 critique  api  round 1: gemini critiques the task
      00:00:03 critique  api  round 1: the task is unclear: F1 blocker: It drops errors (1,000 tokens)
      00:00:04 critique  api  round 1: mine rewrites the task
      00:00:05 critique  api  round 1: the task was rewritten
      00:00:06 critique  api  round 2: gemini critiques the task
      00:00:07 critique  api  round 2: the task is clear
      00:00:10 tampering api  The git hook pre-commit was added, changed or removed.
      00:00:11 breaks    api  The work breaks 1 rule: a.test.ts is a test and was deleted: restore it.
      00:00:12 turn      api  turn 2
      00:00:15 queued    api  branch gate skipped: its agent is mostly right
      00:00:16 review    api  round 1: review by codex gpt-5
      00:00:17 unclear   api  The agent codex gave no verdict: it printed no verdict.
      00:00:18 review    api  round 1: review by codex gpt-5, for the 2nd time
      00:00:19 changes   api  round 1: codex wants changes: F1 blocker: It drops errors (gpt-5, 1,000 tokens)
      00:00:20 turn      api  turn 3
      00:00:23 approved  api  round 2: codex approves
      00:00:24 awaits    api  Waits for your approval: reviewers still want changes after 3 rounds.
      00:00:24 do        Look at \`ym diff api\`; then type \`ym approve api\` to let it land, or \`ym reject api "why"\` to send it back to its agent.
      00:00:25 reject    api  by a person: too slow
      00:00:26 approve   api  by a person
      00:00:27 clash     api  does not merge with docs: a, b
      00:00:28 deferred  api  does not merge with c0, waits until it is done
      00:00:30 gate      ui, api  together, gate 2
      00:00:31 red       ui, api  \`npm test\` failed (exit 1) after merging with the target.
      00:00:34 flaky     "npm test" failed, then passed on the same tree
      00:00:35 flaky     "npm run slow" is quarantined as flaky: it passed after extra retries
      00:00:35 returned  api  \`npm test\` failed (exit 1) after merging with the target.
      00:00:36 landed    ui  m1  (attempt 1, 34 s)
      00:00:37 hand-in   api  by a person: 9999999
      00:00:38 moved     target from m1 to x by the agent of docs
      00:00:39 moved     target from x to m1 by someone else
      00:00:40 delivered api  https://example.com/pull/7  (attempt 1, 38 s)
      00:00:41 verify    failed: "npm test" exited with status 1
      00:00:41           not ok 1
      00:00:42 ended     r1
      "
    `);
  });

  it('names the one to blame only where it was not alone', () => {
    const text = lines(trainStory).filter((line) => /^\S+ (?:returned|red) /.test(line));
    expect(text.map((line) => line.slice(9, 30))).toEqual([
      'red       ui, api  `n',
      'returned  api  `npm t',
    ]);
  });

  it('says of work that goes to a reviewer first that it is finished', () => {
    const state = { id: 'unreviewed', commit: 'c', tree: 't', tries: 0, failed: 0 } as const;
    const record = () => aRecord('api', undefined, { attempt: anAttempt(state) });
    const skippedGates = trainStory.filter(({ type }) => type === 'gate-skipped');
    expect(lines(skippedGates, { record })[0]).toContain('finished  api  branch gate skipped');
    expect(lines(skippedGates, { record: () => undefined })[0]).toContain('queued    api');
  });
});
