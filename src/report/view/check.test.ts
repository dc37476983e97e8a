import { describe, expect, it } from 'vitest';
import { aRun, endedPhase, logOf } from '../../../test/report/fixtures.ts';
import { recordsOf, sourceOf } from '../../../test/report/records-of.ts';
import { viewed } from '../../../test/report/viewed.ts';
import type { EventBody } from '../../model/event.ts';
import { limits } from '../../model/limits.ts';
import { plain } from '../format/style.ts';
import { progressLines } from '../progress/progress.ts';
import { statusText } from '../status/status.ts';
import { summaryOf } from '../summary/summary.ts';
import { summaryText } from '../summary/text.ts';
import { type FlakeAt, quarantinedChecksOf, quarantineText } from './check.ts';

const judged = (...quarantined: readonly string[]): EventBody => ({
  type: 'candidate-judged',
  run: 'r1',
  candidate: 'c1',
  tree: 't',
  gate: 'g',
  verdict: { id: 'passed', ms: 1, ...(quarantined.length === 0 ? {} : { quarantined }) },
  cached: false,
});
/** Checks in quarantine of a run in which these gates passed. */
const checksOf = (flakes: readonly FlakeAt[], ...bodies: readonly EventBody[]) =>
  quarantinedChecksOf(recordsOf(logOf(...bodies)).runHistory('r1')?.quarantined ?? [], flakes);
const day = 24 * 3600_000;

describe('checks that are in quarantine', () => {
  it('are none where no verdict left one out', () => {
    expect(checksOf([{ command: 'slow', at: 5 }], judged())).toEqual([]);
  });

  it('are each named once, with the time from which they count again', () => {
    const flakes = [
      { command: 'slow', at: day },
      { command: 'slow', at: 2 * day },
      { command: 'other', at: 9 * day },
    ];
    expect(checksOf(flakes, judged('slow'), judged('slow', 'net'))).toEqual([
      { command: 'slow', until: 2 * day + limits.quarantineMs },
      { command: 'net' },
    ]);
  });

  it('are told in a sentence', () => {
    const until = 1_772_600_767_000;
    expect(quarantineText({ command: 'npm run slow', until })).toBe(
      '"npm run slow" is quarantined as flaky and passed only after extra retries; the quarantine ends on 2026-03-04 05:06 UTC',
    );
    expect(quarantineText({ command: 'x' })).toBe(
      '"x" is quarantined as flaky and passed only after extra retries',
    );
  });

  it('are part of the summary and of the status', () => {
    const flakes = [{ command: 'slow', at: day }];
    const summary = summaryOf(sourceOf(logOf(judged('slow')), aRun(), [], flakes));
    expect(summary.quarantinedChecks).toEqual([{ command: 'slow', until: 345_600_000 }]);
    const told = '"slow" is quarantined as flaky';
    expect(summaryText(summary, plain, 160).join('\n')).toContain(`quarantine  ${told}`);
    const { quarantinedChecks = [] } = summary;
    const view = viewed([], aRun(), 0, { quarantinedChecks });
    expect(statusText(view, { now: 0 }, plain, 160).join('\n')).toContain(told);
  });
});

const checking = { commit: 'c', number: 1, reason: 'preflight', since: 1_000 } as const;

it('the check of the target is reported when it starts, and shown in the status', () => {
  const run = aRun({ target: { check: checking } });
  const event = { type: 'target-check-started', run: 'r1', commit: 'c' } as const;
  const at = { seq: 1, at: 1_000, version: 1 } as const;
  const lineFor = (reason: 'preflight' | 'blame' | 'moved') =>
    progressLines({ ...event, ...at, reason }, { record: () => undefined, run: () => run })[0];
  expect(lineFor('preflight')).toContain('check     checking main before the first agent starts');
  const before = { before: ['true', 'sh ready.sh'], reason: 'preflight' } as const;
  const commands = 'before the first agent starts: true, sh ready.sh, then the gate';
  const context = { record: () => undefined, run: () => run };
  expect(progressLines({ ...event, ...at, ...before }, context)[0]).toContain(commands);
  expect(lineFor('blame')).toContain('checking main before an agent is blamed for a red gate');
  expect(lineFor('moved')).toContain('checking main: it was moved during the run');
  const status = (more: Partial<typeof run>) =>
    statusText(viewed([], { ...run, ...more }, 13_000), { now: 13_000 }, plain, 100).join('\n');
  expect(status({})).toContain('checking main before the first agent starts (12 s)');
  expect(status({ target: { ...run.target, check: { ...checking, ...before } } })).toContain(
    `${commands} (12 s)`,
  );
  expect(status({ phase: endedPhase(13_000) })).not.toContain('checking');
  const died = viewed([], run, 13_000, { underWay: [] });
  expect(statusText(died, { now: 13_000 }, plain, 100).join('\n')).not.toContain('checking');
});
