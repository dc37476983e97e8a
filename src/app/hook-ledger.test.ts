import { describe, expect, it } from 'vitest';
import { tempFolder } from '../../test/rig/temp-folder.ts';
import { readHookFile } from '../files/hook-file.ts';
import { Pages } from '../files/writer.ts';
import { limits } from '../model/limits.ts';
import { outcomeOf } from '../model/trouble.ts';
import { RunLedger } from './hooks.ts';

function folder(): string {
  const dir = tempFolder();
  return dir;
}

const delivery = { id: 'x', point: 'run-ended', at: 1, events: 1, tries: 1 };

/** Opens the ledger of a run, as another process finds it. */
function opened(dir: string, hooks: readonly string[], seq = 0) {
  const pages = new Pages();
  const ledger = new RunLedger(pages, dir, 'r1', hooks, seq);
  const stored = async (isLast = false) => {
    ledger.write(isLast);
    await outcomeOf(pages.flush());
    return readHookFile(dir, 'r1');
  };
  return { ledger, stored };
}

describe('the ledger of a run', () => {
  it('begins after the events that were there before the hook', async () => {
    const { ledger, stored } = opened(folder(), ['a'], 7);
    expect(ledger.position('a')).toBe(7);
    expect(ledger.start).toBe(7);
    expect(await stored()).toEqual({
      schema: 1,
      settled: false,
      hooks: { a: { position: 7, sent: 0, failed: 0, recent: [] } },
    });
  });

  it('stays before the first event that is not settled', async () => {
    const dir = folder();
    const { ledger, stored } = opened(dir, ['a', 'b']);
    for (const seq of [3, 5, 9]) {
      ledger.queue('a', seq);
      ledger.see(seq);
    }
    ledger.settle('a', 1, delivery);
    expect((await stored())?.hooks).toMatchObject({
      a: { position: 4, sent: 1 },
      b: { position: 9, sent: 0 },
    });
    ledger.settle('a', 2, { ...delivery, cause: 'gone' });
    expect((await stored(true))?.hooks.a).toMatchObject({ position: 9, sent: 1, failed: 2 });
    const again = opened(dir, ['a', 'b', 'c'], 20).ledger;
    expect(['a', 'b', 'c'].map((hook) => again.position(hook))).toEqual([9, 9, 20]);
    expect(again.start).toBe(9);
  });

  it('is settled only at the end, and only if nothing waits', async () => {
    const { ledger, stored } = opened(folder(), ['a']);
    expect((await stored(false))?.settled).toBe(false);
    ledger.queue('a', 1);
    expect((await stored(true))?.settled).toBe(false);
    ledger.settle('a', 1, delivery);
    expect((await stored(true))?.settled).toBe(true);
  });

  it('keeps the newest deliveries, and the past of hooks that are gone', async () => {
    const dir = folder();
    const { ledger, stored } = opened(dir, ['a']);
    for (let seq = 1; seq <= limits.hookDeliveries + 5; seq += 1) {
      ledger.queue('a', seq);
      ledger.see(seq);
      ledger.settle('a', 1, { ...delivery, at: seq });
    }
    const before = (await stored())?.hooks.a;
    expect(before?.recent.map(({ at }) => at)).toHaveLength(limits.hookDeliveries);
    expect(before?.recent.at(-1)?.at).toBe(limits.hookDeliveries + 5);
    const other = opened(dir, ['b'], 30);
    other.ledger.see(40);
    expect((await other.stored(true))?.hooks).toMatchObject({ a: before, b: { position: 40 } });
  });
});
