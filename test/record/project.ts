import { type RunFiles, runFiles } from '../../src/files/writer.ts';
import type { Event, EventBody } from '../../src/model/event.ts';
import { fold } from '../../src/plan/fold.ts';
import { MemoryRecords } from '../../src/record/memory-records.ts';

/** A project in memory whose files are written to a folder. */
export class Project {
  readonly records = new MemoryRecords();
  readonly events: Event[] = [];
  now = 0;
  files: RunFiles;

  constructor(dir: string) {
    this.files = runFiles({ dir, now: () => this.now });
  }

  /** Events are 10 ms apart. */
  happens(...bodies: readonly EventBody[]): void {
    for (const body of bodies) {
      this.now += 10;
      const event: Event = { ...body, seq: this.events.length + 1, at: this.now, version: 1 };
      this.events.push(event);
      fold(this.records, event);
      this.files.on(event, this.records);
    }
  }
}

export const claimed = (run: string, id: string, slot: number, attempt = 1): EventBody => ({
  type: 'attempt-started',
  run,
  id,
  attempt,
  slot,
  fence: 1,
  agent: 'scripted',
  branch: `yard/${run}/${id}-${attempt}`,
});
