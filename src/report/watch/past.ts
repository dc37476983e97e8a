import { clockTime, dayTime } from '../format/time.ts';
import { widthOf } from '../format/width.ts';
import { eventText } from '../progress/progress.ts';
import type { Key } from './key.ts';
import { barOf, lineOf, painted } from './line.ts';
import type { Scene } from './scene.ts';
import type { UiState } from './ui.ts';

/** Share of the log that the keys for a large step go over. */
const largeStep = 0.05;

/** Effect of a key on the slider over the event log; undefined if it has none. */
export function slid(ui: UiState, key: Key): UiState | undefined {
  const { past } = ui;
  if (past === undefined) return undefined;
  const { seq, last } = past;
  const to = (wanted: number): UiState => ({
    ...ui,
    past: { seq: Math.min(last, Math.max(1, wanted)), last },
  });
  const many = Math.max(1, Math.round(last * largeStep));
  switch ('name' in key ? key.name : key.text) {
    case 'left':
      return to(seq - 1);
    case 'right':
      return to(seq + 1);
    case '<':
    case ',':
      return to(seq - many);
    case '>':
    case '.':
      return to(seq + many);
    case 'home':
      return to(1);
    case 'end':
      return to(last);
    case 'T':
      return now(ui);
    default:
      return undefined;
  }
}

function now({ past: _past, ...ui }: UiState): UiState {
  return ui;
}

/** Keys that change the project or show it as it is now. */
const steering = 'aynmrxb!op+-s:G';

/** Tells why a key has no effect in the past; undefined if it has one. */
export function refusedInPast({ past }: UiState, letter: string): string | undefined {
  if (past === undefined || !steering.includes(letter)) return undefined;
  if (letter === 'G') return 'The output of gates is not shown for the past; T goes back to now.';
  return 'This is the past, where nothing can be changed; T goes back to now.';
}

/** The slider: which event of how many, when it was, and what happened. The first moment of a long log takes a while. */
export function pastLines({ ui, moment, steps, style, offsetMin }: Scene, width: number): string[] {
  if (ui.past === undefined) return [];
  if (moment === undefined) {
    const reads = `reads the event log up to event ${ui.past.seq}; T goes back to now`;
    return [lineOf([painted(' PAST ', style.yellow), reads], width)];
  }
  const { seq, last, at } = moment;
  const step = steps.findLast(({ event }) => event.seq === seq);
  const what = step === undefined ? '' : `  ${eventText(step.event, step.context)}`;
  const isWide = width >= 100;
  const time = (isWide ? dayTime : clockTime)(at, offsetMin);
  const place = ` event ${seq} of ${last}  ${time}`;
  const bar = Math.max(0, Math.min(isWide ? 24 : 10, width - widthOf(place) - 7));
  return [
    lineOf(
      [
        painted(' PAST ', style.yellow),
        painted(bar < 4 ? '' : barOf(seq / last, bar), style.yellow),
        place,
        painted(what, style.dim),
      ],
      width,
    ),
  ];
}
