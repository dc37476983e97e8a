/** Control and format characters and lone surrogates: invisible, and some reverse the text. */
const invisible = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;
const invisibleButLines = /[^\P{Cc}\n\t]|[\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/** Cuts a text to `chars` characters with an ellipsis, without half a character at the end. */
export function shortened(text: string, chars: number): string {
  if (text.length <= chars) return text;
  return `${text.slice(0, Math.max(0, chars - 1)).replace(/[\uD800-\uDBFF]$/, '')}…`;
}

/** One line of foreign text; not safe for Markdown by itself. */
export function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').replace(invisible, '').trim();
}

/** Foreign text as inline code: no mentions, references, links or markup, and no backtick in it ends the code. */
export function inCode(text: string): string {
  const line = withShortRuns(oneLine(text));
  if (line === '') return '` `';
  const marks = '`'.repeat(longestRun(line) + 1);
  return marks.length === 1 ? `\`${line}\`` : `${marks} ${line} ${marks}`;
}

/** Foreign text as a code block that it cannot close. */
export function inBlock(text: string): string {
  const lines = withShortRuns(text.replace(/\r\n?/g, '\n').replace(invisibleButLines, ''));
  const marks = '`'.repeat(Math.max(3, longestRun(lines) + 1));
  return `${marks}text\n${lines.replace(/^\n+|\s+$/g, '')}\n${marks}`;
}

/** Longest run of backticks that is kept; the fence must be longer. */
const runMax = 20;

function withShortRuns(text: string): string {
  return text.replace(/`{20,}/g, '`'.repeat(runMax));
}

function longestRun(text: string): number {
  return (text.match(/`+/g) ?? []).reduce((longest, run) => Math.max(longest, run.length), 0);
}
