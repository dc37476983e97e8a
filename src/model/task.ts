import { Attempts, choice } from './best-of.ts';
import { Owner } from './run.ts';
import {
  count,
  names,
  type Of,
  object,
  optional,
  ordinal,
  text,
  time,
  union,
  words,
} from './shape.ts';

/**
 * Latin spelling of letters that Unicode normalization does not decompose, and of German umlauts. Cyrillic and Greek
 * follow common practice in file names, not a standard.
 */
const spellings = `
  ä=ae ö=oe ü=ue ß=ss æ=ae œ=oe ø=o å=a ł=l đ=d ð=d þ=th ħ=h ı=i ŋ=ng
  а=a б=b в=v г=g д=d е=e ё=yo ж=zh з=z и=i й=y к=k л=l м=m н=n о=o п=p р=r с=s т=t у=u
  ф=f х=kh ц=ts ч=ch ш=sh щ=shch ъ= ы=y ь= э=e ю=yu я=ya є=ye і=i ї=yi ґ=g ў=u ђ=dj ј=j
  љ=lj њ=nj ћ=c џ=dz ѓ=gj ќ=kj ѕ=dz
  α=a β=v γ=g δ=d ε=e ζ=z η=i θ=th ι=i κ=k λ=l μ=m ν=n ξ=x ο=o π=p ρ=r σ=s ς=s τ=t υ=y φ=f
  χ=ch ψ=ps ω=o
`;

const table = new Map(
  spellings
    .trim()
    .split(/\s+/)
    .map((pair): [string, string] => {
      const [letter = '', latin = ''] = pair.split('=');
      return [letter, latin];
    }),
);

/** Returns the text in lower-case Latin letters where possible; other characters stay. */
function transliterate(text: string): string {
  const small = text.normalize('NFKC').toLowerCase();
  const written = [...small].map((letter) => table.get(letter) ?? letter).join('');
  const bare = written.normalize('NFKD').replace(/\p{M}/gu, '');
  // Accented Greek letters match the table only after the accent is removed.
  return [...bare].map((letter) => table.get(letter) ?? letter).join('');
}

/** Unique within a project. `isTaskId` allows only characters that are safe in refs, file names and shells. */
export type TaskId = string;

/** 0 is most urgent. */
export const Priority = words(0, 1, 2, 3, 4);
export type Priority = Of<typeof Priority>;

/** One unit of work, as its source defines it. Does not change while an attempt is live. */
export const Task = object({
  id: text,
  title: text,
  /** What to do and when it is done; passed to the agent verbatim. */
  body: text,
  /** Tasks that must have landed (or been skipped) before this one may start. */
  after: names,
  priority: Priority,
  type: text,
  labels: names,
  /** Globs of files it is expected to change. Binding if `scope` is `strict`, otherwise a prediction. */
  paths: names,
  scope: words('predicted', 'strict'),
  /** Further gate commands for this task. */
  checks: names,
  /** Conditions that are true when it is done; part of the prompt and of reviews. */
  acceptance: names,
  /** Agent profile; the run's default if absent. */
  agent: optional(text),
  /** Epic that it belongs to. The epic has it in its `after`. */
  parent: optional(text),
  difficulty: optional(words('easy', 'medium', 'hard')),
  /** Conditions outside of the project that it waits for, as `model/wait.ts` reads them; absent without any. */
  wait: optional(names),
  /** Tasks in `after` that a person added with `ym plan --apply`. An import keeps them. */
  applied: optional(names),
  /** Tasks whose found dependency a person rejected with `ym plan --reject`, in either direction. An import keeps them. */
  rejected: optional(names),
  /** Expected time of an agent, as a duration such as 30m. */
  estimate: optional(text),
  /** Place where people find it, for example the URL of an issue. */
  link: optional(text),
  /** Attempts that work side by side; what the config says if absent. */
  attempts: optional(Attempts),
  /** Task of which this one is a variant: another try at the same work, side by side. */
  variantOf: optional(text),
  /** File or folder it was imported from, relative to the repository; absent for tasks from elsewhere. */
  source: optional(text),
});
export type Task = Of<typeof Task>;

/** Type of a task that only holds other tasks together. No agent works on it; it is done when they are. */
export const epicType = 'epic';

/** True if counts of tasks include it. A variant is a part of its task, and an epic is a heading of its tasks. */
export function isCounted({ type, variantOf }: Pick<Task, 'type' | 'variantOf'>): boolean {
  return type !== epicType && variantOf === undefined;
}

export const defaultPriority: Priority = 2;
export const defaultType = 'task';

/** A task with the defaults of everything that is not given. */
export function newTask(given: Pick<Task, 'id' | 'title'> & Partial<Task>): Task {
  const none: readonly never[] = [];
  return {
    body: '',
    after: none,
    priority: defaultPriority,
    type: defaultType,
    labels: none,
    paths: none,
    scope: 'predicted',
    checks: none,
    acceptance: none,
    ...given,
  };
}

