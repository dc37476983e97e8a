/** Control and format characters, lone halves of pairs: nothing that a reader sees, and some turn text round. */
const invisible = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;
const invisibleButLines = /[^\P{Cc}\n\t]|[\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/** At most `chars` of a text, without half a character at its end; an ellipsis says that something is missing. */
export function shortened(text: string, chars: number): string {
  if (text.length <= chars) return text;
  return `${text.slice(0, Math.max(0, chars - 1)).replace(/[\uD800-\uDBFF]$/, '')}…`;
}

/** Text of others on one line. It is not made safe for Markdown. */
export function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').replace(invisible, '').trim();
}

/**
 * Text of others within a line, as code: no mention, no reference, no link and no markup comes of it, and no back-tick
 * in it ends it.
 */
export function inCode(text: string): string {
  const line = withShortRuns(oneLine(text));
  if (line === '') return '` `';
  const marks = '`'.repeat(longestRun(line) + 1);
  return marks.length === 1 ? `\`${line}\`` : `${marks} ${line} ${marks}`;
}

/** Text of others as a block that it cannot leave. */
export function inBlock(text: string): string {
  const lines = withShortRuns(text.replace(/\r\n?/g, '\n').replace(invisibleButLines, ''));
  const marks = '`'.repeat(Math.max(3, longestRun(lines) + 1));
  return `${marks}text\n${lines.replace(/^\n+|\s+$/g, '')}\n${marks}`;
}

/** A longer run of back-ticks is nobody's text, and what encloses it would be as long. */
const runMax = 20;

function withShortRuns(text: string): string {
  return text.replace(/`{20,}/g, '`'.repeat(runMax));
}

function longestRun(text: string): number {
  return (text.match(/`+/g) ?? []).reduce((longest, run) => Math.max(longest, run.length), 0);
}
