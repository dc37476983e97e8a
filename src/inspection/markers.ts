/**
 * True if a text holds a conflict as git writes it: an opening, a middle and a closing marker, in this order, each at
 * the start of a line.
 */
export function hasConflictMarkers(text: string): boolean {
  return /^<{7} \S[\s\S]*?^={7}\r?$[\s\S]*?^>{7} \S/m.test(text);
}
