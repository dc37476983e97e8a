import type { Failure } from '../../model/failure.ts';

/** 0 done, 1 not all landed, 2 usage or config, 3 environment, 4 stopped, 5 red at the end, 70 a bug of ours. */
export type ExitCode = 0 | 1 | 2 | 3 | 4 | 5 | 70;

/** A failure in full sentences. */
export interface Explanation {
  /** The member of the union, for programs. */
  readonly kind: string;
  readonly what: string;
  /** Empty where it would say nothing new. */
  readonly why: string;
  readonly do: string;
  /** What it is about, one line each, the most important first: findings, rules that are broken, the history. */
  readonly details?: readonly string[];
  /** The end of what the failed program printed, in lines. */
  readonly output?: readonly string[];
  readonly exit: ExitCode;
}

export type Sentences = Omit<Explanation, 'kind' | 'output'>;

/** One row for each member of a union of failures. `task` is the task it happened to. */
export type SentencesOf<F extends Failure> = {
  readonly [K in F['kind']]: (failure: Extract<F, { kind: K }>, task: string) => Sentences;
};

/** How much of a name, a path or a message is shown; all of it is in the record. */
const shownChars = 400;

/** Words of others inside a sentence of ours: on one line, not endless, without a period of their own. */
export function inline(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim().replace(/[.]+$/, '');
  const chars = [...line];
  return chars.length > shownChars ? `${chars.slice(0, shownChars - 1).join('')}…` : line;
}

/** `file:line`, or the file alone. */
export function place(file: string, line: number | undefined): string {
  return line === undefined ? file : `${file}:${line}`;
}

/** The end of a sentence in the words of others: on one line, with a period. A capital could change a name in it. */
export function withPeriod(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  if (line === '') return 'no details are known.';
  return /[.!?…]$/.test(line) ? line : `${line}.`;
}

/** A word before a verb is the name of a task, a file or an option, unless it is one of these. */
const named =
  /^(?!(?:it|this|that|there|these|those|nothing|nobody|none|what|which|who|everything)\b)\S+ (?:is|are|was|has|have|and|could|cannot)\b/i;

/** A whole sentence in the words of others, with a capital at its start unless it begins with a name. */
export function sentence(text: string): string {
  const line = withPeriod(text);
  if (named.test(line)) return line;
  return line.charAt(0).toUpperCase() + line.slice(1);
}
