import { fenced } from '../document/fences.ts';
import { limits } from '../model/limits.ts';
import { isTaskId, type TaskId } from '../model/task.ts';
import type { EndSignal } from '../model/turn.ts';
import { shortLine } from '../model/visible.ts';

/** The work is complete and may be judged and merged. */
export const completeLine = 'COMPLETE_AND_READY_FOR_MERGE';
/** The agent stops without completing the work. */
export const doneLine = '__DONE__';
/** Prefix of a question to the user. */
export const askMark = 'ASK:';

/** Limits of a stored reason or question. */
const messageLines = 10;
const messageChars = 4_000;

/** Length limit of an id. */
const wordChars = 80;

const claim = /^CLAIM\(([^()]*)\)$/;

/**
 * Reads the end-of-turn signal from an agent's last message. A line counts only as a whole line outside of code blocks:
 * an instruction quoted in a sentence, a list or a block has no effect. With several signals, the order is complete,
 * gave-up, ask, claim.
 */
export function endSignalIn(text: string): EndSignal {
  const lines = fenced(text).outside;
  if (lines.includes(completeLine)) return { id: 'complete' };
  const gaveUp = lines.lastIndexOf(doneLine);
  if (gaveUp !== -1) return { id: 'gave-up', message: reasonIn(lines.slice(0, gaveUp)) };
  const question = questionIn(lines);
  if (question !== '') return { id: 'ask', question };
  const ids = claimedIn(lines);
  return ids.length === 0 ? { id: 'nothing' } : { id: 'claim', ids };
}

/** The lines right before the signal. */
function reasonIn(lines: readonly string[]): string {
  const said = lines.filter((line) => line !== '' && line !== doneLine);
  return said.slice(-messageLines).join('\n').slice(-messageChars);
}

/** A question ends at the next empty line; several questions are joined. */
function questionIn(lines: readonly string[]): string {
  const asked: string[] = [];
  let within = false;
  for (const line of lines) {
    if (line.startsWith(askMark)) {
      const rest = line.slice(askMark.length).trim();
      within = rest !== '';
      if (within) asked.push(rest);
    } else if (line === '') within = false;
    else if (within) asked.push(line.trim());
  }
  return asked.slice(0, messageLines).join('\n').slice(0, messageChars);
}

/**
 * Unique words of all claims, limited in number. Words that are not ids are kept, short and on one line, so that the
 * agent can be told that there is no such task.
 */
function claimedIn(lines: readonly string[]): readonly TaskId[] {
  const words = lines.flatMap((line) => claim.exec(line)?.[1]?.split(',') ?? []);
  const asked = words.map((word) => shortLine(word, wordChars)).filter((word) => word !== '');
  return [...new Set(asked)].slice(0, limits.claimIds);
}

/** Unique task ids among the words, limited in number. */
export function idsAmong(words: readonly string[]): readonly TaskId[] {
  const ids = words.map((word) => word.trim()).filter(isTaskId);
  return [...new Set(ids)].slice(0, limits.claimIds);
}
