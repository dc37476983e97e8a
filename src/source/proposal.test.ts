import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { limits } from '../model/limits.ts';
import { readProposal } from './proposal.ts';

const block = (value: unknown, info = 'tasks'): string =>
  `I read it.\n\`\`\`${info}\n${JSON.stringify(value, null, 1)}\n\`\`\`\n`;
const problemsIn = (answer: string, revise = false): readonly string[] => {
  const read = readProposal(answer, { revise });
  return read.ok ? [] : read.failure.map(({ problem }) => problem);
};

describe('the proposal of an agent', () => {
  it('is one block with tasks', () => {
    const task = {
      id: 'index',
      title: ' Build the index ',
      body: 'Use SQLite.',
      acceptance: ['it works'],
      paths: ['src/**'],
      after: [],
      type: 'feature',
      priority: 'P1',
      estimate: '30m',
      difficulty: 'hard',
    };
    const read = readProposal(
      block([
        { ...task, model: 'big' },
        { id: 'ui', title: 'Page' },
      ]),
      {
        revise: false,
      },
    );
    const { id, title: _title, ...fields } = task;
    expect(read).toEqual({
      ok: true,
      value: [
        {
          kind: 'task',
          id,
          title: 'Build the index',
          fields: { ...fields, priority: 1 },
          model: 'big',
        },
        { kind: 'task', id: 'ui', title: 'Page', fields: {} },
      ],
    });
  });

  it.each([
    ['no block', 'nothing', 'it is missing'],
    ['another block', block([{ id: 'a', title: 'A' }], 'json'), 'it is missing'],
    ['two blocks', block([]) + block([]), 'there are 2 of them'],
    ['an object', block({ id: 'a', title: 'A' }), 'it is not a JSON array'],
    ['an empty list', block([]), 'it contains no task'],
    ['text instead of JSON', '```tasks\n* a\n```', 'the JSON cannot be read at "* a"'],
    ['too many tasks', block(Array(limits.tasksPerProposal + 1).fill({})), 'contains 101 tasks'],
    ['a missing title', block([{ id: 'a' }]), '"title" of task 1 is missing'],
    ['a missing id', block([{ title: 'A' }]), '"id" of task 1 is missing'],
    ['a bad id', block([{ id: '../a', title: 'A' }]), '"id" of task 1 is "../a"'],
    ['a bad size', block([{ id: 'a', title: 'A', estimate: 'big' }]), '"estimate" of task 1'],
    ['a path outside', block([{ id: 'a', title: 'A', paths: ['../x'] }]), 'item 1 of "paths"'],
    ['commands', block([{ id: 'a', title: 'A', checks: ['x'] }]), '"checks" of task 1 is not a'],
    ['a wait', block([{ id: 'a', title: 'A', wait: ['file x'] }]), '"wait" of task 1 is not a'],
    ['a canceled task', block([{ id: 'a', cancel: true, reason: 'x' }]), '"cancel" of task 1'],
    ['an item that is no object', block([1]), 'task 1 is 1'],
  ])('is refused with %s', (_, answer, problem) => {
    expect(problemsIn(answer).join('\n')).toContain(problem);
  });

  it('names every problem with its line, and ids that are used twice', () => {
    const answer = '```tasks\n[{"id":"a","title":"A"},\n{"id":"A","title":"B"}]\n```';
    const read = readProposal(answer, { revise: false });
    expect(read).toMatchObject({
      failure: [{ line: 2, problem: expect.stringMatching('"A" is') }],
    });
    expect(problemsIn(block([{ id: 'a' }, { id: 'b', titel: 'B' }]))).toHaveLength(2);
  });

  it('may cancel tasks in a revision, with a reason, and may be empty there', () => {
    const read = readProposal(block([{ id: 'a', cancel: true, reason: 'done elsewhere' }]), {
      revise: true,
    });
    expect(read).toEqual({
      ok: true,
      value: [{ kind: 'cancel', id: 'a', reason: 'done elsewhere' }],
    });
    expect(problemsIn(block([{ id: 'a', cancel: true }]), true)).toEqual([
      '"reason" of task 1 is missing',
    ]);
    expect(readProposal(block([]), { revise: true })).toEqual({ ok: true, value: [] });
  });

  it('is read without a crash, whatever it is', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.boolean(), (value, revise) => {
        readProposal(block([value]), { revise });
        readProposal(block(value), { revise });
      }),
      { numRuns: 200 },
    );
  });
});
