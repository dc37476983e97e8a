import type { Style } from '../format/style.ts';
import { escaped } from '../html/escape.ts';
import { figure, page } from '../html/page.ts';
import { ascii } from './ascii.ts';
import type { Drawing } from './drawing.ts';
import { dot, mermaid } from './markup.ts';
import { svg } from './svg.ts';

const formats = {
  ascii: ['txt', undefined],
  mermaid: ['md', 'markdown', 'mmd', 'mermaid'],
  dot: ['dot', 'gv'],
  svg: ['svg'],
  html: ['html', 'htm'],
} as const satisfies Readonly<Record<string, readonly (string | undefined)[]>>;

export type GraphFormat = keyof typeof formats;
const graphFormats = Object.keys(formats) as readonly GraphFormat[];

/** The format of a file by the ending of its name; none for an unknown ending. */
export function formatFor(file: string): GraphFormat | undefined {
  const ending = /[^/]\.(\w+)$/.exec(file)?.[1]?.toLowerCase();
  return graphFormats.find((format) => formats[format].some((one) => one === ending));
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
    case 'svg':
      return svg(drawing);
    case 'html':
      return page(drawing.title, [`<h1>${escaped(drawing.title)}</h1>`, figure(svg(drawing))]);
  }
}
