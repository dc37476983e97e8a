import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyLog, anyRecords } from '../../../test/report/any-log.ts';
import { failures } from '../../../test/report/failures.ts';
import { fits } from '../../../test/report/fits.ts';
import {
  aConversation,
  anAttempt,
  aRecord,
  aRun,
  aTask,
  clashingWith,
} from '../../../test/report/fixtures.ts';
import { stepsIn } from '../../../test/report/records-of.ts';
import { story } from '../../../test/report/story.ts';
import { plain } from '../format/style.ts';
import { type TaskView, taskViewer, taskViewsOf } from '../view/task.ts';
import { historyLines } from './history.ts';
import { showText, whyText } from './task.ts';

const viewed = (record: ReturnType<typeof aRecord>): TaskView => taskViewer([record])(record);

describe('why', () => {
  it('says what, why and what to do, and tells the story', () => {
    const record = aRecord('ui', { id: 'failed', failure: failures['limit-crossed'], run: 'r1' });
    expect(
      `\n${whyText(viewed(record), stepsIn(story, 'ui'), plain, 76).join('\n')}\n`,
    ).toMatchInlineSnapshot(`
      "
      ✗ ui  failed
      Do ui

      What  The agent printed nothing for 15 m 00 s and was stopped.
      Why   It printed nothing, so it may have hung.
      Do    Read \`ym log ui\`; the limit is \`limits.agent_idle\` in yardmaster.yaml.
            The next \`ym run\` tries it again, and so does a run under way after
            \`ym retry ui\`.

      History
        1970-01-01 00:00:12  attempt 1 in slot 2 by mine
        1970-01-01 00:00:13  turn 1 started
        1970-01-01 00:00:14  turn 1 failed
                             └─ The agent exited with status 3.
        1970-01-01 00:00:15  attempt 1 ended, nothing to keep
        1970-01-01 00:00:16  attempt 2 in slot 1 by mine
        1970-01-01 00:00:17  turn 1 started
        1970-01-01 00:00:18  turn 1 failed
                             └─ The agent printed nothing for 15 m 00 s and was s…
        1970-01-01 00:00:19  attempt 2 ended, nothing to keep
      "
    `);
  });

  it('names the worker of an attempt', () => {
    const begun = {
      type: 'attempt-started',
      slot: 2,
      fence: 1,
      agent: 'mine',
      branch: 'b',
    } as const;
    const step = { at: 0, attempt: 1, what: { ...begun, worker: 'w1' } };
    const lines = whyText(viewed(aRecord('ui')), [step], plain, 76);
    expect(lines.join('\n')).toContain('attempt 1 in slot 2 on w1 by mine');
  });

  it('tells how a task came to land', () => {
    const status = { id: 'landed', commit: 'b'.repeat(40), run: 'r1', at: 1 } as const;
    const lines = whyText(viewed(aRecord('api', status)), stepsIn(story, 'api'), plain, 76);
    expect(`\n${lines.join('\n')}\n`).toMatchInlineSnapshot(`
      "
      ✓ api  landed
      Do api

      It has landed as bbbbbbb.

      History
        1970-01-01 00:00:02  attempt 1 in slot 1 by mine
        1970-01-01 00:00:03  turn 1 started
        1970-01-01 00:00:04  turn 1 finished
        1970-01-01 00:00:05  gate on the branch: failed
                             └─ \`npm test\` failed (exit 1) after merging with the…
        1970-01-01 00:00:06  turn 2 started
        1970-01-01 00:00:07  turn 2 finished
        1970-01-01 00:00:08  gate on the branch: passed
        1970-01-01 00:00:09  candidate built on the target
        1970-01-01 00:00:10  gate on the candidate: passed (cached)
        1970-01-01 00:00:11  landed as bbbbbbb
      "
    `);
  });

  it('has an answer for every state', () => {
    const states =
      'open ready working gating unreviewed reviewing queued landing landed skipped blocked'.split(
        ' ',
      );
    for (const state of states) {
      const filled = { commit: 'c', filed: [], waitsForGate: false };
      const view = { ...viewed(aRecord('a')), ...filled, state } as TaskView;
      expect(whyText(view, [], plain, 80)[3]).toMatch(/^[IATN].*\.$/);
    }
  });

  it('counts what finishing it unblocks', () => {
    const why = (direct: number, all: number): string =>
      whyText(viewed(aRecord('ui')), [], plain, 80, { unblocks: { direct, all } }).join('\n');
    expect(why(1, 1)).toContain('\n1 task waits for it.');
    expect(why(1, 3)).toContain('\n1 task waits for it, and 2 tasks behind it.');
    expect(why(2, 3)).toContain('\n2 tasks wait for it, and 1 task behind them.');
    expect(whyText(viewed(aRecord('ui')), [], plain, 80).join()).not.toContain('for it');
  });

  it('shows the newest steps of a long story', () => {
    const long = Array.from({ length: 30 }, () => stepsIn(story, 'ui')).flat();
    const lines = whyText(viewed(aRecord('ui')), long, plain, 80);
    expect(lines.length).toBeLessThan(130);
    expect(lines.join('\n')).toMatch(/\d+ earlier steps are not shown/);
  });
});

