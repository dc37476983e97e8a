import { isSign } from '../../evidence/reader.ts';
import type { Evidence } from '../../model/evidence.ts';
import type { Failure } from '../../model/failure.ts';
import { type MachineCause, machineCauseOf } from '../../model/machine-cause.ts';
import { capitalized } from '../format/layout.ts';

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

/** Foreign text inside a sentence: on one line, shortened, without a final period; a folder `.` stays. */
export function inline(text: string): string {
  const line = text
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/(?<![\s.])[.]+$/, '');
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

const sentenceLines = 3;
const shownLines = 12;
const failureLinesMax = 24;

/** Error lines of an output, or else its last lines, in one sentence. */
export function outputSentence(tail: string, nothing: string): string {
  const lines = linesOf(tail);
  if (lines.length === 0) return nothing;
  return `It printed: ${inline(best(lines, sentenceLines).join(' / '))}.`;
}

/** Last lines of an output, starting earlier if an error line comes before them. */
export function tailLines(tail: string): string[] {
  const lines = linesOf(tail);
  if (lines.length <= shownLines) return lines;
  const first = lines.findIndex(isSign);
  const start = first < 0 ? lines.length : first;
  const from = Math.min(start, lines.length - shownLines);
  return lines.slice(from, from + shownLines);
}

/** Failing tests with the first lines of their messages. */
export function failureLines({ failures, unlisted }: Evidence): string[] {
  const perFailure = Math.max(1, Math.floor(failureLinesMax / failures.length) - 1);
  const lines = failures.slice(0, failureLinesMax).flatMap(({ name, message }) => {
    const shown = linesOf(message).slice(0, perFailure);
    return [name, ...shown.map((line) => `    ${line}`)];
  });
  const more = Math.max(0, failures.length - failureLinesMax) + unlisted;
  return [...lines, ...(more === 0 ? [] : [`and ${more} more`])];
}

/** Error lines of an output, or else its last lines. */
export function errorLines(tail: string, most: number): string[] {
  return best(linesOf(tail), most);
}

function linesOf(tail: string): string[] {
  return tail.split('\n').filter((line) => line.trim() !== '');
}

function best(lines: string[], most: number): string[] {
  if (lines.length <= most) return lines;
  const found = lines.filter(isSign);
  return found.length === 0 ? lines.slice(-most) : found.slice(0, most);
}

const machineTexts: Readonly<Record<MachineCause, { readonly what: string; readonly do: string }>> =
  {
    space: {
      what: 'the disk is full',
      do: 'Free some disk space; `ym prune` lists what can be deleted.',
    },
    permission: {
      what: 'the disk cannot be written',
      do: 'Make the folder writable for your user.',
    },
    'in-the-way': {
      what: 'a ref or a lock is in the way',
      do: 'Rename or remove what git names, unless another git process still needs it.',
    },
    tool: {
      what: 'a program is missing',
      do: 'Install the program that git names, or remove its filter from .gitattributes.',
    },
    signal: {
      what: 'a signal ended it',
      do: 'Find out what ended git; too little memory is the usual cause.',
    },
  };

/** The trouble with the machine that a message reports, as the end of a sentence. */
export function machineCauseText(message: string): string | undefined {
  const cause = machineCauseOf(message);
  return cause && machineTexts[cause].what;
}

export function machineRemedy(message: string): string | undefined {
  const cause = machineCauseOf(message);
  return cause && `${machineTexts[cause].do} The run continues by itself, or with \`ym resume\`.`;
}
