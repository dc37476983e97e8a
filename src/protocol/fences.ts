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

/** Line numbers of one block: its opening and its closing fence. `to` is absent where it is never closed. */
interface Span {
  readonly from: number;
  readonly to?: number;
  readonly info: string;
}

/**
 * Takes a text apart at its code fences, as Markdown has them. A block that is never closed reaches to the end and is no
 * block. Never throws; two passes over the lines.
 *
 * A fence with an info text inside of an open block can mean two things: it is quoted there together with the fence that
 * closes it, or the beginning of the text was cut off within an earlier block. A block counts only where both readings
 * agree on it, and a line is outside only where neither has it in a closed block: what is quoted is never obeyed.
 */
export function fenced(text: string): Fenced {
  const lines = text.split(/\r?\n/);
  const nested = spansOf(lines, 'nest');
  const restarted = spansOf(lines, 'restart');
  const agreed = new Set(nested.map(keyOf));
  const closed = restarted.filter((span) => span.to !== undefined && agreed.has(keyOf(span)));
  const hidden = hiddenBy(lines.length, nested, restarted);
  return {
    outside: lines.filter((_, at) => hidden[at] !== 1).map((line) => line.trimEnd()),
    blocks: closed.map(({ from, to, info }) => ({
      info,
      text: lines.slice(from + 1, to).join('\n'),
    })),
  };
}

const keyOf = ({ from, to }: Span): string => `${from}-${to}`;

/** Marks the lines of closed blocks of either reading, and those behind a fence that is open to the end in both. */
function hiddenBy(count: number, ...readings: readonly (readonly Span[])[]): Uint8Array {
  const hidden = new Uint8Array(count);
  let openFrom = 0;
  for (const spans of readings) {
    for (const { from, to } of spans) if (to !== undefined) hidden.fill(1, from, to + 1);
    const last = spans.at(-1);
    const open = last !== undefined && last.to === undefined ? last.from : count;
    // The fence itself is never text.
    hidden.fill(1, open, open + 1);
    openFrom = Math.max(openFrom, open);
  }
  return hidden.fill(1, openFrom);
}

/** The outermost blocks, in their order; the last may be open. `restart` ends a block where another one opens in it. */
function spansOf(lines: readonly string[], onInner: 'nest' | 'restart'): readonly Span[] {
  const spans: Span[] = [];
  let from = 0;
  let info = '';
  const marks: string[] = [];
  for (const [at, line] of lines.entries()) {
    const mark = markIn(line);
    const inner = marks.at(-1);
    if (mark === undefined || (inner !== undefined && !reaches(mark.marks, inner))) continue;
    if (inner !== undefined && mark.info === '') {
      marks.pop();
      if (marks.length === 0) spans.push({ from, to: at, info });
      continue;
    }
    if (inner !== undefined && onInner === 'restart') spans.push({ from, to: at - 1, info: '' });
    if (onInner === 'restart') marks.length = 0;
    if (marks.length === 0) ({ from, info } = { from: at, info: mark.info });
    marks.push(mark.marks);
  }
  return marks.length === 0 ? spans : [...spans, { from, info }];
}

function markIn(line: string): { readonly marks: string; readonly info: string } | undefined {
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
