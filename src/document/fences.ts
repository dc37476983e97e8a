/** A fenced code block: the info string after the opening fence, and the lines inside. */
interface Block {
  readonly info: string;
  readonly text: string;
}

/** A Markdown text, split into prose and code blocks. */
export interface Fenced {
  /** Lines outside of blocks, without trailing spaces. */
  readonly outside: readonly string[];
  /** Closed blocks, in order. */
  readonly blocks: readonly Block[];
}

/** Opening or closing fence: up to three spaces, three or more of one mark, then an info string. */
const fence = /^ {0,3}(`{3,}|~{3,})(.*)$/;

/** Line numbers of the opening and closing fence. `to` is absent for a block that is never closed. */
interface Span {
  readonly from: number;
  readonly to?: number;
  readonly info: string;
}

/**
 * Splits a Markdown text at its code fences. A block that is never closed extends to the end and is not returned. Never
 * throws. A fence with an info string inside an open block is ambiguous: it is quoted there, or the beginning of the
 * text was cut off inside an earlier block. A block counts only if both readings contain it, and a line is outside only
 * if neither reading has it in a closed block: quoted text never takes effect.
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

/** Marks the lines of closed blocks in either reading, and those after a fence that stays open in both. */
function hiddenBy(count: number, ...readings: readonly (readonly Span[])[]): Uint8Array {
  const hidden = new Uint8Array(count);
  let openFrom = 0;
  for (const spans of readings) {
    for (const { from, to } of spans) if (to !== undefined) hidden.fill(1, from, to + 1);
    const last = spans.at(-1);
    const open = last !== undefined && last.to === undefined ? last.from : count;
    // The fence itself is never prose.
    hidden.fill(1, open, open + 1);
    openFrom = Math.max(openFrom, open);
  }
  return hidden.fill(1, openFrom);
}

/** Outermost blocks in order; the last may be open. `restart` ends a block where another one opens inside it. */
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
  // Backticks followed by more backticks are inline code.
  if (marks.startsWith('`') && info.includes('`')) return undefined;
  return { marks, info: info.trim() };
}

/** True if the marks are the same character and at least as long as the opening ones. */
function reaches(marks: string, opening: string): boolean {
  return marks[0] === opening[0] && marks.length >= opening.length;
}

/**
 * Returns a function that takes a text line by line and tells whether each line is inside a fenced block, the closing
 * fence included. Indented blocks need their lines trimmed.
 */
export function fenceTracker(): (line: string) => boolean {
  let open: string | undefined;
  return (line) => {
    const isInside = open !== undefined;
    const mark = markIn(line);
    if (open === undefined) open = mark?.marks;
    else if (mark?.info === '' && reaches(mark.marks, open)) open = undefined;
    return isInside;
  };
}

/** Blocks whose info string begins with this word. */
export function blocksNamed(blocks: readonly Block[], name: string): readonly Block[] {
  return blocks.filter(({ info }) => info.split(/\s/, 1)[0] === name);
}
