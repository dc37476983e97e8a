import type { Task } from '../../model/task.ts';
import { cut } from '../format/layout.ts';

/** Effects of an import, for people and programs; long values are shortened. */
interface ImportDiff {
  readonly added: readonly AddedTask[];
  readonly changed: readonly { readonly id: string; readonly keys: readonly KeyChange[] }[];
  readonly canceled: readonly { readonly id: string; readonly reason: string }[];
}

interface AddedTask {
  readonly id: string;
  readonly title: string;
  /** Whole, because a wait may be a command that runs without a sandbox. */
  readonly wait: readonly string[];
}

interface KeyChange {
  readonly key: string;
  readonly from: string;
  readonly to: string;
}

interface ChangedTask {
  readonly id: string;
  readonly keys: readonly { readonly key: string; readonly from: unknown; readonly to: unknown }[];
}

const valueChars = 200;

export function importDiff(
  added: readonly Task[],
  changed: readonly ChangedTask[],
  canceled: ImportDiff['canceled'] = [],
): ImportDiff {
  return {
    canceled,
    added: added.map(({ id, title, wait = [] }) => ({ id, title, wait })),
    changed: changed.map(({ id, keys }) => ({
      id,
      keys: keys.map(({ key, from, to }) => {
        const [left, right] = key === 'body' ? firstDifference(from, to) : [from, to];
        return { key, from: textOf(left), to: textOf(right) };
      }),
    })),
  };
}

/** The first lines of two bodies that differ: the rest of a long text tells nothing. */
function firstDifference(from: unknown, to: unknown): readonly [string, string] {
  const [left, right] = [String(from).split('\n'), String(to).split('\n')];
  const end = Math.max(left.length, right.length);
  for (let at = 0; at < end; at += 1) {
    if (left[at] !== right[at]) return [left[at] ?? '', right[at] ?? ''];
  }
  return ['', ''];
}

function textOf(value: unknown): string {
  if (value === undefined || value === '') return 'none';
  if (Array.isArray(value)) return value.length === 0 ? 'none' : bounded(value.join(', '));
  return bounded(String(value));
}

const bounded = (text: string): string =>
  text.length > valueChars ? `${text.slice(0, valueChars)}…` : text;

const tasksShown = 200;

/** One line for each new task and each of its waits, one for each changed key, and one for each canceled task. */
export function importDiffText(
  { added, changed, canceled }: ImportDiff,
  width: number,
): readonly string[] {
  const lines = [
    ...added.flatMap(({ id, title, wait }) => [
      cut(`+ ${id}  ${title}`, width),
      ...wait.map((one) => `+ ${id}  wait: ${one}`),
    ]),
    ...changed.flatMap(({ id, keys }) =>
      keys.map(({ key, from, to }) => cut(`~ ${id}  ${key}: ${from} → ${to}`, width)),
    ),
    ...canceled.map(({ id, reason }) => cut(`- ${id}  canceled: ${reason}`, width)),
  ];
  const shown = lines.slice(0, tasksShown);
  const rest = lines.length - shown.length;
  return rest > 0 ? [...shown, `… and ${rest} more lines; --json has all of them`] : shown;
}
