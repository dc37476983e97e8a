// Whatever events come in whatever order: the fold of a transaction reads nothing that was not loaded before.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { anyEvent } from '../any-event.ts';
import { memoryStore } from '../memory/store.ts';
import { good } from './life.ts';

it('names every record that the fold of an event reads', async () => {
  const calls = fc.array(fc.array(anyEvent, { minLength: 1, maxLength: 4 }), { maxLength: 40 });
  await fc.assert(
    fc.asyncProperty(calls, async (batches) => {
      const store = memoryStore();
      for (const [at, events] of batches.entries()) good(await store.append(at, events));
      expect(good(await store.audit())).toEqual([]);
    }),
    { numRuns: 500 },
  );
});
