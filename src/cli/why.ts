import type { Event } from '../model/event.ts';
import { ok, type Result } from '../model/failure.ts';
import type { TaskId } from '../model/task.ts';
import { limits } from '../plan/limits.ts';
import type { Store } from '../record/store.ts';
import { historyOf } from '../report/history.ts';
import { whyText } from '../report/tasktext.ts';
import { taskNamed, withStore } from './open.ts';
import type { Call } from './parse.ts';
import { clockOffset, screenOf } from './screen.ts';
import { viewOfTask } from './taskview.ts';

export function run(call: Call): Promise<number> {
  return withStore(call, 'read', async ({ store }) => {
    const id = call.args[0] ?? '';
    const record = await taskNamed(store, id);
    if (!record.ok) return record;
    const view = await viewOfTask(store, record.value);
    if (!view.ok) return view;
    const events = await eventsOf(store, id);
    if (!events.ok) return events;
    const screen = screenOf(call);
    if (call.options.flag('json')) {
      screen.json({ ...view.value, history: historyOf(id, events.value) });
      return ok(0);
    }
    const offsetMin = clockOffset();
    screen.lines(whyText(view.value, events.value, screen.style, screen.width, { offsetMin }));
    return ok(0);
  });
}

/** The events of a task, and what became of the candidates it was part of: those name no task. */
async function eventsOf(store: Store, id: TaskId): Promise<Result<readonly Event[]>> {
  const own = await store.events({ task: id });
  if (!own.ok) return own;
  const all = [...own.value];
  const delivered = own.value.findLast(({ type }) => type === 'delivered');
  if (delivered !== undefined) {
    const seen = await pullsSeen(store, delivered.seq);
    if (!seen.ok) return seen;
    all.push(...seen.value);
  }
  for (const event of own.value) {
    if (event.type !== 'candidate-built') continue;
    const { run, candidate, seq } = event;
    const later = await store.events({ run, after: seq, limit: limits.eventPage });
    if (!later.ok) return later;
    all.push(
      ...later.value.filter(
        // Those with cars name the task, and are here already.
        (one) => 'candidate' in one && one.candidate === candidate && !('cars' in one),
      ),
    );
  }
  return ok(all.sort((a, b) => a.seq - b.seq));
}

/** Pages that are read of what came after a delivery; any later run may have looked at the pull request. */
const pagesMax = 100;

async function pullsSeen(store: Store, after: number): Promise<Result<readonly Event[]>> {
  const seen: Event[] = [];
  let from = after;
  for (let page = 0; page < pagesMax; page += 1) {
    const more = await store.events({ after: from, limit: limits.eventPage });
    if (!more.ok) return more;
    seen.push(...more.value.filter(({ type }) => type === 'pulls-seen'));
    const last = more.value.at(-1);
    if (last === undefined || more.value.length < limits.eventPage) break;
    from = last.seq;
  }
  return ok(seen);
}
