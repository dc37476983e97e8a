/**
 * The line of the first conflict as git writes it: an opening, a middle and a closing marker, in this order, each at the
 * start of a line. Undefined where there is none.
 */
export function conflictLine(text: string): number | undefined {
  const found = /^<{7} \S[\s\S]*?^={7}\r?$[\s\S]*?^>{7} \S/m.exec(text);
  return found === null ? undefined : text.slice(0, found.index).split('\n').length;
}

/** The first line of a file that was in conflict which is a marker, or the rest of one, and which no side of it has. */
export function leftoverLine(text: string, sides: readonly string[]): number | undefined {
  const known = new Set(sides.flatMap(linesOf));
  const at = linesOf(text).findIndex((line) => isMarker(line) && !known.has(line));
  return at === -1 ? undefined : at + 1;
}

const isMarker = (line: string): boolean => /^(?:<{7}|\|{7}|>{7})(?: |$)|^={7}$/.test(line);
const linesOf = (text: string): readonly string[] => text.split(/\r?\n/);

/** True for files that may well show what a conflict looks like. */
export function isDocumentation(file: string): boolean {
  return /\.(?:md|markdown|rst|txt|adoc)$/i.test(file);
}