describe('the history of a task', () => {
  it('passes over other tasks', () => {
    expect(historyLines(stepsIn(story, 'nobody'))).toEqual([]);
    expect(historyLines(stepsIn(story, 'ui')).every(({ text }) => !text.includes('landed'))).toBe(
      true,
    );
  });

  it('follows the candidates it rode on', () => {
    const text = historyLines(stepsIn(story, 'api')).map((step) => step.text);
    expect(text).toContain('candidate built on the target');
    expect(text).toContain('gate on the candidate: passed (cached)');
  });

  it('is total on any log', () => {
    fc.assert(
      fc.property(anyLog, (log) => {
        for (const { text } of historyLines(stepsIn(log, 'api'))) expect(text).toMatch(/\S/);
      }),
    );
  });
});

describe('why, of what stands still', () => {
  const why = (record: ReturnType<typeof aRecord>, offsetMin = 0): string[] =>
    whyText(viewed(record), [], plain, 90, { offsetMin }).slice(3);

  it('says what an account is paused for, and when it goes on in the time of the reader', () => {
    const turnReason = { id: 'paused', failure: failures['provider-server'] } as const;
    const attempt = anAttempt(
      { id: 'between-turns', turnReason, until: 600_000 },
      { coClaims: ['b'] },
    );
    const lines = why(aRecord('a', undefined, { attempt }), -60);
    expect(lines[0]).toBe('What  The service behind gemini is overloaded.');
    expect(lines).toContain('When  It continues automatically at 1970-01-01 01:10:00.');
    expect(lines).toContain('With  b');
  });

  it('says the question and how to answer it', () => {
    const attempt = anAttempt({ id: 'asking', question: 'Which?', since: 0 });
    expect(why(aRecord('a', undefined, { attempt }))).toEqual([
      'What  Its agent asks: Which?',
      'Why   It cannot continue without an answer; its conversation is kept until then.',
      'Do    Type `ym answer a "…"`.',
    ]);
  });

  it('says that a conversation goes on', () => {
    const turnReason = { id: 'silent', times: 2, nudge: false } as const;
    const attempt = anAttempt({ id: 'between-turns', turnReason });
    expect(why(aRecord('a', undefined, { attempt })).join(' ')).toBe(
      'It ended its last 2 turns without saying whether it is done; its conversation continues. No action needed while the run continues.',
    );
  });

  it('says that a task of a stopped run waits for a further run, and not that it is under way', () => {
    const record = aRecord('a', undefined, { attempt: anAttempt({ id: 'prepared', slot: 1 }) });
    const view = { ...viewed(record), leftBehind: true };
    expect(whyText(view, [], plain, 400).at(-1)).toBe(
      'Its run stopped while it was working. Its work is kept; `ym resume` or the next `ym run` on the same target continues it.',
    );
  });

  it('says that no agent has started while its run checks the target, nor once that was cut short', () => {
    const check = { commit: 'c', number: 1, reason: 'preflight', since: 1 } as const;
    const attempt = anAttempt({ id: 'prepared', slot: 1 }, aConversation({ turns: 0 }));
    const record = aRecord('a', undefined, { attempt });
    const sentence = (run: ReturnType<typeof aRun>, underWay: readonly string[]) =>
      whyText(taskViewer([record], { run, underWay, now: 2 })(record), [], plain, 400).at(-1);
    const checking = aRun({ target: { check } });
    expect(sentence(checking, ['r1'])).toBe(
      'Its agent has not started and waits for the check of the target: `ym log a -f`.',
    );
    expect(sentence(aRun(), ['r1'])).toBe('Its agent starts soon: `ym log a -f`.');
    expect(sentence(checking, [])).toBe(
      'Its run stopped before its agent started. `ym resume` or the next `ym run` on the same target starts it.',
    );
  });

  it('says that no agent works on the variants of a task, and why', () => {
    const failure = failures['limit-crossed'];
    const attempt = anAttempt({ id: 'failed', failure, at: 1 });
    const stopped = viewed(aRecord('a.v1', undefined, { attempt }));
    const working = viewed(
      aRecord('a.v2', undefined, { attempt: anAttempt({ id: 'prepared', slot: 1 }) }),
    );
    const comparing = viewed(
      aRecord('a', undefined, {
        variants: { ids: ['a.v1', 'a.v2'], base: 'c', choose: 'auto', calls: 0, failed: 0 },
      }),
    );
    const text = (...variants: readonly TaskView[]) =>
      whyText(comparing, [], plain, 100, { variants }).join('\n');
    expect(text(stopped, { ...working, leftBehind: true })).toContain(
      'No agent works on its 2 variants now. About a.v1:\nWhat  The agent printed nothing',
    );
    expect(text(stopped, working)).toContain('It is tried in 2 variants');
  });

  it('says with whom it rides', () => {
    const coClaim = aRecord('b', undefined, { coClaimedBy: { run: 'r1', id: 'a', attempt: 2 } });
    expect(why(coClaim).join(' ')).toBe(
      'The agent of a, attempt 2, claimed it, and both land together. See `ym why a`.',
    );
  });

  it('says what was planned', () => {
    const attempt = anAttempt({ id: 'planned', filed: ['x', 'y'] });
    const record = aRecord('plan', { id: 'skipped', reason: 'planned: x, y' }, { attempt });
    expect(why(record)).toEqual(['It filed x, y; there was nothing else to do.']);
    expect(why(aRecord('a', { id: 'skipped', reason: 'by hand' }))[0]).toContain('A person');
  });
});

