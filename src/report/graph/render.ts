import type { Style } from '../format/style.ts';
import { ascii } from './ascii.ts';
import type { Drawing } from './drawing.ts';
import { dot, mermaid } from './markup.ts';

const formats = {
  ascii: ['txt', undefined],
  mermaid: ['md', 'markdown', 'mmd', 'mermaid'],
  dot: ['dot', 'gv'],
} as const satisfies Readonly<Record<string, readonly (string | undefined)[]>>;

export type GraphFormat = keyof typeof formats;

/** The format of a file by the ending of its name; none for an unknown ending. */
export function formatFor(file: string): GraphFormat | undefined {
  const ending = /[^/]\.(\w+)$/.exec(file)?.[1]?.toLowerCase();
  const all: readonly GraphFormat[] = ['ascii', 'mermaid', 'dot'];
  return all.find((format) => formats[format].some((one) => one === ending));
}

/** The text of a drawing; for a Markdown file in a fenced block. */
export function render(
  drawing: Drawing,
  format: GraphFormat,
  style: Style,
  width: number,
  file?: string,
): string {
  const text = textOf(drawing, format, style, width);
  if (file === undefined || !/\.(?:md|markdown)$/i.test(file)) return text;
  const language = format === 'ascii' ? 'text' : format;
  return `\`\`\`${language}\n${text}\`\`\`\n`;
}

function textOf(drawing: Drawing, format: GraphFormat, style: Style, width: number): string {
  switch (format) {
    case 'ascii':
      return `${ascii(drawing, style, width).join('\n')}\n`;
    case 'mermaid':
      return mermaid(drawing);
    case 'dot':
      return dot(drawing);
  }
}
