import { describe, expect, test } from 'vitest';
import type { EventBody } from '../model/event.ts';
import type { Verdict } from '../model/verdict.ts';
import { resealed, sealed, sealState } from './seal.ts';

const alone = (key: string) => ({ secret: Buffer.from(key), isShared: false });
const passed: Verdict = { id: 'passed', ms: 5 };
const failed: Verdict = {
  id: 'failed',
  ms: 5,
  failure: { kind: 'gate-changed-tree', where: 'candidate', files: ['x'] },
};

describe('a seal', () => {
  test('holds for its tree and gate, with its key', () => {
    const verdict = sealed(alone('k'), 'tree', 'gate', passed);
    expect(sealState(alone('k'), 'tree', 'gate', verdict)).toBe('valid');
    expect(sealState(alone('k'), 'other', 'gate', verdict)).toBe('none');
    expect(sealState(alone('k'), 'tree', 'other', verdict)).toBe('none');
    expect(sealState(alone('x'), 'tree', 'gate', verdict)).toBe('none');
  });

  test('is only on green verdicts', () => {
    expect(sealed(alone('k'), 'tree', 'gate', failed)).toBe(failed);
    expect(sealState(alone('k'), 'tree', 'gate', failed)).toBe('none');
    expect(sealState(alone('k'), 'tree', 'gate', passed)).toBe('none');
  });

  test('of another machine is ignored where machines share a project, and proves nothing', () => {
    const verdict = sealed(alone('theirs'), 'tree', 'gate', passed);
    const shared = { ...alone('ours'), isShared: true };
    expect(sealState(shared, 'tree', 'gate', verdict)).toBe('elsewhere');
    // A verdict without any seal was not given by a gate.
    expect(sealState(shared, 'tree', 'gate', passed)).toBe('none');
  });
});

describe('a verdict that a worker reports', () => {
  const of = { run: 'r', tree: 'tree', gate: 'gate', cached: false } as const;
  const theirs = sealed(alone('theirs'), 'tree', 'gate', passed);
  const judged: readonly EventBody[] = [
    { type: 'candidate-judged', ...of, candidate: 'c1', count: 1, verdict: theirs },
    { type: 'branch-judged', ...of, id: 'a', attempt: 1, verdict: theirs },
  ];

  test.each(judged)('gets the seal of this machine: $type', (event) => {
    const here = resealed(alone('ours'), event);
    if (!('verdict' in here) || !('gate' in here)) throw new Error('it has no verdict');
    expect(sealState(alone('ours'), 'tree', 'gate', here.verdict)).toBe('valid');
    expect({ ...here, verdict: theirs }).toEqual(event);
  });

  test('stays as it is if it is red, and so do other events', () => {
    const red: EventBody = { type: 'branch-judged', ...of, id: 'a', attempt: 1, verdict: failed };
    const other: EventBody = { type: 'step-resumed', run: 'r', step: 's' };
    expect(resealed(alone('ours'), red)).toEqual(red);
    expect(resealed(alone('ours'), other)).toBe(other);
  });
});