describe('why, for finished work', () => {
  const why = (record: ReturnType<typeof aRecord>): string =>
    whyText(viewed(record), [], plain, 90).join('\n');

  it('shows all that a person needs to approve of it', () => {
    const failure = failures['approval-needed'];
    const state = { id: 'awaiting', commit: 'c', tree: 't', since: 0, failure } as const;
    const record = aRecord('api', undefined, { attempt: anAttempt(state) });
    expect(`\n${why(record)}\n`).toMatchInlineSnapshot(`
      "
      ■ api  awaiting approval
      Do api

      What  Waits for your approval: reviewers still want changes after 3 rounds.
            - F1 blocker src/a.ts:7: It drops errors
            - F2 minor: The name says little
      Why   The work is kept; it lands only if you approve it.
      Do    Look at \`ym diff api\`; then type \`ym approve api\` to let it land, or \`ym reject api
            "why"\` to send it back to its agent.
      "
    `);
  });

  it('says where it was handed over', () => {
    const status = { id: 'delivered', how: 'pr', branch: 'yard/api', commit: 'c' } as const;
    expect(why(aRecord('api', status))).toContain('as pull request yard/api; it lands when');
    const url = 'https://example.com/7';
    const record = aRecord('api', { ...status, url });
    expect(showText(record, viewed(record), plain, 90).join('\n')).toContain(
      'delivered  pull request https://example.com/7 (yard/api)',
    );
  });

  it('says what it waits for on the train', () => {
    const state = { id: 'queued', commit: 'c', tree: 't', since: 1 } as const;
    const queued = (more: object) => anAttempt({ ...state, ...more }, clashingWith('ui'));
    expect(why(aRecord('api', undefined, { attempt: queued({}) }))).toContain(
      'waits in the merge queue',
    );
    const record = aRecord('api', undefined, { attempt: queued({ behind: 'c3' }) });
    expect(why(record)).toMatch(/conflicts with c3/);
    expect(showText(record, viewed(record), plain, 90).join('\n')).toMatch(/clashes +with ui/);
  });

  it('says which round of review it is in', () => {
    const from = { id: 'unreviewed', commit: 'c', tree: 't', tries: 0, failed: 0 } as const;
    const call = { kind: 'review', round: 1, agent: 'codex', again: 1 } as const;
    const state = { id: 'calling', since: 1, slot: 1, call, from } as const;
    expect(why(aRecord('api', undefined, { attempt: anAttempt(from) }))).toContain(
      'Its work waits for a reviewer:',
    );
    const reviews = [{ round: 1, commit: 'c', votes: [] }];
    const record = aRecord('api', undefined, { attempt: anAttempt(state, { reviews }) });
    expect(why(record)).toContain('Its work is being reviewed, round 1');
    expect(showText(record, viewed(record), plain, 90).join('\n')).toMatch(/reviews +1 round/);
    const first = aRecord('api', undefined, { attempt: anAttempt(state) });
    expect(why(first)).toContain('Its work is being reviewed:');
  });
});

