import type { HookEvent, HookMessage, HookPoint, Occasion } from '../../model/hook.ts';
import { hookPoints } from '../../model/hook.ts';
import { limits } from '../../model/limits.ts';
import { counted } from '../format/amount.ts';
import { cut } from '../format/layout.ts';

/** Events that the text of a digest names, and their length; the digest itself has more. */
const digestLines = 20;
const lineChars = 200;

export interface MessageOptions {
  readonly hook: string;
  readonly project: string;
  hash(text: string): string;
}

export function messageOf(occasions: readonly Occasion[], options: MessageOptions): HookMessage {
  const { hook, project } = options;
  const head = { schema: 1, hook, project } as const;
  const events = occasions.slice(0, limits.hookEvents).map((one) => eventOf(one, options));
  const [first] = events;
  if (first !== undefined && occasions.length === 1) return { ...head, ...first };
  const ids = events.map(({ id }) => id).join(' ');
  return {
    ...head,
    id: options.hash(ids),
    point: 'digest',
    at: events.at(-1)?.at ?? new Date(0).toISOString(),
    text: digestText(project, occasions),
    more: occasions.length - events.length,
    events,
  };
}

function eventOf({ at, ...occasion }: Occasion, { hook, hash }: MessageOptions): HookEvent {
  const { run, seq, point, task, text } = occasion;
  const of = [hook, run, seq, point, task?.id ?? text].join('\n');
  return { id: hash(of), ...occasion, at: new Date(at).toISOString() };
}

function digestText(project: string, occasions: readonly Occasion[]): string {
  const counts = new Map<string, number>();
  for (const { point } of occasions) counts.set(point, (counts.get(point) ?? 0) + 1);
  const sums = [...counts].map(([point, count]) => `${count} × ${point}`).join(', ');
  const lines = occasions.slice(0, digestLines).map(({ text }) => `- ${cut(text, lineChars)}`);
  const hidden = occasions.length - lines.length;
  return [
    `${project}: ${counted(occasions.length, 'event')} (${sums})`,
    ...lines,
    ...(hidden > 0 ? [`… and ${hidden} more`] : []),
  ].join('\n');
}

/** A made-up occasion for trying a hook. */
export function sampleOf(point: HookPoint, at: number): Occasion {
  const ofTask = !/^(?:run|budget|quota|target|landing)-/.test(point);
  const task = { id: 'sample', title: 'A sample task', type: 'task', priority: 2, labels: [] };
  return {
    point,
    run: 'sample',
    seq: 0,
    at,
    text: `This is a test: hooks get this point when ${hookPoints[point]}.`,
    ...(ofTask ? { task } : {}),
  };
}
