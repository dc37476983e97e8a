import { limits } from '../model/limits.ts';
import type { LineComment } from './action.ts';

/** Comments on lines of a diff as one message to the agent that wrote it, by file and line. */
export function commentText(comments: readonly LineComment[], general = ''): string {
  const sorted = comments.toSorted((a, b) => a.path.localeCompare(b.path) || a.line - b.line);
  const parts = sorted.map(({ path, line, side, code, text }) => {
    const place = `${path}:${line}${side === 'old' ? ' (line that was removed)' : ''}`;
    return `${place}\n> ${oneLine(code)}\n${text.trim()}`;
  });
  const opening = general.trim() === '' ? [] : [general.trim()];
  return [...opening, ...parts].join('\n\n').slice(0, limits.bodyChars);
}

const codeChars = 200;

function oneLine(code: string): string {
  return code.replaceAll(/[\r\n]+/g, ' ').slice(0, codeChars);
}
