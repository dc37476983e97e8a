import type { Style } from '../format/style.ts';
import { ascii } from './ascii.ts';
import { dot } from './dot.ts';
import type { Drawing } from './drawing.ts';
import { mermaid } from './mermaid.ts';

export type GraphFormat = 'ascii' | 'mermaid' | 'dot';

/** The format a file's name asks for, or none where its ending promises something that is not made here. */
export function formatFor(file: string): GraphFormat | undefined {
  const [, ending] = /[^/]\.(\w+)$/.exec(file) ?? [];
  switch (ending?.toLowerCase()) {
    case 'dot':
    case 'gv':
      return 'dot';
    case 'md':
    case 'markdown':
    case 'mmd':
    case 'mermaid':
      return 'mermaid';
    case 'txt':
    case undefined:
      return 'ascii';
    default:
      return undefined;
  }
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
