import type { TaskId } from '../model/task.ts';
import { blocksNamed, fenced, jsonIn } from './fences.ts';
import { idsAmong } from './signal.ts';

const name = 'next_iteration';
const opening = `<${name}>`;
const closing = `</${name}>`;

/**
 * The tasks that an agent thinks should be worked on next, side by side. Undefined: it did not say, or not so that it can
 * be understood. Empty: it said that nothing should be. The first block in a fence counts, with a JSON array of ids;
 * without one the first element, with ids between commas. Words that cannot be an id are passed over. Never throws.
 */
export function nextIn(text: string): readonly TaskId[] | undefined {
  const { outside, blocks } = fenced(text);
  const [block] = blocksNamed(blocks, name);
  if (block === undefined) return inElement(outside);
  const value = jsonIn(block.text);
  if (!Array.isArray(value)) return undefined;
  return idsAmong(value.filter((item) => typeof item === 'string'));
}

/** An element begins with its line and ends with one, so that one that is quoted in a sentence is none. */
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
