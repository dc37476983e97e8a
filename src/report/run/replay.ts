import type { Replay, ReplayDifference } from '../../plan/replay.ts';
import { eventLine } from '../event/line.ts';
import { counted } from '../format/amount.ts';
import { cut, wrap } from '../format/layout.ts';
import type { Style } from '../format/style.ts';

/** Differences that are listed; the first one is explained. */
const listed = 10;

export function replayLines(
  { run, events, decisions, results, differences }: Replay,
  screen: {
    readonly style: Style;
    readonly width: number;
    /** Width of sentences. */
    readonly textWidth: number;
    readonly offsetMin: number;
  },
): string[] {
  const size = `${counted(decisions, 'decision')} and ${counted(results, 'result')} in ${counted(events, 'event')}`;
  const { width, textWidth } = screen;
  const [first] = differences;
  if (first === undefined) return wrap(`Run ${run} replays identically: ${size}.`, textWidth);
  const more = differences.length - listed;
  return [
    ...wrap(
      `Run ${run} replays differently: ${counted(differences.length, 'event')} of ${size} would not happen again.`,
      textWidth,
    ),
    ...wrap(
      'This version of ym decides differently from the one that drove the run, or the log was changed.',
      textWidth,
    ),
    ...differences.slice(0, listed).map(({ event }) => eventLine(event, screen)),
    ...(more > 0 ? [`and ${more} more`] : []),
    ...explanation(first, width, textWidth),
  ];
}

function explanation(
  { event, instead }: ReplayDifference,
  width: number,
  textWidth: number,
): string[] {
  const head = `Event ${event.seq} (${event.type}) is the first. `;
  if (instead.length === 0) {
    return wrap(`${head}This version decides no such command at that point.`, textWidth);
  }
  return [
    ...wrap(`${head}This version decides instead:`, textWidth),
    ...instead.slice(0, listed).map((command) => cut(`  ${JSON.stringify(command)}`, width)),
  ];
}
