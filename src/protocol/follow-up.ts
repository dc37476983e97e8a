import { blocksNamed, fenced } from '../document/fences.ts';
import { limits } from '../model/limits.ts';
import { parseJson } from '../model/shape.ts';
import {
  defaultPriority,
  defaultType,
  followUpPrefix,
  freeId,
  idFromTitle,
  newTask,
  type Priority,
  type Task,
  type TaskId,
} from '../model/task.ts';
import type { FollowUp } from '../model/turn.ts';
import { idsAmong } from './signal.ts';

export const followUpBlock = 'follow_up';

/** A type is used in tables and in the config, so it is one word. */
const typePattern = /^[A-Za-z][\w-]{0,39}$/;

/**
 * Follow-up tasks in an agent's message: a fenced block with a JSON array of titles, or of objects with a title.
 * Entries without a title and invalid fields are dropped. Never throws.
 */
export function followUpsIn(text: string): readonly FollowUp[] {
  const found = blocksNamed(fenced(text).blocks, followUpBlock).flatMap(({ text: json }) => {
    const value = parseJson(json);
    const items: readonly unknown[] = Array.isArray(value) ? value : [value];
    return items.flatMap(followUpOf);
  });
  return found.slice(0, limits.followUpsPerTurn);
}

function followUpOf(item: unknown): readonly FollowUp[] {
  const fields: Readonly<Record<string, unknown>> =
    typeof item === 'object' && item !== null ? { ...item } : { title: item };
  const title = titleOf(fields.title);
  if (title === '') return [];
  const { body, type, priority } = fields;
  const hasBody = typeof body === 'string' && body.trim() !== '';
  return [
    {
      title,
      body: hasBody ? body.slice(0, limits.bodyChars) : undefined,
      type: typeof type === 'string' && typePattern.test(type) ? type : undefined,
      priority: priorityOf(priority),
    },
  ];
}

function titleOf(value: unknown): string {
  if (typeof value !== 'string') return '';
  return value.replace(/\s+/g, ' ').trim().slice(0, limits.titleChars).trimEnd();
}

/** Accepts 0 to 4 and P0 to P4. */
function priorityOf(value: unknown): Priority | undefined {
  const [, digit] = /^P?([0-4])$/i.exec(String(value)) ?? [];
  return digit === undefined ? undefined : (Number(digit) as Priority);
}

export function followUpLabel(of: Task): string {
  return `${followUpPrefix}${of.id}`;
}

/**
 * Makes the task for a follow-up. It waits for the task it came from, because it builds on its work, and stays in the
 * same epics. `taken` holds the ids in use, in lower case.
 */
export function followUpTask(found: FollowUp, of: Task, taken: ReadonlySet<string>): Task {
  const { title, body = '', type = defaultType, priority = defaultPriority } = found;
  return newTask({
    id: freeId(idFromTitle(title) || `${idFromTitle(of.id) || 'task'}-follow-up`, taken),
    title,
    body,
    after: [of.id],
    priority: priority as Priority,
    type,
    parent: of.parent,
    labels: [...of.labels.filter((label) => label.startsWith('epic:')), followUpLabel(of)],
  });
}

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
