import { describe, expect, test } from 'vitest';
import { aRun, endedPhase } from '../../test/report/fixtures.ts';
import type { Submission } from '../model/daemon.ts';
import { type ProcessState, type Verdict, verdictOn } from './run-facts.ts';

const owner = { pid: 7, startedAt: '1@machine/boot', host: 'here' };
const other = { ...owner, pid: 8 };
const started: Pick<Submission, 'owner' | 'stopped'> = { owner };
const stopped: Pick<Submission, 'owner' | 'stopped'> = { owner, stopped: true };
const alive: ProcessState = { id: 'alive' };
const vanished: ProcessState = { id: 'gone' };
const exited = (exit: number): ProcessState => ({ id: 'gone', exit });

const underWay = { run: aRun() };
const done = { run: aRun({ phase: endedPhase(9, 'drained') }) };
const asked = { run: aRun({ phase: endedPhase(9, 'stop-asked') }) };
const canceled = { run: aRun({ phase: endedPhase(9, 'canceled') }) };
const broke = { run: aRun({ phase: endedPhase(9, 'budget-cost') }) };

const waits: Verdict = { id: 'waits' };
const runs: Verdict = { id: 'runs' };
const ended: Verdict = { id: 'ended' };
const resumed: Verdict = { id: 'again', trouble: false };
const died: Verdict = { id: 'again', trouble: true };

interface Case {
  readonly when: string;
  readonly submission: Pick<Submission, 'owner' | 'stopped'>;
  readonly process: ProcessState;
  readonly facts: Parameters<typeof verdictOn>[2];
  readonly verdict: Verdict;
}

const cases: readonly Case[] = [
  {
    when: 'a run without a process waits for a slot',
    submission: {},
    process: vanished,
    facts: {},
    verdict: waits,
  },
  {
    when: 'a run that the daemon stopped waits for a slot',
    submission: { stopped: true },
    process: vanished,
    facts: asked,
    verdict: waits,
  },
  {
    when: 'a run that died waits for a slot',
    submission: {},
    process: vanished,
    facts: underWay,
    verdict: waits,
  },
  {
    when: 'a run that ended elsewhere while it waited has ended',
    submission: {},
    process: vanished,
    facts: asked,
    verdict: ended,
  },
  {
    when: 'a run that its own process drives is under way',
    submission: started,
    process: alive,
    facts: { ...underWay, driver: owner },
    verdict: runs,
  },
  ...[
    { when: 'a waiting run that another process drives', submission: {}, process: vanished },
    { when: 'a run that another took over', submission: started, process: exited(-1) },
    { when: 'a run whose process is being refused', submission: started, process: alive },
    { when: 'a stopped run that another took over', submission: stopped, process: vanished },
  ].map(({ when, ...one }) => ({
    ...one,
    when: `${when} is under way elsewhere`,
    facts: { ...underWay, driver: other },
    verdict: { id: 'elsewhere', driver: other } as const,
  })),
  {
    when: 'a process that has not stored its run yet is under way',
    submission: started,
    process: alive,
    facts: {},
    verdict: runs,
  },
  {
    when: 'a process that drives its run is under way',
    submission: started,
    process: alive,
    facts: underWay,
    verdict: runs,
  },
  {
    when: 'a process that cleans up after the end of its run is under way',
    submission: started,
    process: alive,
    facts: done,
    verdict: runs,
  },
  {
    when: 'a process that ended without a run refused it',
    submission: started,
    process: exited(2),
    facts: {},
    verdict: ended,
  },
  {
    when: 'a process that found nothing to do has ended',
    submission: started,
    process: exited(0),
    facts: {},
    verdict: ended,
  },
  {
    when: 'a process that a signal killed before its run started is started again',
    submission: started,
    process: exited(-1),
    facts: {},
    verdict: died,
  },
  {
    when: 'a process of an earlier daemon that vanished before its run started is started again',
    submission: started,
    process: vanished,
    facts: {},
    verdict: died,
  },
  {
    when: 'a process that the stop of the daemon ended before its run started is no death',
    submission: stopped,
    process: exited(-1),
    facts: {},
    verdict: resumed,
  },
  {
    when: 'a run whose process was killed is resumed',
    submission: started,
    process: exited(-1),
    facts: underWay,
    verdict: died,
  },
  {
    when: 'a run whose process failed in the middle is resumed',
    submission: started,
    process: exited(3),
    facts: underWay,
    verdict: died,
  },
  {
    when: 'a run whose process died with the machine is resumed',
    submission: started,
    process: vanished,
    facts: underWay,
    verdict: died,
  },
  {
    when: 'a run that has nothing left to do has ended',
    submission: started,
    process: exited(0),
    facts: done,
    verdict: ended,
  },
  {
    when: 'a run that ended after the daemon died has ended',
    submission: started,
    process: vanished,
    facts: done,
    verdict: ended,
  },
  {
    when: 'a run that the user stopped has ended',
    submission: started,
    process: exited(4),
    facts: asked,
    verdict: ended,
  },
  {
    when: 'a run that the user stopped at once has ended',
    submission: started,
    process: exited(4),
    facts: canceled,
    verdict: ended,
  },
  {
    when: 'a run that ended with its budget has ended',
    submission: started,
    process: exited(4),
    facts: broke,
    verdict: ended,
  },
  {
    when: 'a run that the daemon stopped goes on with the next daemon',
    submission: stopped,
    process: exited(4),
    facts: asked,
    verdict: resumed,
  },
  {
    when: 'a run that the daemon stopped at once goes on with the next daemon',
    submission: stopped,
    process: exited(4),
    facts: canceled,
    verdict: resumed,
  },
  {
    when: 'a run whose process was killed while the daemon stopped goes on with the next daemon',
    submission: stopped,
    process: vanished,
    facts: underWay,
    verdict: resumed,
  },
  {
    when: 'a run that finished its last task while the daemon stopped has ended',
    submission: stopped,
    process: exited(0),
    facts: done,
    verdict: ended,
  },
  {
    when: 'a run that ended with its budget while the daemon stopped has ended',
    submission: stopped,
    process: exited(4),
    facts: broke,
    verdict: ended,
  },
];

describe('a submitted run', () => {
  test.each(cases)('$when', ({ submission, process, facts, verdict }) => {
    expect(verdictOn(submission, process, facts)).toEqual(verdict);
  });
});