describe('show', () => {
  it('shows a task whole', () => {
    const record = {
      ...aRecord('api', undefined, {
        attempt: anAttempt(
          { id: 'returned', failure: failures.conflict },
          { worktree: { id: 'w1', dir: 'worktrees/w1', base: 'b' } },
        ),
      }),
      task: aTask('api', {
        title: 'Add the search endpoint',
        body: 'What to do,\nand what done means.\n',
        after: ['schema'],
        labels: ['epic:search'],
        paths: ['src/api/**'],
        scope: 'strict',
        checks: ['npm test -- api'],
        agent: 'mine',
      }),
    };
    expect(`\n${showText(record, viewed(record), plain, 76).join('\n')}\n`).toMatchInlineSnapshot(`
      "
      ○ api  ready
      Add the search endpoint
      state      ready
      priority   P2
      type       task
      after      schema
      labels     epic:search
      paths      src/api/** (strict)
      checks     npm test -- api
      agent      mine
      attempts   1
      branch     yard/r1/api-1
      worktree   worktrees/w1

      What  Conflicts with main in src/a.ts, src/b.ts.
      Why   The target and yard/r1/api-1 changed the same lines or files.
      Do    See the work with \`ym diff api\`. Type \`ym resolve api\` to resolve it
            yourself, or \`ym retry api\` to start over from the new target; the old
            work stays on its branch.

      What to do,
      and what done means.
      "
    `);
  });

  it('names the model, the conversation, and the tasks that land with it', () => {
    const turnReason = { id: 'silent', times: 1, nudge: false } as const;
    const attempt = anAttempt(
      { id: 'between-turns', turnReason },
      {
        agent: 'codex',
        ...aConversation({ model: 'gpt-5', reasoning: 'high', session: { id: 's-1' } }),
        coClaims: ['b', 'c'],
      },
    );
    const record = aRecord('a', undefined, { attempt });
    const text = showText(record, viewed(record), plain, 76).join('\n');
    expect(text).toContain('agent      codex gpt-5 (high)');
    expect(text).toContain('session    s-1');
    expect(text).toContain('also does  b, c');
    const coClaim = aRecord('b', undefined, { coClaimedBy: { run: 'r1', id: 'a', attempt: 1 } });
    expect(showText(coClaim, viewed(coClaim), plain, 76).join('\n')).toContain(
      'claimed    by a, attempt 1',
    );
  });

  it('says why a task was skipped', () => {
    const record = aRecord('a', { id: 'skipped', reason: 'done by hand' });
    expect(showText(record, viewed(record), plain, 76).join('\n')).toContain('done by hand');
  });

  it('names no branch and no worktree that are gone', () => {
    const worktree = { id: 'w1', dir: 'worktrees/w1', base: 'b' };
    const commit = 'b'.repeat(40);
    const landed = anAttempt({ id: 'landed', commit }, { worktree });
    const status = { id: 'landed', commit, run: 'r1', at: 1 } as const;
    const record = aRecord('api', status, { attempt: landed });
    expect(showText(record, viewed(record), plain, 76).join('\n')).not.toMatch(/branch|worktree/);
    const failure = failures['agent-exited'];
    const kept = anAttempt({ id: 'failed', failure, kept: 'yard/r1/api-1' }, { worktree });
    const failed = aRecord('api', { id: 'failed', failure, run: 'r1' }, { attempt: kept });
    const shown = showText(failed, viewed(failed), plain, 76).join('\n');
    expect(shown).toContain('yard/r1/api-1');
    expect(shown).not.toContain('worktree');
  });

  it('is never wider than the terminal, but for a path that must not be cut', () => {
    fc.assert(
      fc.property(anyRecords, anyLog, fc.integer({ min: 24, max: 100 }), (records, log, width) => {
        for (const [at, task] of taskViewsOf(records).entries()) {
          const record = records[at];
          const shown = record === undefined ? [] : showText(record, task, plain, width);
          for (const line of [...shown, ...whyText(task, stepsIn(log, task.id), plain, width)]) {
            expect(fits(line, width)).toBe(true);
          }
        }
      }),
    );
  });
});
