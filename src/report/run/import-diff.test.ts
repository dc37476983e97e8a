import { describe, expect, it } from 'vitest';
import { newTask } from '../../model/task.ts';
import { importDiff, importDiffText } from './import-diff.ts';

describe('importDiff', () => {
  const changed = {
    id: 'b',
    keys: [
      { key: 'priority', from: 2, to: 0 },
      { key: 'body', from: 'same\nold', to: 'same\nnew\nmore' },
      { key: 'labels', from: [], to: ['x', 'y'] },
      { key: 'agent', from: 'mine', to: undefined },
    ],
  };
  const canceled = [{ id: 'c', reason: 'done elsewhere' }];
  const diff = importDiff(
    [newTask({ id: 'a', title: 'First', wait: ['file READY'] })],
    [changed],
    canceled,
  );

  it('has a line for each new task and its waits, each changed key and each canceled task', () => {
    expect(importDiffText(diff, 80)).toEqual([
      '+ a  First',
      '+ a  wait: file READY',
      '~ b  priority: 2 → 0',
      '~ b  body: old → new',
      '~ b  labels: none → x, y',
      '~ b  agent: mine → none',
      '- c  canceled: done elsewhere',
    ]);
  });

  it('shortens long values, lines and lists', () => {
    const long = importDiff(
      [],
      [{ id: 'c', keys: [{ key: 'title', from: 'x'.repeat(500), to: 'y' }] }],
    );
    expect(long.changed[0]?.keys[0]?.from).toBe(`${'x'.repeat(200)}…`);
    expect(importDiffText(long, 40)[0]?.length).toBeLessThanOrEqual(40);
    const many = Array.from({ length: 300 }, (_, at) => newTask({ id: `t${at}`, title: 'T' }));
    const lines = importDiffText(importDiff(many, []), 80);
    expect(lines).toHaveLength(201);
    expect(lines.at(-1)).toBe('… and 100 more lines; --json has all of them');
  });
});
