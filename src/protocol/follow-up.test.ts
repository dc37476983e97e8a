import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { limits } from '../model/limits.ts';
import { isTaskId, newTask } from '../model/task.ts';
import type { FollowUp } from '../model/turn.ts';
import { followUpsIn, followUpTask } from './follow-up.ts';

const block = (value: unknown): string => `\`\`\`follow_up\n${JSON.stringify(value)}\n\`\`\``;

const parent = newTask({
  id: 'Fix.1',
  title: 'Fix it',
  priority: 1,
  type: 'bug',
  labels: ['epic:search', 'model:opus'],
  paths: ['a'],
  scope: 'strict',
  checks: ['make'],
  agent: 'mine',
});

describe('follow-ups in a message', () => {
  it.each<[string, string, FollowUp[]]>([
    ['none', 'Done.', []],
    ['titles', block(['One', ' Two\n two ']), [{ title: 'One' }, { title: 'Two two' }]],
    ['one object', block({ title: 'One' }), [{ title: 'One' }]],
    [
      'whole objects',
      block([{ title: 'One', body: 'B\n', type: 'bug', priority: 0, more: 1 }]),
      [{ title: 'One', body: 'B\n', type: 'bug', priority: 0 }],
    ],
    [
      'a priority with its letter',
      block([{ title: 'a', priority: 'P3' }]),
      [{ title: 'a', priority: 3 }],
    ],
    [
      'fields that make no sense',
      block([{ title: 'a', body: 7, type: 'b c', priority: 9 }]),
      [{ title: 'a' }],
    ],
    ['entries without a title', block([{ body: 'x' }, '', '  ', null, 3, [], { title: 4 }]), []],
    ['several blocks', `${block(['a'])}\nand\n${block(['b'])}`, [{ title: 'a' }, { title: 'b' }]],
    [
      'a good block beside a bad one',
      `\`\`\`follow_up\n[\n\`\`\`\n${block(['b'])}`,
      [{ title: 'b' }],
    ],
    ['a block of another name', '```json\n["a"]\n```', []],
    ['a block that is never closed', '```follow_up\n["a"]', []],
    ['a block that is only shown', `\`\`\`\`md\n${block(['a'])}\n\`\`\`\``, []],
  ])('are read: %s', (_, text, expected) => {
    expect(followUpsIn(text)).toEqual(expected);
  });

  it('are bounded in number and length', () => {
    const many = Array.from({ length: 30 }, (_, i) => `t${i}`);
    expect(followUpsIn(block(many))).toHaveLength(limits.followUpsPerTurn);
    const [long] = followUpsIn(block([{ title: 'x '.repeat(9_999), body: 'y' }]));
    expect(long?.title.length).toBeLessThanOrEqual(limits.titleChars);
  });

  it('never throw, and always have a title', () => {
    const piece = fc.oneof(fc.json(), fc.string(), fc.constantFrom('```follow_up', '```', '\n'));
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 15 }), (pieces) => {
        for (const { title } of followUpsIn(pieces.join('\n'))) expect(title.trim()).not.toBe('');
      }),
      { numRuns: 1000 },
    );
  });
});

describe('the task of a follow-up', () => {
  it('waits for the task it was found in', () => {
    expect(followUpTask({ title: 'Clean up!', body: 'All.' }, parent, new Set())).toEqual(
      newTask({
        id: 'clean-up',
        title: 'Clean up!',
        body: 'All.',
        after: ['Fix.1'],
        labels: ['epic:search', 'follow-up-of:Fix.1'],
      }),
    );
  });

  it('has an id that no other task has', () => {
    const taken = new Set(['clean-up', 'clean-up-2']);
    expect(followUpTask({ title: 'Clean up' }, parent, taken).id).toBe('clean-up-3');
    expect(followUpTask({ title: '掃除' }, parent, taken).id).toBe('fix-1-follow-up');
  });

  it('always has a valid id', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', minLength: 1 }), (title) => {
        expect(isTaskId(followUpTask({ title }, parent, new Set()).id)).toBe(true);
      }),
    );
  });
});
