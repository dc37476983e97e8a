import { expect, it } from 'vitest';
import { failures } from '../../../test/report/failures.ts';
import { anAttempt, aRecord } from '../../../test/report/fixtures.ts';
import { Story, task } from '../../../test/story.ts';
import { taskViewer } from '../view/task.ts';
import { conflictTaskText } from './task.ts';

const filed = 'b-conflict was filed for this conflict';
const working = { id: 'working', turn: 1, slot: 1, since: 1 } as const;

it.each([
  [aRecord('b-conflict'), `${filed} and is ready. \`ym why b-conflict\` says when it starts.`],
  [
    new Story().tasks(task('b-conflict', { wait: ['pull 12'] })).task('b-conflict'),
    `${filed} and is open. \`ym why b-conflict\` says when it starts.`,
  ],
  [
    aRecord('b-conflict', undefined, { attempt: anAttempt(working) }),
    `${filed} and is working. If its work contains the branch of b, both land together.`,
  ],
  [
    aRecord('b-conflict', { id: 'failed', failure: failures['gate-red'], run: 'r1' }),
    `${filed} and is failed. \`ym why b-conflict\` says why.`,
  ],
  [
    aRecord('b-conflict', { id: 'landed', commit: 'c', run: 'r1', at: 1 }),
    `${filed}. It has landed without b, and no other conflict task is filed.`,
  ],
  [aRecord('b-conflict', { id: 'skipped', reason: 'x' }), `${filed} and is skipped.`],
] as const)('names the conflict task, its state and what happens next: %#', (record, text) => {
  expect(conflictTaskText('b', taskViewer([record])(record))).toBe(text);
});
