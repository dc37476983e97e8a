/** What an agent that is asked for a word said, as a whole line outside of quoted code. */
export type Signal =
  | { readonly id: 'complete' }
  /** It stops without being done; `message` is what it said right before. */
  | { readonly id: 'done'; readonly message: string }
  | { readonly id: 'none' };

export const completeLine = 'COMPLETE_AND_READY_FOR_MERGE';
export const doneLine = '__DONE__';

/** Lines of a message that are kept as the reason for giving up. */
const messageLines = 10;

/**
 * Reads the signal out of the end of an agent's output. A line counts only by itself: an instruction that is quoted in
 * a sentence, a list or a code fence triggers nothing. Completion outranks giving up, wherever they stand.
 */
export function signalIn(text: string): Signal {
  const lines = outsideFences(text);
  if (lines.includes(completeLine)) return { id: 'complete' };
  const at = lines.lastIndexOf(doneLine);
  if (at === -1) return { id: 'none' };
  const before = lines.slice(0, at).filter((line) => line !== '' && line !== doneLine);
  return { id: 'done', message: before.slice(-messageLines).join('\n') };
}

/** Opening or closing fence of a code block: up to three blanks, then three or more of one mark, then an info text. */
const fence = /^ {0,3}(`{3,}|~{3,})(.*)$/;

/** Trimmed lines that are not within a code block. A block that is never closed reaches to the end. */
function outsideFences(text: string): string[] {
  const outside: string[] = [];
  let open: string | undefined;
  for (const line of text.split(/\r?\n/)) {
    const [, marks, info = ''] = fence.exec(line) ?? [];
    if (marks === undefined) {
      if (open === undefined) outside.push(line.trimEnd());
    } else if (open === undefined || info.trim() !== '') {
      // A fence with an info text always opens: within a block it means that the text began inside of one.
      open = marks;
    } else if (marks[0] === open[0] && marks.length >= open.length) {
      open = undefined;
    }
  }
  return outside;
}
