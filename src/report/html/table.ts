import { escaped } from './escape.ts';

interface HtmlColumn {
  readonly title: string;
  readonly isNumber?: boolean;
}

/** A table of text. The last row is the sum of the others if `hasTotals`. */
export function htmlTable(
  columns: readonly HtmlColumn[],
  rows: readonly (readonly string[])[],
  { hasTotals = false }: { readonly hasTotals?: boolean } = {},
): string {
  const kind = (at: number): string => (columns[at]?.isNumber === true ? ' class="n"' : '');
  const head = columns.map(({ title }, at) => `<th${kind(at)}>${escaped(title)}</th>`).join('');
  const body = rows.map((cells, row) => {
    const all = hasTotals && row === rows.length - 1 ? ' class="all"' : '';
    return `<tr${all}>${cells.map((cell, at) => `<td${kind(at)}>${escaped(cell)}</td>`).join('')}</tr>`;
  });
  return `<div class="scroll" tabindex="0"><table><thead><tr>${head}</tr></thead><tbody>${body.join('\n')}</tbody></table></div>`;
}

/** A part that opens on a click. */
export function details(summary: string, body: readonly string[]): string {
  return `<details><summary>${escaped(summary)}</summary>\n${body.join('\n')}\n</details>`;
}

interface Cut {
  readonly text: string;
  /** Bytes of it that are missing. */
  readonly leftOut: number;
}

/** Text as it is, and a line that says how much of it is left out. */
export function textBlock({ text, leftOut }: Cut): string {
  return block(escaped(text), leftOut);
}

/** A box that scrolls, so it must be reachable by keyboard. */
function block(html: string, leftOut: number): string {
  const more = `<p class="warn">${leftOut.toLocaleString('en-US')} more bytes are left out.</p>`;
  return `<pre tabindex="0">${html}</pre>${leftOut === 0 ? '' : more}`;
}

/** A unified diff with colored lines. */
export function diffBlock({ text, leftOut }: Cut): string {
  const lines = text.split('\n').map((line) => {
    const kind = /^(?:\+\+\+|---|diff |index )/.test(line)
      ? 'dim'
      : line.startsWith('@@')
        ? 'hunk'
        : line.startsWith('+')
          ? 'add'
          : line.startsWith('-')
            ? 'del'
            : '';
    return kind === '' ? escaped(line) : `<span class="${kind}">${escaped(line)}</span>`;
  });
  return block(lines.join('\n'), leftOut);
}
