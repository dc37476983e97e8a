import type { Entry } from '../model/action.ts';
import type { TailMessages } from '../web/contract.ts';

/** Output of one live attempt. `parts` are its turns and reviews, in order. */
export interface Tail {
  readonly attempt: number;
  readonly parts: readonly TailPart[];
  /** State of the attempt, once it is over. */
  readonly over?: string;
}

export interface TailPart {
  readonly name: string;
  /** Number of the first entry that is kept. */
  readonly from: number;
  readonly entries: readonly Entry[];
}

const entriesKept = 2_000;

/** Takes new entries in. Those that come again after a reconnect replace what has their numbers. */
export function afterEntries(
  tail: Tail | undefined,
  { attempt, part: name, from, entries }: TailMessages['entries'],
): Tail {
  const parts = tail?.attempt === attempt ? tail.parts : [];
  const known = parts.find((one) => one.name === name);
  const part = known === undefined ? { name, from, entries } : joined(known, from, entries);
  const rest = parts.filter((one) => one.name !== name);
  return { attempt, parts: [...rest, kept(part)] };
}

function joined(part: TailPart, from: number, entries: readonly Entry[]): TailPart {
  const before = from - part.from;
  // A gap: what lies between is not known, so only the new entries are shown.
  if (before < 0 || before > part.entries.length) return { ...part, from, entries };
  return { ...part, entries: [...part.entries.slice(0, before), ...entries] };
}

function kept(part: TailPart): TailPart {
  const extra = part.entries.length - entriesKept;
  if (extra <= 0) return part;
  return { ...part, from: part.from + extra, entries: part.entries.slice(extra) };
}

/** Entries as they are shown: pieces of text in one, and each tool call once, with its outcome. */
export function shownEntries(entries: readonly Entry[]): readonly Entry[] {
  const shown: Entry[] = [];
  const calls = new Map<string, number>();
  for (const entry of entries) {
    const last = shown.at(-1);
    if (entry.id === 'text' && entry.piece && last?.id === 'text' && last.piece) {
      shown[shown.length - 1] = { ...last, text: last.text + entry.text };
    } else if (entry.id === 'tool') {
      const at = calls.get(entry.call.key);
      if (at === undefined) {
        calls.set(entry.call.key, shown.length);
        shown.push(entry);
      } else shown[at] = merged(shown[at], entry);
    } else if (entry.id !== 'line' || entry.text.trim() !== '') shown.push(entry);
  }
  return shown;
}

/** The end of a call may not repeat its subject. */
function merged(begin: Entry | undefined, end: Extract<Entry, { id: 'tool' }>): Entry {
  if (begin?.id !== 'tool') return end;
  const { name, subject } = begin.call;
  return {
    id: 'tool',
    call: { ...end.call, name: end.call.name || name, subject: end.call.subject || subject },
  };
}
