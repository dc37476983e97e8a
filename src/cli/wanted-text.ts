import { chosenTask, comparedTask, taskOf } from '../report/watch/rows.ts';
import type { Scene } from '../report/watch/scene.ts';
import { type DocumentId, isDocument, pageWidth } from '../report/watch/ui.ts';
import type { PastScene } from './travel.ts';

/** The text that the screen shows: which one, of which task, for which width. `version` changes when it is outdated. */
export interface WantedText {
  readonly page: DocumentId | 'tail';
  readonly task: string;
  readonly version: string;
  readonly width: number;
  readonly past?: Pick<PastScene, 'moment' | 'view'>;
}

/** The text that the screen needs. Its version changes with the turn and the state of the task. */
export function wantedText(
  { view, ui }: Scene,
  past: PastScene | undefined,
): WantedText | undefined {
  const page = isDocument(ui.page) ? ui.page : ui.page === 'tail' ? 'tail' : undefined;
  const task = chosenTask(view, ui);
  if (page === undefined || task === undefined) return undefined;
  const slot = view.slots.find((one) => one.phase !== 'idle' && one.task === task);
  const turn = slot === undefined || slot.phase === 'idle' ? '' : `${slot.turn} ${slot.phase}`;
  const known = taskOf(view, task);
  const compared = page === 'compare' ? comparedTask(view, task) : undefined;
  if (compared !== undefined) {
    const states = compared.variants?.map((id) => taskOf(view, id)?.state) ?? [];
    const version = [compared.state, ...states].join(' ');
    return { page, task: compared.id, version, width: pageWidth(ui) - 2, past };
  }
  return {
    page,
    task,
    past,
    version: `${known?.attempts ?? 0} ${known?.state ?? ''} ${turn}`,
    width: page === 'why' ? pageWidth(ui) - 2 : 0,
  };
}
