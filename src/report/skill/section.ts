import { hashOf } from '../../model/hash.ts';

/*
 * A section of ours in a file of a person. Its first mark holds a fingerprint of its text, so that a change by hand is
 * noticed.
 */

const pattern = /<!-- yardmaster:begin ([0-9a-f]+) -->\n([\s\S]*?)<!-- yardmaster:end -->\n?/;

const fingerprint = (text: string): string => hashOf(text.trim()).toString(16);

export function hasSection(text: string): boolean {
  return pattern.test(text);
}

/** True if someone else wrote into the section. */
export function editedSection(text: string): boolean {
  const [, mark, inside = ''] = pattern.exec(text) ?? [];
  return mark !== undefined && mark !== fingerprint(inside);
}

/** The text with this section: in the place of an earlier one, else at the end. */
export function withSection(text: string, section: string): string {
  const marked = `<!-- yardmaster:begin ${fingerprint(section)} -->\n${section}<!-- yardmaster:end -->\n`;
  if (pattern.test(text)) return text.replace(pattern, () => marked);
  const gap = text === '' ? '' : text.endsWith('\n') ? '\n' : '\n\n';
  return `${text}${gap}${marked}`;
}

/** The text without the section, as it was before. */
export function withoutSection(text: string): string {
  const found = pattern.exec(text);
  if (found === null) return text;
  const before = text.slice(0, found.index).replace(/\n\n$/, '\n');
  return before + text.slice(found.index + found[0].length);
}