const idChars = 80;

/** Shown to users whose task id is invalid. */
export const idRule =
  'Use letters a to z, digits, ".", "_" and "-", beginning with a letter or a digit, at most 80 characters.';

/**
 * Returns the rule that an id breaks, as a sentence; undefined for a valid id. Ids become part of branch names,
 * folder names and shell variables, so only characters without special meaning are allowed.
 */
export function idProblem(text: string): string | undefined {
  if (text === '') return 'An id has at least one character.';
  if (text.length > idChars)
    return `It has ${text.length} characters; at most ${idChars} are allowed.`;
  const [wrong] = text.match(/[^A-Za-z0-9._-]/u) ?? [];
  if (wrong !== undefined) return `${shown(wrong)} is not allowed in an id.`;
  if (!/^[A-Za-z0-9]/.test(text))
    return `It begins with "${text[0]}"; begin with a letter or a digit.`;
  if (text.includes('..')) return 'It has ".." in it, which git does not allow in a branch.';
  if (text.endsWith('.')) return 'It ends with ".", which git does not allow in a branch.';
  if (/\.lock$/i.test(text)) return 'It ends with ".lock", which git does not allow in a branch.';
  return undefined;
}

function shown(char: string): string {
  return char === ' ' ? 'A space' : JSON.stringify(char);
}

export function isTaskId(text: string): boolean {
  return idProblem(text) === undefined;
}

/** Derives the id of a task without one. Empty if the title has no letter or digit that can be transliterated. */
export function idFromTitle(title: string): TaskId {
  return transliterate(title)
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 48)
    .replace(/^-+|-+$/g, '');
}

export function freeId(wanted: TaskId, taken: ReadonlySet<TaskId>): TaskId {
  if (!taken.has(wanted)) return wanted;
  for (let n = 2; ; n += 1) if (!taken.has(`${wanted}-${n}`)) return `${wanted}-${n}`;
}

/** Label prefix of a task filed by the agent of another task, followed by the id of that task. */
export const followUpPrefix = 'follow-up-of:';

/** Id of the task whose agent filed this one, if any. */
export function followedUpBy({ labels }: Pick<Task, 'labels'>): TaskId | undefined {
  return labels.find((label) => label.startsWith(followUpPrefix))?.slice(followUpPrefix.length);
}

const neededPrefix = 'needs:';

/** Labels that a worker must have to take the task: `gpu` for the label `needs:gpu`. */
export function neededLabels({ labels }: Pick<Task, 'labels'>): readonly string[] {
  const needs = labels.filter((label) => label.startsWith(neededPrefix));
  return needs.map((label) => label.slice(neededPrefix.length));
}

export const PromptMessage = object({
  text,
  /** The agent's question that it answers; absent for a message of `ym tell`. */
  question: optional(text),
});
export type PromptMessage = Of<typeof PromptMessage>;

export const Message = object({
  /** Sequence number of its event. */
  seq: ordinal,
  at: time,
  text,
  /** The agent's question that it answers; absent for a message of `ym tell`. */
  question: optional(text),
  /** The turn whose prompt contains it; absent while unread. */
  readIn: optional(object({ attempt: ordinal, turn: count })),
});
export type Message = Of<typeof Message>;

/** A person's decision about a task. */
export const Decision = union('kind', {
  /** `run`: a new run retries a task that an earlier run gave up. Failures in a row keep counting. */
  retry: { reason: optional(text), by: optional(words('person', 'run')) },
  /** `removed`: the task also disappears from lists, and no run counts it. */
  cancel: { reason: text, removed: optional(words(true)) },
  skip: { reason: text },
  block: { reason: text },
  unblock: { reason: optional(text) },
  /** Answers the agent's question. `run`: nobody did in time, and the config lets the agent decide. */
  answer: { text, by: optional(words('person', 'run')) },
  /** Work that awaits approval may land as it is, or a proposed revision of the plan is stored. `run`: by the config. */
  approve: { reason: optional(text), by: optional(words('person', 'run')) },
  /** The work may not land, and its agent gets the reason in the next turn; or a proposed revision is not stored. */
  reject: { reason: text },
  /** A person wants to work in the attempt's worktree; `by` is their waiting process. */
  hold: { attempt: ordinal, by: Owner },
  /** The person is done, canceled, or their process is gone. */
  release: { by: Owner, reason: optional(text) },
  /** One of the finished variants of the task goes on to the merge queue. */
  choose: choice,
  /** A person did the work, for example resolved a conflict. `commit`, held by `ref`, joins the merge queue. */
  'hand-in': { commit: text, ref: text },
});
export type Decision = Of<typeof Decision>;
