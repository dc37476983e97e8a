// Landings of a run with workers, whose commits go to the shared repository first.
import { beforeEach, expect, it } from 'vitest';
import { SharedLanding } from '../../src/engine/shared-landing.ts';
import type { CommandOf } from '../../src/model/command.ts';
import { ok } from '../../src/model/failure.ts';
import { jobLimits } from '../../src/model/job.ts';
import { Trouble } from '../../src/model/trouble.ts';
import { ManualClock } from '../memory/clock.ts';
import { Story, task } from '../story.ts';

const refused = { kind: 'git-failed', args: ['push'], exit: 128, stderr: 'fatal: gone' } as const;

let clock: ManualClock;
let landing: SharedLanding;
let landed: string[];
/** Pushes under way: the test ends them. */
let pushes: {
  readonly commit: string;
  readonly end: () => void;
  readonly refuse: (trouble: Trouble) => void;
}[];
let aborted: string[];

beforeEach(() => {
  clock = new ManualClock();
  landed = [];
  pushes = [];
  aborted = [];
  landing = new SharedLanding({
    run: 'r1',
    clock,
    here: async ({ candidate }) => {
      landed.push(candidate.commit);
      return ok([]);
    },
    courier: {
      send: ([commit = ''], signal) =>
        new Promise((end, refuse) => {
          pushes.push({ commit, end, refuse });
          signal?.addEventListener('abort', () => {
            aborted.push(commit);
            refuse(new Trouble(refused));
          });
        }),
    },
  });
});

function command(): CommandOf<'land'> {
  const story = new Story().tasks(task('a')).start().queued('a').built('a').candidateJudged(true);
  const found = story.decide().commands.find(({ type }) => type === 'land');
  if (found?.type !== 'land') throw new Error('nothing lands');
  return found;
}

const waits = (kind: string) => ({
  ok: true,
  value: [{ type: 'landing-waits', candidate: 'c1', failure: { kind } }],
});

it('happen once the commit is there', async () => {
  const land = command();
  const done = landing.perform(land);
  expect(landed).toEqual([]);
  pushes[0]?.end();
  expect(await done).toEqual(ok([]));
  expect([pushes[0]?.commit, landed]).toEqual([land.candidate.commit, [land.candidate.commit]]);
});

it('wait if it is refused, with what git printed, and are pushed again', async () => {
  const land = command();
  const done = landing.perform(land);
  pushes[0]?.refuse(new Trouble(refused));
  expect(await done).toMatchObject(waits('share-failed'));
  const again = landing.perform(land);
  pushes[1]?.end();
  expect(await again).toEqual(ok([]));
  expect(landed).toHaveLength(1);
});

it('wait if it does not answer, and join the same push when they are tried again', async () => {
  const land = command();
  const done = landing.perform(land);
  await clock.advance(jobLimits.pushPatienceMs);
  expect(await done).toMatchObject(waits('share-slow'));
  // Only for a moment, so that the run can do something else.
  const joined = landing.perform(land);
  await clock.advance(jobLimits.joinedPushMs);
  expect(await joined).toMatchObject(waits('share-slow'));
  const again = landing.perform(land);
  expect(pushes).toHaveLength(1);
  pushes[0]?.end();
  expect(await again).toEqual(ok([]));
  expect(clock.nextWake()).toBeUndefined();
});

it('of two candidates do not end the push of each other', async () => {
  const land = command();
  const first = landing.perform(land);
  const other = { ...land.candidate, commit: 'other', prefixes: [{ commit: 'other', tree: 't' }] };
  const second = landing.perform({ ...land, candidate: other });
  for (const push of pushes) push.end();
  expect([await first, await second]).toEqual([ok([]), ok([])]);
  expect([landed, aborted]).toEqual([[land.candidate.commit, 'other'], []]);
});

it('leave no push behind when the run ends', async () => {
  const done = landing.perform(command());
  landing.end();
  expect(await done).toMatchObject(waits('share-failed'));
  expect(aborted).toHaveLength(1);
});

it('that hand over a branch need no push', async () => {
  const land = command();
  const how = { id: 'branch' } as unknown as CommandOf<'land'>['how'];
  expect(await landing.perform({ ...land, how })).toEqual(ok([]));
  expect(pushes).toEqual([]);
});
