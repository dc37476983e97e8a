import type { SourceChange, SourceState } from '../../src/model/source-change.ts';
import type { TaskTracker, Written } from '../../src/port/task-tracker.ts';

/** A tracker that remembers what was written. Tests say what it refuses. */
export class MemoryTracker implements TaskTracker {
  readonly states = new Map<string, SourceState>();
  readonly writes: SourceChange[] = [];
  refusal: string | undefined;

  async write(change: SourceChange): Promise<Written> {
    this.writes.push(change);
    if (this.refusal !== undefined) return { ok: false, note: this.refusal };
    this.states.set(change.id, change.to);
    return { ok: true };
  }
}
