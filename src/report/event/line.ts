import { type Event, tasksOf } from '../../model/event.ts';
import { cut, joined } from '../format/layout.ts';
import type { Style } from '../format/style.ts';
import { clockTime } from '../format/time.ts';
import { actorText } from './actor.ts';

const numberWidth = 6;
const typeWidth = 18;

/** One line for an event of the log: its number, time, type, tasks, person, and its other fields as JSON. */
export function eventLine(
  event: Event,
  {
    style,
    width,
    offsetMin,
  }: { readonly style: Style; readonly width: number; readonly offsetMin: number },
): string {
  const { seq, at, version: _version, type, actor, ...body } = event;
  const { id: _id, ...rest } = { id: '', ...body };
  const begin = `${String(seq).padStart(numberWidth)} ${clockTime(at, offsetMin)}`;
  const what = type.padEnd(typeWidth);
  const by = actor !== undefined && `by ${actorText(actor)}`;
  const fields = Object.keys(rest).length > 0 && JSON.stringify(rest);
  const text = joined([tasksOf(event).join(', '), by, fields], '  ');
  const room = Math.max(1, width - begin.length - what.length - 2);
  return `${style.dim(begin)} ${style.bold(what)} ${cut(text, room)}`.trimEnd();
}
