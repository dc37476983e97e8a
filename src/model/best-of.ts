import { Actor } from './actor.ts';
import { Failure } from './failure.ts';
import {
  count,
  names,
  type ObjectOf,
  type Of,
  object,
  optional,
  ordinal,
  text,
  time,
  words,
} from './shape.ts';
import type { TaskId } from './task.ts';

/** Actor that chooses between finished variants: `auto` is an agent or a rule. */
export const Chooser = words('auto', 'person');
export type Chooser = Of<typeof Chooser>;

/** Variants of one task, as a plan file writes them. Absent values come from the config. */
export const Attempts = object({
  /** Number of variants; 1 for an ordinary attempt. */
  best_of: ordinal,
  /** Agent profiles of the variants, in turn. */
  agents: optional(names),
  choose: optional(Chooser),
});
export type Attempts = Of<typeof Attempts>;

/** Terms of a choice, fixed when the variants are created. */
export const choiceTerms = {
  choose: Chooser,
  /** Agent that compares finished variants; a rule decides if absent. */
  chooser: optional(text),
  /** Longest wait for the other variants after the first one has finished; unlimited if absent. */
  waitMs: optional(count),
};

/** A choice between variants: who made it, and why. */
export const choice = {
  variant: text,
  by: words('person', 'agent', 'rule'),
  agent: optional(text),
  reason: optional(text),
};

/** A choice as it is kept: `actor` is the person who made it, if known. */
const keptChoice = { ...choice, actor: optional(Actor) };
export type Choice = ObjectOf<typeof keptChoice>;

export const Variants = object({
  ids: names,
  /** Target commit that all of them start from. */
  base: text,
  ...choiceTerms,
  /** Calls of the chooser so far, and how many in a row gave no usable answer. */
  calls: count,
  failed: count,
  /** Answer of the chooser. It counts while this commit of the variant is the finished one. */
  advice: optional(object({ variant: text, commit: text, agent: text, reason: text })),
  /** A person was asked to choose; `run` continues after that. */
  asked: optional(object({ run: text, at: time, finished: names })),
  /** The newest choice. It is void if a person decided about the task since. */
  choice: optional(object({ ...keptChoice, at: time })),
  /** The newest choice whose variant was given up before it landed, and why. */
  withdrawn: optional(object({ ...keptChoice, at: time, because: Failure })),
});
export type Variants = Of<typeof Variants>;

/** Id of a variant, from 1. */
export function variantId(id: TaskId, number: number): TaskId {
  return `${id}.v${number}`;
}
