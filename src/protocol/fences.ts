/** A fenced block of a text: what stands behind the opening marks, and the lines up to the closing ones. */
export interface Block {
  readonly info: string;
  readonly text: string;
}

/** A text as people read it: what is said, and what is only shown. */
export interface Fenced {
  /** Lines that are not within a block, without the blanks at their ends. */
  readonly outside: readonly string[];
  /** Blocks that were closed, in their order. */
  readonly blocks: readonly Block[];
}

/** Opening or closing fence: up to three blanks, then three or more of one mark, then an info text. */
const fence = /^ {0,3}(`{3,}|~{3,})(.*)$/;

interface Open {
  readonly marks: string;
  readonly info: string;
  readonly lines: string[];
}

/**
 * Takes a text apart at its code fences, as Markdown has them. A block that is never closed reaches to the end and is no
 * block. Never throws; one pass over the lines.
 */
export function fenced(text: string): Fenced {
  const outside: string[] = [];
  const blocks: Block[] = [];
  let open: Open | undefined;
  for (const line of text.split(/\r?\n/)) {
    const mark = markIn(line);
    if (open === undefined) {
      if (mark === undefined) outside.push(line.trimEnd());
      else open = { ...mark, lines: [] };
    } else if (mark === undefined || !reaches(mark.marks, open.marks)) {
      open.lines.push(line);
    } else if (mark.info === '') {
      blocks.push({ info: open.info, text: open.lines.join('\n') });
      open = undefined;
    } else {
      // In a block such a line is text by the book. But it opens a block for sure where the text was cut off within an
      // earlier one, and then everything is the other way round: nothing said may be taken out of what is only shown.
      open = { ...mark, lines: [] };
    }
  }
  return { outside, blocks };
}

function markIn(line: string): Pick<Open, 'marks' | 'info'> | undefined {
  const [, marks, info = ''] = fence.exec(line) ?? [];
  if (marks === undefined) return undefined;
  // Backticks with more of them behind are code within a line.
  if (marks.startsWith('`') && info.includes('`')) return undefined;
  return { marks, info: info.trim() };
}

/** Whether these marks are of the kind and at least of the length of those that opened the block. */
function reaches(marks: string, opening: string): boolean {
  return marks[0] === opening[0] && marks.length >= opening.length;
}

/** Blocks whose info text begins with this word. */
export function blocksNamed(blocks: readonly Block[], name: string): readonly Block[] {
  return blocks.filter(({ info }) => info.split(/\s/, 1)[0] === name);
}

/** The value of a text that is meant to be JSON; undefined where it is not, which no JSON value is. */
export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
