import type { EndSignal } from '../model/attempt.ts';
import { isTaskId, type TaskId } from '../model/task.ts';
import { limits } from '../plan/limits.ts';
import { fenced } from './fences.ts';

/** The work is done: it may be judged and merged. */
export const completeLine = 'COMPLETE_AND_READY_FOR_MERGE';
/** The agent stops without being done. */
export const doneLine = '__DONE__';
/** What a question to a person begins with. */
export const askMark = 'ASK:';

/** Lines and characters that are kept of a reason or a question. */
const messageLines = 10;
const messageChars = 4_000;

/** As long as an id may be. */
const wordChars = 80;

const claim = /^CLAIM\(([^()]*)\)$/;

/**
 * What an agent said about the end of its turn, in its last message. A line counts only by itself and outside of code
 * blocks: an instruction that is quoted in a sentence, a list or a block triggers nothing. Where several things are
 * said, being complete outranks giving up, that a question, and that a claim, wherever they stand.
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

/** What was said right before. */
function reasonIn(lines: readonly string[]): string {
  const said = lines.filter((line) => line !== '' && line !== doneLine);
  return said.slice(-messageLines).join('\n').slice(-messageChars);
}

/** Each question goes from its mark to the next empty line; several are one question of several lines. */
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
 * The words of all claims, each once, and not more of them than one turn may name. One that cannot be an id is kept as
 * well, short and on one line: whoever asked for it is told that there is no such task.
 */
function claimedIn(lines: readonly string[]): readonly TaskId[] {
  const words = lines.flatMap((line) => claim.exec(line)?.[1]?.split(',') ?? []);
  const asked = words.map(plain).filter((word) => word !== '');
  return [...new Set(asked)].slice(0, limits.claimIds);
}

/** Without what a screen would take for an order, and without half a character where it is cut. */
function plain(word: string): string {
  const short = word.replace(/\s+/g, ' ').trim().slice(0, wordChars);
  return short.replace(/\p{C}/gu, '').trim();
}

/** The words that are task ids, each once, and not more of them than one turn may name. */
export function idsAmong(words: readonly string[]): readonly TaskId[] {
  const ids = words.map((word) => word.trim()).filter(isTaskId);
  return [...new Set(ids)].slice(0, limits.claimIds);
}
