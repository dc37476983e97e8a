import { blocksNamed, fenced } from '../document/fences.ts';
import { parseJson } from '../model/json.ts';
import type { TaskId } from '../model/task.ts';
import { idsAmong } from './signal.ts';

const name = 'next_iteration';
const opening = `<${name}>`;
const closing = `</${name}>`;

/**
 * Tasks that an agent suggests to run next, in parallel. Undefined if it made no readable suggestion; empty if it
 * suggested nothing. The first fenced block with a JSON array of ids counts; without one, the first `<next_iteration>`
 * element with comma-separated ids. Words that are not ids are skipped. Never throws.
 */
export function nextIn(text: string): readonly TaskId[] | undefined {
  const { outside, blocks } = fenced(text);
  const [block] = blocksNamed(blocks, name);
  if (block === undefined) return inElement(outside);
  const value = parseJson(block.text);
  if (!Array.isArray(value)) return undefined;
  return idsAmong(value.filter((item) => typeof item === 'string'));
}

/** The tags must be at the start and at the end of a line, so that a quote inside a sentence does not count. */
function inElement(lines: readonly string[]): readonly TaskId[] | undefined {
  const first = lines.findIndex((line) => line.startsWith(opening));
  if (first === -1) return undefined;
  const last = lines.findIndex((line, at) => at >= first && line.includes(closing));
  if (last === -1 || !lines[last]?.endsWith(closing)) return undefined;
  const content = lines
    .slice(first, last + 1)
    .join('\n')
    .slice(opening.length, -closing.length);
  return idsAmong(content.split(','));
}
