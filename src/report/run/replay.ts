import type { Replay, ReplayDifference } from '../../plan/replay.ts';
import { eventLine } from '../event/line.ts';
import { counted } from '../format/amount.ts';
import { cut } from '../format/layout.ts';
import type { Style } from '../format/style.ts';

/** Differences that are listed; the first one is explained. */
const listed = 10;

export function replayLines(
  { run, events, decisions, results, differences }: Replay,
  screen: { readonly style: Style; readonly width: number; readonly offsetMin: number },
): string[] {
  const size = `${counted(decisions, 'decision')} and ${counted(results, 'result')} in ${counted(events, 'event')}`;
  const [first] = differences;
  if (first === undefined) return [`Run ${run} replays identically: ${size}.`];
  const more = differences.length - listed;
  return [
    `Run ${run} replays differently: ${counted(differences.length, 'event')} of ${size} would not happen again.`,
    'This version of ym decides differently from the one that drove the run, or the log was changed.',
    ...differences.slice(0, listed).map(({ event }) => eventLine(event, screen)),
    ...(more > 0 ? [`and ${more} more`] : []),
    ...explanation(first, screen.width),
  ];
}

function explanation({ event, instead }: ReplayDifference, width: number): string[] {
  const head = `Event ${event.seq} (${event.type}) is the first. `;
  if (instead.length === 0) return [`${head}This version decides no such command at that point.`];
  return [
    `${head}This version decides instead:`,
    ...instead.slice(0, listed).map((command) => cut(`  ${JSON.stringify(command)}`, width)),
  ];
}
