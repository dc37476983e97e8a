import type { LearnedFiles } from '../model/forecast.ts';
import type { Task } from '../model/task.ts';
import { artifactsOf } from './mentions.ts';

/** A landed task and the files that its work changed. */
interface PastChange {
  readonly task: Task;
  readonly files: readonly string[];
}

/** Things seen together that a rule needs, their share, and how much more often than by chance. */
const seenMin = 2;
const shareMin = 0.5;
const liftMin = 1.5;

/** Files of one rule, and characters of each table: settings of a run are written often. */
const filesPerRule = 4;
const tableChars = 5_000;

/** Changes of more files than this are ignored: they are weak evidence for any pair of files. */
const filesPerChange = 30;

/** Files and folders that are kept of one prediction. */
const predictedMax = 60;

/** Words of a task that are compared with those of others: its type, labels and title. */
const wordsMax = 24;

/**
 * Learns which files go with the words of a task, and which files go with each other. A file that changes nearly always,
 * such as a changelog, goes with nothing: it would make all tasks overlap, so that none could be preferred.
 */
export function learnFiles(
  past: readonly PastChange[],
  commits: readonly (readonly string[])[],
): LearnedFiles | undefined {
  const byWord = rulesOf(past.map(({ task, files }) => ({ causes: wordsOf(task), files })));
  const together = rulesOf(commits.map((files) => ({ causes: files, files })));
  const isEmpty = Object.keys(byWord).length + Object.keys(together).length === 0;
  return isEmpty ? undefined : { byWord, together };
}

interface Seen {
  readonly causes: readonly string[];
  readonly files: readonly string[];
}

/** For each cause the files that mostly come with it, those with the most evidence first. */
function rulesOf(all: readonly Seen[]): Readonly<Record<string, readonly string[]>> {
  const small = all.filter(({ files }) => files.length <= filesPerChange);
  const seen = new Map<string, { count: number; readonly files: Map<string, number> }>();
  const filesSeen = new Map<string, number>();
  for (const { causes, files } of small) {
    for (const file of files) filesSeen.set(file, (filesSeen.get(file) ?? 0) + 1);
    for (const cause of causes) {
      const known = seen.get(cause) ?? { count: 0, files: new Map<string, number>() };
      seen.set(cause, known);
      known.count += 1;
      for (const file of files) {
        if (file !== cause) known.files.set(file, (known.files.get(file) ?? 0) + 1);
      }
    }
  }
  const rules = [...seen].flatMap(([cause, { count, files }]) => {
    const found = [...files]
      .filter(([file, times]) => {
        const byChance = (filesSeen.get(file) ?? 0) / small.length;
        const share = times / count;
        return times >= seenMin && share >= shareMin && share >= liftMin * byChance;
      })
      .sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1))
      .slice(0, filesPerRule);
    return found.length === 0 ? [] : [{ cause, count, files: found.map(([file]) => file) }];
  });
  const kept: [string, readonly string[]][] = [];
  let left = tableChars;
  for (const { cause, files } of rules.sort((a, b) => b.count - a.count)) {
    left -= cause.length + files.join().length + 8;
    if (left < 0) break;
    kept.push([cause, files]);
  }
  return Object.fromEntries(kept);
}

/**
 * Files and folders that a task will probably change: those it names, those that tasks with its words changed, and those
 * that change together with them. A folder ends with a slash.
 */
export function predictedFiles(task: Task, learned: LearnedFiles | undefined): readonly string[] {
  const found = new Set(artifactsOf(task).slice(0, predictedMax));
  if (learned === undefined) return [...found];
  for (const word of wordsOf(task)) for (const file of rule(learned.byWord, word)) found.add(file);
  for (const file of [...found]) for (const other of rule(learned.together, file)) found.add(other);
  return [...found].slice(0, predictedMax);
}

/** Reads own keys only: a word such as `constructor` is not a rule. */
function rule(table: LearnedFiles['byWord'], cause: string): readonly string[] {
  return Object.hasOwn(table, cause) ? (table[cause] ?? []) : [];
}

function wordsOf({ type, labels, title }: Task): readonly string[] {
  const words = title.toLowerCase().match(/[\p{L}\p{N}_-]{4,}/gu) ?? [];
  const all = [`type:${type}`, ...labels.map((label) => `label:${label}`), ...words];
  return [...new Set(all)].slice(0, wordsMax);
}
