// Reviews, gates, deliveries and the verification in the files of a run.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import type { EventBody } from '../../src/model/event.ts';
import { outcomes, violations } from '../report/any-work.ts';
import { failures } from '../report/failures.ts';
import { tempFolder } from '../rig/temp-folder.ts';
import { added, built, captured, judged, ready, started, turn, turned } from './life.ts';
import { claimed, Project } from './project.ts';
import { attemptSchema, manifestSchema, runSchema } from './published.ts';

let dir: string;
let project: Project;
beforeEach(() => {
  dir = tempFolder();
  project = new Project(dir);
});

const json = (...path: string[]): unknown => JSON.parse(readFileSync(join(dir, ...path), 'utf8'));
const of = { run: 'r', id: 'a', attempt: 1 };
const worked = (): readonly EventBody[] => [
  added('a'),
  started('r'),
  claimed('r', 'a', 1),
  ready('r', 'a'),
  turn('r', 'a'),
  turned('r', 'a'),
];
const review = {
  ...of,
  call: { kind: 'review', round: 1, agent: 'codex', again: 1 },
} as const;
const usage = { input: 10, cacheRead: 0, cacheWrite: 0, output: 5 };

/** Milliseconds that each slot was in use. */
async function slotMs(...events: readonly EventBody[]): Promise<readonly number[]> {
  project.happens(...events);
  await project.files.flush();
  const { slots } = manifestSchema.parse(json('r', 'manifest.json'));
  return slots.map(({ ms }) => ms);
}

describe('The files of a run', () => {
  it('contain delivered attempts, gate runs and the verification', async () => {
    project.happens(...worked(), captured('r', 'a'), judged('r', 'a'), built('r', ['a']), {
      type: 'delivered',
      run: 'r',
      candidate: 'c1',
      how: 'branch',
      entries: [{ id: 'a', attempt: 1, commit: 'commit-a' }],
      branch: 'yard/a',
    });
    project.happens({ type: 'run-verified', run: 'r', outcome: outcomes.failed });
    await project.files.flush();
    const attempt = attemptSchema.parse(json('r', 'attempts', 'a-1', 'attempt.json'));
    expect(attempt).toMatchObject({ outcome: 'delivered', commit: 'commit-a' });
    expect(attempt).toHaveProperty('endedAt');
    expect(runSchema.parse(json('r', 'run.json'))).toMatchObject({
      gateRuns: { branch: 1, candidate: 0, target: 0 },
      verified: outcomes.failed,
    });
    const [slot] = manifestSchema.parse(json('r', 'manifest.json')).slots;
    expect(slot).toMatchObject({ attempts: 1, landed: 1, failed: 0 });
  });

  it("count a reviewer's usage for the attempt", async () => {
    const vote = { ok: true, verdict: 'approved', findings: [], usage } as const;
    project.happens(...worked(), captured('r', 'a'), judged('r', 'a'));
    project.happens(
      { ...review, type: 'call-started', slot: 2 },
      { ...review, type: 'call-ended', result: vote },
    );
    await project.files.flush();
    expect(attemptSchema.parse(json('r', 'attempts', 'a-1', 'attempt.json')).spend).toMatchObject({
      turns: 2,
      total: 15,
    });
    const { spend } = runSchema.parse(json('r', 'run.json'));
    expect(spend?.byAgent.map(({ agent, total }) => [agent, total])).toEqual([
      ['scripted', 0],
      ['codex', 15],
    ]);
  });

  it('count a slot as used while a reviewer holds it, not in between', async () => {
    // One event every 10 ms.
    const before = await slotMs(...worked(), captured('r', 'a'), judged('r', 'a'));
    const vote = { ok: true, verdict: 'approved', findings: [] } as const;
    const pause: EventBody = { type: 'stop-asked', run: 'r', how: 'finish', by: 'x' };
    const after = await slotMs(
      pause,
      { ...review, type: 'call-started', slot: 2 },
      { ...review, type: 'call-ended', result: vote },
      pause,
    );
    expect(after[0]).toBe(before[0]);
    expect(after[1]).toBe(10);
  });

  it.each([
    [{ ...of, type: 'gate-skipped', tree: 'tree-a', reason: 'x' }],
    [{ ...of, type: 'approval-asked', failure: failures['approval-needed'] }],
  ] as const)('free the slot of work that goes on without a gate: $type', async (event) => {
    const pause: EventBody = { type: 'stop-asked', run: 'r', how: 'finish', by: 'x' };
    const before = await slotMs(...worked(), captured('r', 'a'), event);
    expect(before[0]).toBeGreaterThan(0);
    expect(await slotMs(pause, pause)).toEqual(before);
  });

  it('free the slot of work that violates a rule', async () => {
    const broken = { ...captured('r', 'a'), violations: [violations['test-deleted']] } as EventBody;
    const before = await slotMs(...worked(), broken);
    const pause: EventBody = { type: 'stop-asked', run: 'r', how: 'finish', by: 'x' };
    expect(await slotMs(pause)).toEqual(before);
  });
});
