import { describe, expect, it } from 'vitest';
import type { Event, EventBody } from '../model/event.ts';
import { ok } from '../model/failure.ts';
import { limits } from '../model/limits.ts';
import { newTask } from '../model/task.ts';
import { planVersion, planVersions } from './plan-history.ts';

/** A store with these events; each inner list was stored in one step. */
function storeOf(...steps: readonly (readonly EventBody[])[]) {
  const log = steps
    .flatMap((step, at) => step.map((body) => ({ ...body, at: 1_000 + at })))
    .map((event, at) => ({ ...event, seq: at + 1, version: 1 }) as Event);
  const pages: number[] = [];
  const events = async ({ after = 0, limit = 0 }: { after?: number; limit?: number }) => {
    const page = log.slice(after, after + limit);
    pages.push(page.length);
    return ok(page);
  };
  return { events, pages };
}

const a = newTask({ id: 'a', title: 'A', source: 'plan.yaml' });
const b = newTask({ id: 'b', title: 'B', labels: ['follow-up-of:a'] });
const added = (task: typeof a): EventBody => ({ type: 'task-added', task });
const message: EventBody = { type: 'message-sent', id: 'a', text: 'x' };
const cancel: EventBody = {
  type: 'task-decided',
  id: 'b',
  decision: { kind: 'cancel', reason: 'not needed' },
};
const retry: EventBody = { type: 'task-decided', id: 'b', decision: { kind: 'retry' } };
const store = storeOf(
  [added(a), added({ ...a, id: 'c' })],
  [message],
  [added(b)],
  [retry],
  [{ type: 'task-changed', task: { ...a, priority: 0, source: 'other.yaml' } }, cancel],
);

describe('versions of a plan', () => {
  it('are the steps that added, changed or canceled tasks', async () => {
    const none = { added: 0, changed: 0, canceled: 0 };
    expect(await planVersions(store)).toEqual({
      ok: true,
      value: [
        { ...none, number: 1, at: 1_000, from: ['plan.yaml'], added: 2 },
        { ...none, number: 2, at: 1_002, from: ['the agent of a'], added: 1 },
        { ...none, number: 3, at: 1_004, from: ['other.yaml'], changed: 1, canceled: 1 },
      ],
    });
  });

  it('show what changed against the text before', async () => {
    expect(await planVersion(store, 3)).toMatchObject({
      ok: true,
      value: {
        changed: [
          {
            id: 'a',
            keys: [
              { key: 'priority', from: 2, to: 0 },
              { key: 'source', from: 'plan.yaml', to: 'other.yaml' },
            ],
          },
        ],
        canceled: [{ id: 'b', reason: 'not needed' }],
      },
    });
    expect(await planVersion(store, 4)).toMatchObject({
      failure: { problem: 'the plan has no version 4', remedy: expect.stringContaining('1 to 3') },
    });
    expect(await planVersion(storeOf(), 1)).toMatchObject({
      failure: { remedy: 'No task was stored yet.' },
    });
  });

  it('are read page by page, also if a step is longer than a page', async () => {
    const many = Array.from({ length: 2 * limits.eventPage + 1 }, (_, at) =>
      added({ ...a, id: `t${at}` }),
    );
    const long = storeOf(many, [added(b)]);
    expect(await planVersions(long)).toMatchObject({
      value: [{ added: many.length }, { added: 1 }],
    });
    expect(Math.max(...long.pages)).toBe(limits.eventPage);
  });

  it('are listed up to a bound, the newest ones', async () => {
    const steps = Array.from({ length: 1_100 }, (_, at) => [added({ ...a, id: `t${at}` })]);
    const read = await planVersions(storeOf(...steps));
    expect(read.ok && [read.value.length, read.value[0]?.number]).toEqual([1_000, 101]);
  });
});
