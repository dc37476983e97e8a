import { describe, expect, it } from 'vitest';
import { need } from '../../test/rig/need.ts';
import { blockersIn, type Issue, type IssueList, meaningOf, tasksOfIssues } from './issues.ts';

const issue = (number: number, more: Partial<Issue> = {}): Issue => ({
  number,
  title: `Issue ${number}`,
  body: '',
  labels: [],
  milestone: undefined,
  state: 'open',
  url: `https://github.invalid/o/n/issues/${number}`,
  ...more,
});

function tasks(issues: readonly Issue[], more: Partial<IssueList> = {}) {
  const list = { prefix: 'gh', issues, relations: new Map(), others: new Map(), ...more };
  return tasksOfIssues(list);
}

describe('blockersIn', () => {
  it.each<[string, number[]]>([
    ['Depends on #12', [12]],
    ['Text\n- **Blocked by:** #3, #4 and #5\nmore #9', [3, 4, 5]],
    ['depends on: #1\r\nBlocked by #2', [1, 2]],
    ['This depends on #12 somehow', []],
    ['```\nDepends on #12\n```', []],
    ['Depends on other/repo#12', []],
    ['Depends on the schema', []],
  ])('finds in %j the numbers %j', (text, numbers) => {
    expect(blockersIn(text)).toEqual(numbers);
  });
});

describe('meaningOf', () => {
  it.each<[string[], object]>([
    [['P1'], { priority: 1, labels: [] }],
    [['priority: high', 'api'], { priority: 1, labels: ['api'] }],
    [['priority::critical'], { priority: 0 }],
    [['prio/low', 'p0'], { priority: 0, labels: [] }],
    [['priority: whatever'], { priority: 2, labels: ['priority: whatever'] }],
    [['bug', 'documentation'], { type: 'bug', labels: ['documentation'] }],
    [['enhancement'], { type: 'feature', labels: [] }],
    [['type::bug'], { type: 'bug' }],
    [['constructor'], { type: 'task', labels: ['constructor'] }],
  ])('reads %j', (labels, meaning) => {
    expect(meaningOf(labels)).toMatchObject(meaning);
  });
});

describe('tasksOfIssues', () => {
  it('names tasks by number, in that order, with link and milestone', () => {
    const result = tasks([issue(12, { milestone: 'v2' }), issue(3, { body: 'a\r\nb' })]);
    expect(result).toMatchObject({
      ok: true,
      value: [
        { id: 'gh-3', body: 'a\nb', link: 'https://github.invalid/o/n/issues/3', labels: [] },
        { id: 'gh-12', labels: ['milestone:v2'] },
      ],
    });
  });

  it('makes an issue an epic if one of its sub-issues comes too', () => {
    const relations = new Map([
      [2, { parent: 1, blockers: [] }],
      [3, { parent: 99, blockers: [] }],
    ]);
    const result = need(tasks([issue(1, { labels: ['bug'] }), issue(2), issue(3)], { relations }));
    expect(result.map(({ type, parent }) => [type, parent])).toEqual([
      ['epic', undefined],
      ['task', 'gh-1'],
      ['task', undefined],
    ]);
  });

  it('waits for open issues, and not for closed ones', () => {
    const relations = new Map([
      [
        2,
        {
          parent: undefined,
          blockers: [
            { name: '#1', number: 1, state: 'open' as const },
            { name: '#8', number: 8, state: 'closed' as const },
            { name: 'o/other#4', number: undefined, state: 'closed' as const },
          ],
        },
      ],
    ]);
    const others = new Map([[7, 'closed' as const]]);
    const two = issue(2, { body: 'Blocked by #1, #3, #7' });
    const result = tasks([issue(1), two, issue(3, { state: 'closed' })], { relations, others });
    expect(result).toMatchObject({ ok: true, value: [{}, { after: ['gh-1'] }, {}] });
  });

  it('refuses open issues outside of the list and numbers that do not exist, all together', () => {
    const others = new Map([[7, 'open' as const]]);
    const result = tasks([issue(1, { body: 'Depends on #7, #9' }), issue(2, { title: '' })], {
      others,
    });
    expect(result.ok ? [] : result.failure).toEqual([
      {
        problem:
          '#1 (Issue 1) waits for #7, which is open but not among the issues that were asked for',
        remedy: 'Ask for #7 too (with fewer filters), close it, or remove the dependency from #1.',
      },
      {
        problem: '#1 (Issue 1) waits for #9, which does not exist',
        remedy: 'Correct the text of #1.',
      },
      { problem: '"title" of issue #2 is ""', remedy: 'Describe the task in a few words.' },
    ]);
  });
});
