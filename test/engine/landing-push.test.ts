// The push of a landing to a shared repository that does not answer, while the run stops.
import { expect, it } from 'vitest';
import { LandingPush } from '../../src/engine/landing-push.ts';
import { fail } from '../../src/model/failure.ts';
import { jobLimits } from '../../src/model/job.ts';
import type { Courier } from '../../src/port/workers.ts';
import { explain } from '../../src/report/explain/explain.ts';
import { Story } from '../story.ts';

const failure = {
  kind: 'git-failed',
  args: ['push'],
  exit: -1,
  stderr: 'git was ended by SIGKILL',
} as const;
/** Ends a push only if it is asked to. */
const silent: Pick<Courier, 'send'> = {
  send: (_commits, signal) =>
    new Promise((resolve) => signal?.addEventListener('abort', () => resolve(fail(failure)))),
};

it('is ended a while after the run is asked to stop, each time that it is tried', async () => {
  const story = new Story().start();
  const push = new LandingPush();
  const ended: number[] = [];
  const causes = new Set<string>();
  const begin = (at: number) =>
    void push.send(silent, 'c1').then((sent) => {
      ended.push(at);
      if (!sent.ok) causes.add(explain(sent.failure).what);
    });
  const pass = async (now: number) => {
    push.endIfStopping(story.record(), now);
    await new Promise((resolve) => setImmediate(resolve));
  };
  begin(1);
  await pass(0);
  await pass(10 * jobLimits.lastPushMs);
  expect(ended).toEqual([]);
  story.tell({ type: 'stop-asked', run: story.record().id, how: 'finish', by: 'me' });
  const from = 20 * jobLimits.lastPushMs;
  await pass(from);
  await pass(from + jobLimits.lastPushMs);
  expect(ended).toEqual([]);
  await pass(from + jobLimits.lastPushMs + 1);
  expect(ended).toEqual([1]);
  begin(2);
  await pass(from + jobLimits.lastPushMs + 2);
  expect(ended).toEqual([1]);
  await pass(from + 2 * jobLimits.lastPushMs + 3);
  expect(ended).toEqual([1, 2]);
  expect([...causes]).toEqual([expect.stringContaining('ended because the run stops')]);
});
