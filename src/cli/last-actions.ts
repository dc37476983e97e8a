import { withLastActions } from '../report/view/slot.ts';
import type { View } from '../report/view/view.ts';
import type { Place } from '../wire/place.ts';

/** Adds the last action of each agent. Loads the reader of agent output only if an agent is working. */
export async function withActions(place: Place, view: View): Promise<View> {
  if (!view.slots.some(({ phase }) => phase === 'working')) return view;
  const { lastActionReader } = await import('../wire/last-action.ts');
  return withLastActions(view, lastActionReader(place));
}
