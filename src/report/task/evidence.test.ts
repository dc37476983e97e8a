import { expect, it } from 'vitest';
import { Story, task } from '../../../test/story.ts';
import type { Step } from '../../model/history.ts';
import { evidenceOf } from './evidence.ts';

const step = (what: Step['what']): Step => ({ at: 1, attempt: 1, what });
const captured = step({ type: 'work-captured', commit: 'c', tree: 't', by: 'agent' });

it('tells what proved the work, and what did not', () => {
  const story = new Story().tasks(task('a', { acceptance: ['It is fast.'] })).start();
  story.prepared('a');
  const record = story.task('a');
  const passed = { id: 'passed', ms: 2_000 } as const;
  const judged = step({
    type: 'branch-judged',
    tree: 't',
    gate: 'g',
    verdict: passed,
    cached: false,
  });
  expect(evidenceOf(record, [judged, captured]).proof).toEqual([]);
  const { proof, unproven } = evidenceOf(record, [captured, judged]);
  expect(proof).toEqual(['The gate passed on the branch in 2 s.']);
  expect(unproven).toContain('No reviewer checked: It is fast.');
});
