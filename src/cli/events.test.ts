import { describe, expect, it } from 'vitest';
import { MemoryStore } from '../../test/memory/store.ts';
import type { EventBody } from '../model/event.ts';
import { type Failure, fail } from '../model/failure.ts';
import { limits } from '../model/limits.ts';
import { someEvents, trainEvents } from './events.ts';

const flaked = (command: string): EventBody => ({
  type: 'check-flaked',
  run: 'r1',
  command,
  tree: 't',
  log: 'l',
});

describe('events that are wanted', () => {
  it('are found over more than one page, in their order', async () => {
    const store = new MemoryStore();
    const count = limits.eventPage + 5;
    await store.append(
      0,
      Array.from({ length: count }, (_, at) => flaked(String(at))),
    );
    const all = await someEvents(store, { run: 'r1' }, () => true);
    expect(all).toMatchObject({ ok: true, value: { length: count } });
    const last = await someEvents(store, { after: count - 1 }, () => true);
    expect(last).toMatchObject({ value: [{ command: String(count - 1) }] });
  });

  it('of the train are those of one run that are about a candidate', async () => {
    const store = new MemoryStore();
    const gone = (run: string): EventBody => ({
      type: 'gate-abandoned',
      run,
      candidate: 'c1',
      count: 1,
    });
    await store.append(0, [flaked('x'), gone('r1'), gone('r2')]);
    expect(await trainEvents(store, 'r1')).toMatchObject({
      value: [{ type: 'gate-abandoned', run: 'r1' }],
    });
  });

  it('are a failure where the store has one', async () => {
    const failure: Failure = { kind: 'store-busy', file: 'yard.db', waitedMs: 1 };
    const busy = { events: async () => fail(failure) };
    expect(await trainEvents(busy, 'r1')).toEqual(fail(failure));
  });
});
