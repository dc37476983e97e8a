/**
 * The line of the first conflict as git writes it: an opening, a middle and a closing marker, in this order, each at the
 * start of a line. Undefined where there is none.
 */
export function conflictLine(text: string): number | undefined {
  const found = /^<{7} \S[\s\S]*?^={7}\r?$[\s\S]*?^>{7} \S/m.exec(text);
  return found === null ? undefined : text.slice(0, found.index).split('\n').length;
}

/** True for files that may well show what a conflict looks like. */
export function isDocumentation(file: string): boolean {
  return /\.(?:md|markdown|rst|txt|adoc)$/i.test(file);
}
