import { blocksNamed, fenced } from '../document/fences.ts';
import { type FoundNote, noteKinds, noteLimits } from '../model/note.ts';
import { parseJson } from '../model/shape.ts';

export const noteBlock = 'note';

/**
 * Notes in an agent's message: a fenced block with one JSON object, or an array of them. Entries without a known kind
 * and a text, and invalid fields, are dropped. Never throws.
 */
export function notesIn(text: string): readonly FoundNote[] {
  const found = blocksNamed(fenced(text).blocks, noteBlock).flatMap(({ text: json }) => {
    const value = parseJson(json);
    const items: readonly unknown[] = Array.isArray(value) ? value : [value];
    return items.flatMap(noteOf);
  });
  return found.slice(0, noteLimits.perTurn);
}

function noteOf(item: unknown): readonly FoundNote[] {
  if (typeof item !== 'object' || item === null) return [];
  const fields: Readonly<Record<string, unknown>> = { ...item };
  const kind = noteKinds.find((known) => known === fields.kind);
  const text = typeof fields.text === 'string' ? fields.text.trim() : '';
  if (kind === undefined || text === '') return [];
  const { supersedes: old } = fields;
  const supersedes = typeof old === 'number' && Number.isInteger(old) && old > 0 ? old : undefined;
  return [{ kind, text: text.slice(0, noteLimits.chars), supersedes }];
}
