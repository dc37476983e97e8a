import type { Say } from './invariants.ts';
import type { World } from './world.ts';

/** A task with variants has no attempt of its own, and at most one of its variants lands, which was chosen. */
export function oneVariantLands({ events, state }: World, say: Say): void {
  const landed = new Set(
    events.flatMap((event) => (event.type === 'landed' ? event.entries.map(({ id }) => id) : [])),
  );
  for (const { task, variants, attempts, status, coClaimedBy } of state.tasks.values()) {
    if (variants === undefined) continue;
    if (attempts > 0) say(`${task.id} has variants and an attempt of its own`);
    const arrived = variants.ids.filter((id) => landed.has(id));
    if (arrived.length > 1) say(`${arrived.join(' and ')} have landed for one task`);
    const [winner] = arrived;
    if (winner !== undefined && variants.choice?.variant !== winner) {
      say(`${winner} landed without being chosen`);
    }
    if ((status.id === 'landed') !== (winner !== undefined) && status.id !== 'skipped') {
      if (status.id !== 'canceled') say(`${task.id} is ${status.id}, but ${winner} has landed`);
    }
    for (const id of coClaimedBy === undefined && status.id === 'landed' ? variants.ids : []) {
      const other = state.task(id)?.status;
      const isOver = other?.id === 'canceled' && other.failure.kind === 'superseded';
      if (id !== winner && !isOver) say(`${id} is ${other?.id} although ${winner} has landed`);
    }
  }
  // A task that is retried gets new variants, with a base of their own.
  const bases = new Map<string, string>();
  for (const event of events) {
    if (event.type === 'variants-added') {
      for (const { id } of event.variants) bases.set(id, event.base);
    }
    if (event.type !== 'worktree-ready' || event.attempt > 1) continue;
    const base = bases.get(event.id);
    if (base !== undefined && base !== event.base) say(`${event.id} has another base`);
  }
}
