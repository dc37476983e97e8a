import type { Call } from '../parse.ts';

/** Types of the command table, and functions that build its rows. */

export interface Argument {
  /** In capitals, as shown in help. */
  readonly name: string;
  readonly required: boolean;
  readonly repeatable?: boolean;
  readonly choices?: readonly string[];
  /** It may be a number with a minus sign. */
  readonly signed?: true;
  readonly doc: string;
}

interface OptionBase {
  readonly long: string;
  readonly short?: string;
  readonly doc: string;
}

type Flag = OptionBase & { readonly type: 'boolean' };

/** Repeatable; several values may be joined with commas. */
type ListOption = OptionBase & { readonly type: 'list'; readonly value: string };

type TextOption = OptionBase & {
  readonly type: 'string';
  readonly value: string;
  readonly choices?: readonly string[];
  /** Shown in help: what applies if the option is absent. */
  readonly default?: string;
};

type NumberOption = OptionBase & {
  readonly type: 'number';
  readonly value: string;
  readonly min: number;
  readonly max: number;
  readonly default?: string;
};

export type Option = Flag | ListOption | TextOption | NumberOption;

export interface Example {
  readonly line: string;
  readonly text: string;
}

export const groups = ['Set up', 'Tasks', 'Work', 'See', 'Decide', 'For agents'] as const;

export interface CommandRow {
  readonly name: string;
  readonly group: (typeof groups)[number];
  /** Imperative, without a period. */
  readonly line: string;
  readonly args: readonly Argument[];
  readonly options: readonly Option[];
  readonly examples: readonly [Example, Example];
  /** True if this call decides something for the user, which no agent may do. */
  readonly decides?: (call: Call) => boolean;
  /** Loads its code on demand, so that a command loads only what it uses. */
  readonly load: () => Promise<Handler>;
}

/** Runs one command and returns the exit status. */
type Handler = (call: Call) => Promise<number>;

/** Upper bound of numbers that have no limit of their own. */
export const countMax = 1_000_000;

/** For a command that decides in every call. */
export const always = (): boolean => true;

export function flag(long: string, doc: string, short?: string): Flag {
  return { long, type: 'boolean', doc, short };
}

export function list(long: string, value: string, doc: string): ListOption {
  return { long, type: 'list', value, doc };
}

export function text(
  long: string,
  value: string,
  doc: string,
  more: Partial<Pick<TextOption, 'short' | 'choices' | 'default'>> = {},
): TextOption {
  return { long, type: 'string', value, doc, ...more };
}

export function number(
  long: string,
  [min, max]: readonly [min: number, max: number],
  doc: string,
  more: Partial<Pick<NumberOption, 'short' | 'default'>> = {},
): NumberOption {
  return { long, type: 'number', value: 'N', min, max, doc, ...more };
}

interface CommandSpec
  extends Pick<CommandRow, 'load'>,
    Partial<Pick<CommandRow, 'args' | 'options' | 'decides'>> {
  readonly line: string;
  readonly examples: readonly [ExampleSpec, ExampleSpec];
}

type ExampleSpec = readonly [line: string, text: string];

export function commandsIn(
  group: CommandRow['group'],
  specs: Readonly<Record<string, CommandSpec>>,
): readonly CommandRow[] {
  return Object.entries(specs).map(
    ([
      name,
      {
        examples: [first, second],
        ...spec
      },
    ]) => ({
      args: [],
      options: [],
      ...spec,
      name,
      group,
      examples: [exampleOf(first), exampleOf(second)],
    }),
  );
}

function exampleOf([line, description]: ExampleSpec): Example {
  return { line, text: description };
}
