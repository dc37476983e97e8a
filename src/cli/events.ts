import type { Event } from '../model/event.ts';
import { ok, type Result } from '../model/failure.ts';
import { limits } from '../model/limits.ts';
import type { RunId } from '../model/run.ts';
import type { EventFilter, Store } from '../port/store.ts';

/** Limit on the pages read from a log. */
const pagesMax = 100;

/** Events that pass a filter, read in pages so that a long log needs little memory. */
export async function someEvents(
  store: Pick<Store, 'events'>,
  filter: EventFilter,
  isWanted: (event: Event) => boolean,
): Promise<Result<readonly Event[]>> {
  const found: Event[] = [];
  let after = filter.after ?? 0;
  for (let page = 0; page < pagesMax; page += 1) {
    const more = await store.events({ ...filter, after, limit: limits.eventPage });
    if (!more.ok) return more;
    found.push(...more.value.filter(isWanted));
    const last = more.value.at(-1);
    if (last === undefined || more.value.length < limits.eventPage) break;
    after = last.seq;
  }
  return ok(found);
}

/** Events about the candidates of a run. Most of them name no task. */
export function trainEvents(
  store: Pick<Store, 'events'>,
  run: RunId,
): Promise<Result<readonly Event[]>> {
  return someEvents(store, { run }, (event) => 'candidate' in event);
}
