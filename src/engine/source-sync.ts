import type { CommandOf } from '../model/command.ts';
import type { EventBody } from '../model/event.ts';
import { ok, type Result } from '../model/failure.ts';
import { limits } from '../model/limits.ts';
import type { Ports, RunContext } from './context.ts';

/** Writes states one after the other. A failed write does not stop the others. */
export async function syncSources(
  { tracker }: Pick<Ports, 'tracker'>,
  { run }: Pick<RunContext, 'run'>,
  { changes }: CommandOf<'sync-sources'>,
): Promise<Result<readonly EventBody[]>> {
  const events: EventBody[] = [];
  for (const change of changes) {
    const { id, to: state } = change;
    const written = await tracker.write(change);
    events.push(
      written.ok
        ? { type: 'source-synced', run, id, state }
        : {
            type: 'source-sync-failed',
            run,
            id,
            note: written.note.slice(0, limits.waitNoteChars),
          },
    );
  }
  return ok(events);
}
