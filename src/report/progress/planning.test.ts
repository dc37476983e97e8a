import { expect, test } from 'vitest';
import { logOf } from '../../../test/report/fixtures.ts';
import { Story } from '../../../test/story.ts';
import { noBatches } from '../../model/batch.ts';
import { noRevisions } from '../../model/revision.ts';
import type { RunRecord } from '../../model/run-record.ts';
import { progressLines } from './progress.ts';

const failure = { kind: 'agent-lost', turn: 1 } as const;
const [planned, proposed] = logOf(
  {
    type: 'batch-planned',
    run: 'r1',
    call: 1,
    plan: { source: 'skipped', reason: 'runtime_error', failure },
  },
  {
    type: 'plan-proposed',
    run: 'r1',
    id: 'a',
    call: 1,
    agent: 'architect',
    outcome: { id: 'failed', failure },
  },
);

function linesOf(event: typeof planned, more: Partial<RunRecord>): string {
  const planner = { agent: 'chooser', budgetTokens: 1 };
  const record = { ...new Story().start({ jobs: 2, planner }).record(), ...more };
  const lines = event && progressLines(event, { record: () => undefined, run: () => record });
  return lines?.join('\n') ?? '';
}

test('a killed planner is asked again, and the last one chose no tasks', () => {
  expect(linesOf(planned, { batches: { ...noBatches, killed: 1 } })).toMatch(
    / planner +chooser was killed before it answered, and is asked again$/,
  );
  expect(linesOf(planned, { batches: noBatches })).toContain('chose no tasks (runtime_error): ');
});

test('a killed agent that revises the plan is asked again, and the last one revised nothing', () => {
  expect(linesOf(proposed, { revisions: { ...noRevisions, due: ['a'] } })).toMatch(
    / plan +a {2}architect was killed before it answered, and is asked again$/,
  );
  expect(linesOf(proposed, {})).toContain('architect did not revise the plan: ');
});
