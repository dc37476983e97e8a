import { describe, expect, it } from 'vitest';
import { failures } from '../../../test/report/failures.ts';
import { aCandidate, anAttempt, aRecord, aRun } from '../../../test/report/fixtures.ts';
import { viewed } from '../../../test/report/viewed.ts';
import type { Candidate } from '../../model/train-record.ts';
import { plain } from '../format/style.ts';
import { statusText, tasksText } from '../status/status.ts';
import { resultLines, resultOf } from '../summary/result.ts';
import { showText, whyText } from '../task/task.ts';
import { recordStateText } from './state.ts';
import { stateText } from './state-text.ts';
import { taskViewsOf } from './task.ts';

const work = { commit: 'c'.repeat(40), tree: 'f'.repeat(40), since: 1 };
const records = [
  aRecord('held', { id: 'blocked', failure: failures['blocked-by-person'] }),
  aRecord('done', undefined, {
    attempt: anAttempt({ id: 'awaiting', ...work, failure: failures['approval-needed'] }),
  }),
  aRecord('asks', undefined, {
    attempt: anAttempt({ id: 'asking', question: 'Which?', since: 1 }),
  }),
  aRecord('lost', { id: 'blocked', failure: failures['returned-too-often'] }),
  aRecord('child', undefined, { after: ['lost'], blockers: 1 }),
];
const texts = [
  ['held', 'blocked by you'],
  ['done', 'awaiting approval'],
  ['asks', 'awaiting an answer'],
  ['lost', 'stuck'],
  ['child', 'waiting behind lost'],
] as const;
const view = viewed(records, undefined, 9);

describe('what people read of a blocked task', () => {
  it.each(texts)('%s is %s in every list', (id, text) => {
    const row = new RegExp(`${id}  +${text}  `);
    const result = resultLines(resultOf(records, { kind: 'ready' }, undefined), plain, 120);
    for (const lines of [
      statusText(view, { now: 9, all: true }, plain, 120),
      tasksText({ ...view, hidden: 0 }, plain, 120),
      result,
    ]) {
      expect(lines.join('\n')).toMatch(row);
      expect(lines.join('\n')).not.toMatch(/\bblocked(?! by)/);
    }
  });

  it.each(texts)('%s is %s for itself', (id, text) => {
    const at = records.findIndex(({ task }) => task.id === id);
    const [record, task] = [records[at], view.tasks[at]];
    if (record === undefined || task === undefined) throw new Error(id);
    expect(showText(record, task, plain, 80)[0]).toBe(`■ ${id}  ${text}`);
    expect(whyText(task, [], plain, 80)[0]).toBe(`■ ${id}  ${text}`);
  });

  it('is told by the record alone but for what is behind others', () => {
    expect(records.map(recordStateText)).toEqual([
      'blocked by you',
      'awaiting approval',
      'awaiting an answer',
      'stuck',
      'open',
    ]);
  });

  it('is counted by cause, and as blocked for programs', () => {
    expect(tasksText({ ...view, hidden: 0 }, plain, 120).at(-1)).toBe(
      '■ 1 awaiting an answer  ■ 1 awaiting approval  ■ 1 stuck  ■ 1 blocked by you  ■ 1 behind others',
    );
    expect(view).toMatchObject({
      counts: { blocked: 5 },
      blocked: { answer: 1, approval: 1, failure: 1, person: 1, parent: 1 },
    });
    expect(view.tasks[4]).toMatchObject({ state: 'blocked', parent: 'lost' });
  });
});

describe('what people read of a task whose run is over', () => {
  const [review, claim] = [
    aRecord('a', undefined, {
      attempt: anAttempt({ id: 'working', slot: 1, turn: 1, since: 1 }, { coClaims: ['b'] }),
    }),
    aRecord('b', undefined, { coClaimedBy: { run: 'r1', id: 'a', attempt: 1 } }),
  ];
  const seen = { run: undefined, now: 9 };
  const textsIn = (underWay: readonly string[]) =>
    taskViewsOf([review, claim], { ...seen, underWay }).map(stateText);

  it('is that it stopped, also of one that another task claimed', () => {
    expect(textsIn(['r1'])).toEqual(['working', 'claimed']);
    expect(textsIn([])).toEqual(['stopped', 'stopped']);
    const [, left] = taskViewsOf([review, claim], { ...seen, underWay: [] });
    expect(left === undefined ? [] : whyText(left, [], plain, 200)).toContain(
      'Its run stopped while it was claimed. Its work is kept; `ym resume` or the next `ym run` on the same target continues it.',
    );
  });
});

describe('what needs a person', () => {
  const failure = failures['checkout-in-the-way'];
  const waiting = { id: 'waiting', failure, since: 1, until: 9 } as const;
  const landing = (id: string, candidate: string) =>
    aRecord(id, undefined, {
      attempt: anAttempt({ id: 'landing', ...work, candidate }, { agent: 'codex' }),
    });
  const needsOf = (candidates: readonly Candidate[]) => {
    const queue = [landing('one', 'c1'), landing('two', 'c1'), landing('three', 'c2')];
    const run = aRun({ train: { candidates } });
    return viewed([...queue, ...records], run, 9).needsYou;
  };

  it('names the agent of each task', () => {
    expect(view.needsYou.map((need) => (need.kind === 'run' ? '' : (need.agent ?? '')))).toEqual([
      '',
      'mine',
      'mine',
      '',
    ]);
  });

  it('includes files in the way of a landing, once for each candidate', () => {
    const needs = needsOf([
      aCandidate('c1', ['one', 'two'], { state: waiting, green: 2 }),
      aCandidate('c2', ['three']),
    ]);
    expect(needs[0]).toMatchObject({
      kind: 'landing',
      task: 'one',
      agent: 'codex',
      command: 'ym why one',
      failure: { kind: 'checkout-in-the-way' },
    });
    expect(needs.filter(({ kind }) => kind === 'landing')).toHaveLength(1);
  });

  it('does not include a landing that is under way or waits for the machine', () => {
    const full = { ...waiting, failure: failures['no-space'] };
    const needs = needsOf([
      aCandidate('c1', ['one', 'two'], { state: { id: 'passed' }, green: 2 }),
      aCandidate('c2', ['three'], { state: full, green: 1 }),
    ]);
    expect(needs.filter(({ kind }) => kind === 'landing')).toEqual([]);
  });
});
