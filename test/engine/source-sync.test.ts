import { expect, it } from 'vitest';
import { syncSources } from '../../src/engine/source-sync.ts';
import type { SourceChange } from '../../src/model/source-change.ts';
import { need } from '../conformance/git.ts';
import { MemoryTracker } from '../memory/tracker.ts';

it('writes the states in order, and continues after one of them fails', async () => {
  const change = (id: string): SourceChange => ({
    id,
    source: '.beads',
    from: 'open',
    to: 'claimed',
    reason: '',
  });
  const tracker = new MemoryTracker();
  const write = tracker.write.bind(tracker);
  tracker.write = async (one) => {
    tracker.refusal = one.id === 'b' ? 'no' : undefined;
    return write(one);
  };
  const changes = ['a', 'b', 'c'].map(change);
  const events = await need(
    syncSources({ tracker }, { run: 'r1' }, { type: 'sync-sources', changes }),
  );
  expect(events).toEqual([
    { type: 'source-synced', run: 'r1', id: 'a', state: 'claimed' },
    { type: 'source-sync-failed', run: 'r1', id: 'b', note: 'no' },
    { type: 'source-synced', run: 'r1', id: 'c', state: 'claimed' },
  ]);
  expect([...tracker.states.keys()]).toEqual(['a', 'c']);
});
