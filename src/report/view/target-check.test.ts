import { expect, it } from 'vitest';
import { aRun, endedPhase } from '../../../test/report/fixtures.ts';
import { viewed } from '../../../test/report/viewed.ts';
import { plain } from '../format/style.ts';
import { progressLines } from '../progress/progress.ts';
import { statusText } from '../status/status.ts';

const checking = { commit: 'c', number: 1, reason: 'preflight', since: 1_000 } as const;

it('the check of the target is told when it starts, and shown in the status', () => {
  const run = aRun({ target: { check: checking } });
  const event = { type: 'target-check-started', run: 'r1', commit: 'c' } as const;
  const at = { seq: 1, at: 1_000, version: 1 } as const;
  const lineFor = (reason: 'preflight' | 'blame' | 'moved') =>
    progressLines({ ...event, ...at, reason }, { record: () => undefined, run: () => run })[0];
  expect(lineFor('preflight')).toContain('check     checking main before the first agent starts');
  expect(lineFor('blame')).toContain('checking main before an agent is blamed for a red gate');
  expect(lineFor('moved')).toContain('checking main: it was moved during the run');
  const status = (more: Partial<typeof run>) =>
    statusText(viewed([], { ...run, ...more }, 13_000), { now: 13_000 }, plain, 100).join('\n');
  expect(status({})).toContain('checking main before the first agent starts (12 s)');
  expect(status({ phase: endedPhase(13_000) })).not.toContain('checking');
});
