/**
 * Line number of the first conflict: opening, middle and closing marker in order, each at the start of a line.
 * Undefined if there is none.
 */
export function conflictLine(text: string): number | undefined {
  const found = /^<{7} \S[\s\S]*?^={7}\r?$[\s\S]*?^>{7} \S/m.exec(text);
  return found === null ? undefined : text.slice(0, found.index).split('\n').length;
}

/** Line number of the first conflict marker, or part of one, that neither side contains. */
export function leftoverLine(text: string, sides: readonly string[]): number | undefined {
  const known = new Set(sides.flatMap(linesOf));
  const at = linesOf(text).findIndex((line) => isMarker(line) && !known.has(line));
  return at === -1 ? undefined : at + 1;
}

const isMarker = (line: string): boolean => /^(?:<{7}|\|{7}|>{7})(?: |$)|^={7}$/.test(line);
const linesOf = (text: string): readonly string[] => text.split(/\r?\n/);

/** True for documents, which may show conflict markers on purpose. */
export function isDocumentation(file: string): boolean {
  return /\.(?:md|markdown|rst|txt|adoc)$/i.test(file);
}
