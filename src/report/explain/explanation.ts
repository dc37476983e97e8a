import type { Failure } from '../../model/failure.ts';
import { capitalized } from '../format/printable.ts';

/** 0 done, 1 not all landed, 2 usage or config, 3 environment, 4 stopped, 5 red at the end, 70 a bug of ours. */
export type ExitCode = 0 | 1 | 2 | 3 | 4 | 5 | 70;

export interface Explanation {
  /** The member of the union, for programs. */
  readonly kind: string;
  readonly what: string;
  /** Empty if it would add nothing. */
  readonly why: string;
  readonly do: string;
  /** One line each, most important first: findings, violations, commits. */
  readonly details?: readonly string[];
  /** Last lines of the failed program's output. */
  readonly output?: readonly string[];
  readonly exit: ExitCode;
}

/** Without `exit` the default of the kind's table applies. */
export type Sentences = Omit<Explanation, 'kind' | 'output' | 'exit'> & {
  readonly exit?: ExitCode;
};

/** One row for each member of a union of failures. `task` is the task it happened to. */
export type SentencesOf<F extends Failure> = {
  readonly [K in F['kind']]: (failure: Extract<F, { kind: K }>, task: string) => Sentences;
};

/** Characters shown of a quoted name, path or message. */
const shownChars = 400;

/** Foreign text inside a sentence: on one line, shortened, without a final period. */
export function inline(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim().replace(/[.]+$/, '');
  const chars = [...line];
  return chars.length > shownChars ? `${chars.slice(0, shownChars - 1).join('')}…` : line;
}

/** `file:line`, or the file alone. */
export function place(file: string, line: number | undefined): string {
  return line === undefined ? file : `${file}:${line}`;
}

/** Foreign text on one line with a final period. Case is kept because it may start with a name. */
export function withPeriod(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  if (line === '') return 'no details are known.';
  return /[.!?…]$/.test(line) ? line : `${line}.`;
}

/** Matches text that starts with a name (of a task, file or option) followed by a verb. */
const named =
  /^(?!(?:it|this|that|there|these|those|nothing|nobody|none|what|which|who|everything)\b)\S+ (?:is|are|was|has|have|and|could|cannot)\b/i;

/** Foreign text as a sentence, capitalized unless it starts with a name. */
export function sentence(text: string): string {
  const line = withPeriod(text);
  if (named.test(line)) return line;
  return capitalized(line);
}
