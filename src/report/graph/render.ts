import type { Style } from '../style.ts';
import { ascii } from './ascii.ts';
import { dot } from './dot.ts';
import type { Drawing } from './drawing.ts';
import { mermaid } from './mermaid.ts';

export type GraphFormat = 'ascii' | 'mermaid' | 'dot';

/** The format a file's name asks for. */
export function formatFor(file: string): GraphFormat {
  if (/\.(?:dot|gv)$/i.test(file)) return 'dot';
  return /\.(?:md|markdown|mmd|mermaid)$/i.test(file) ? 'mermaid' : 'ascii';
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
