import { visible } from '../../model/visible.ts';

const codes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Text of HTML, SVG or an attribute in quotes: never markup, with control characters visible. */
export function escaped(text: string): string {
  return visible(text).replace(/[&<>"']/g, (char) => codes[char] ?? '');
}
