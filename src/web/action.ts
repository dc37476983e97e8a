import {
  closedWords,
  either,
  exactUnion,
  list,
  map,
  names,
  number,
  type Of,
  object,
  optional,
  ordinal,
  text,
  words,
} from '../model/shape.ts';
import type { Task } from '../model/task.ts';

export const LineComment = object({
  path: text,
  /** Line number in the new file, or in the old one if `side` is `old`. */
  line: ordinal,
  side: closedWords('old', 'new'),
  /** Text of the line, without its mark. */
  code: text,
  text,
});
export type LineComment = Of<typeof LineComment>;

/** The field `attempts`: the number of variants, their agents, or both. */
const Variants = object({ best_of: optional(ordinal), agents: optional(names) });

/** Fields of a task by the keys of a plan file, as `ym edit` sets them; null clears a value. */
const fields = map(either(text, number, names, words(null), Variants));

const decided = { task: text, reason: optional(text) };

/** Body of POST /api/actions?project=ID. Each does what the command of its name does. docs/programs.md lists the fields. */
export const Action = exactUnion('kind', {
  approve: decided,
  retry: decided,
  unblock: decided,
  cancel: decided,
  skip: decided,
  block: decided,
  reject: { task: text, reason: text },
  answer: { task: text, text },
  tell: { task: text, text },
  /** One message with all comments: the reason of a rejection if the work awaits approval, else a message. */
  comment: { task: text, attempt: ordinal, comments: list(LineComment), text: optional(text) },
  edit: { task: text, changes: fields },
  add: { title: text, id: optional(text), fields: optional(fields) },
  slots: { slots: ordinal },
  'pause-slot': { slot: ordinal },
  'resume-slot': { slot: ordinal },
  stop: { how: closedWords('finish', 'now') },
  /** Starts `ym run` as a process of its own, which goes on when the server ends. Without names: every task. */
  run: {
    only: optional(names),
    epics: optional(names),
    labels: optional(names),
    slots: optional(ordinal),
  },
  resume: { run: optional(text) },
  choose: { task: text, variant: text, reason: optional(text) },
});
export type Action = Of<typeof Action>;

/** Answer to an action that was carried out. */
export interface ActionDone {
  readonly command: string;
  /** Sentence about the effect, for people. */
  readonly text: string;
  /** The task, for `add` and `edit`. */
  readonly task?: Task;
}
