// Whatever events come in whatever order: what a transaction loads is all that its fold reads.

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { anyEvent } from '../any-event.ts';
import { memoryStore, slowMemoryStore } from '../memory/store.ts';
import { need } from '../rig/need.ts';

it.each([
  ['at once', memoryStore],
  ['later', slowMemoryStore],
])(
  'the fold of any event gets every record that it reads from a store that answers %s',
  async (_, open) => {
    const calls = fc.array(fc.array(anyEvent, { minLength: 1, maxLength: 4 }), { maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(calls, async (batches) => {
        const store = open();
        for (const [at, events] of batches.entries()) need(await store.append(at, events));
        expect(need(await store.audit())).toEqual([]);
      }),
      { numRuns: 500 },
    );
  },
);
