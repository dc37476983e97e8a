import { describe, expect, it } from 'vitest';
import { failures } from '../../../test/report/failures.ts';
import { anAttempt, aRecord } from '../../../test/report/fixtures.ts';
import { plain } from '../format/style.ts';
import { needsIn, taskViewsOf } from '../view/task.ts';
import { choicesHelp, choicesText, choiceTyped, itemText, reviewText } from './review.ts';

const approval = failures['approval-needed'];
const commit = 'c'.repeat(40);
const awaiting = anAttempt({ id: 'awaiting', commit, tree: commit, since: 1, failure: approval });
const asking = anAttempt({ id: 'asking', question: 'Which language?', since: 1 });
const failed = { id: 'failed', failure: failures['no-changes'], run: 'r1' } as const;

const records = [
  aRecord('ci', undefined, { attempt: awaiting }),
  aRecord('docs', undefined, { attempt: asking }),
  aRecord('old', failed),
  aRecord('child', undefined, { after: ['old'] }),
  aRecord('gone', { id: 'canceled', failure: failures['canceled-by-person'], at: 1 }),
  aRecord('held', { id: 'blocked', failure: failures['blocked-by-person'] }),
  aRecord('next'),
];
const items = needsIn(taskViewsOf(records));

describe('what waits for a person', () => {
  it('is what only they can let go on, each with its command', () => {
    expect(items).toMatchObject([
      { task: 'ci', kind: 'approval', command: 'ym approve ci', run: 'r1' },
      { task: 'docs', kind: 'question', command: 'ym answer docs "…"', run: 'r1' },
      { task: 'old', kind: 'failed', command: 'ym retry old' },
      { task: 'held', kind: 'blocked', command: 'ym unblock held' },
    ]);
  });

  it('is listed with the command for each', () => {
    expect(reviewText(items, 100)[0]).toBe('ci waits for your approval: ym approve ci');
    const failure = { kind: 'x', what: 'It failed.', why: 'It printed: no.', do: 'Fix it.' };
    const run = { kind: 'run', run: 'r1', command: 'ym resume', failure } as const;
    expect(reviewText([run], 100)).toEqual([
      'Run r1 ended early: ym resume',
      '  It failed.',
      '  It printed: no.',
      '  Fix it.',
    ]);
    expect(reviewText([], 100)).toEqual(['Nothing waits for you.']);
  });

  it('is shown with its evidence', () => {
    const [first] = items;
    const text = first === undefined ? '' : itemText(first, plain, 100).join('\n');
    expect(text).toMatch(/^ci {2}Do ci\nci waits for your approval\. /);
  });

  it('is decided by a word or its first letter, and only by what fits it', () => {
    const [ci, , old, held] = items;
    if (ci === undefined || old === undefined || held === undefined) throw new Error('no items');
    expect(choicesText(ci)).toBe('[a]pprove, [r]eject, [d]iff, [s]hell, [n]ext, [q]uit, [?]');
    expect(choiceTyped(ci, ' A ')).toBe('approve');
    expect(choiceTyped(old, 'retry')).toBe('retry');
    expect(choiceTyped(old, 'a')).toBeUndefined();
    expect(choiceTyped(old, '')).toBeUndefined();
    expect(choiceTyped(held, 'k')).toBeUndefined();
  });

  it('may be skipped if its advice names `ym skip`, and explains its letters', () => {
    const [, , old] = items;
    if (old === undefined) throw new Error('no item');
    expect(choicesText(old)).toBe(
      '[r]etry, [c]ancel, s[k]ip, [d]iff, [s]hell, [n]ext, [q]uit, [?]',
    );
    expect(choiceTyped(old, 'k')).toBe('skip');
    expect(choiceTyped(old, 'skip')).toBe('skip');
    expect(choiceTyped(old, 's')).toBe('shell');
    expect(choicesHelp(old)[2]).toBe(
      '  k  skip    count it as done without landing; tasks that depend on it start',
    );
  });
});
