import type { Style } from '../format/style.ts';
import { table } from '../format/table.ts';
import { dayTime } from '../format/time.ts';

interface Version {
  readonly number: number;
  readonly at: number;
  readonly from: readonly string[];
  readonly added: number;
  readonly changed: number;
  readonly canceled: number;
  readonly proposal?: Proposal;
}

/** Changes that were proposed because the agent of `task` gave up. */
interface Proposal {
  readonly task: string;
  readonly consent: 'waits' | 'accepted' | 'declined';
}

export function consentText({ task, consent }: Proposal): string {
  switch (consent) {
    case 'waits':
      return `Not stored yet: \`ym approve ${task}\` stores it, \`ym reject ${task} "…"\` declines it.`;
    case 'accepted':
      return 'It was accepted.';
    case 'declined':
      return 'It was declined, so nothing of it was stored.';
  }
}

interface HistoryLayout {
  readonly style: Style;
  readonly width: number;
  /** Offset of the reader's time zone in minutes. */
  readonly offset: number;
}

const shortConsents = {
  waits: 'only proposed, by ',
  accepted: 'proposed and accepted, by ',
  declined: 'declined, by ',
} as const;

const versionsShown = 50;

/** `ym plan history`: one line for each version, the newest last. */
export function planHistoryText(
  versions: readonly Version[],
  { style, width, offset }: HistoryLayout,
): readonly string[] {
  if (versions.length === 0) return ['No task was stored yet.'];
  const shown = versions.slice(-versionsShown);
  const right = (title: string) => ({ title, align: 'right' as const });
  const columns = [
    right('version'),
    'stored',
    right('added'),
    right('changed'),
    right('canceled'),
    { title: 'from', gives: true },
  ];
  const count = (number: number): string => (number === 0 ? '' : String(number));
  const rows = shown.map(({ number, at, from, added, changed, canceled, proposal }) => [
    String(number),
    dayTime(at, offset),
    count(added),
    count(changed),
    count(canceled),
    `${proposal === undefined ? '' : shortConsents[proposal.consent]}${from.join(', ')}`,
  ]);
  const left = versions.length - shown.length;
  return [
    ...table(columns, rows, width, style.dim),
    ...(left > 0 ? [`Older versions are in \`ym plan history --json\`.`] : []),
    '`ym plan history N` shows what changed in a version.',
  ];
}
