/** What a line of the command table holds. */

export interface Argument {
  /** In capitals, as help shows it. */
  readonly name: string;
  readonly required: boolean;
  readonly repeatable?: boolean;
  readonly choices?: readonly string[];
  readonly doc: string;
}

interface OptionBase {
  readonly long: string;
  readonly short?: string;
  readonly doc: string;
}

export type Option =
  | (OptionBase & { readonly type: 'boolean' })
  /** May be given several times, and several at once with commas between. */
  | (OptionBase & { readonly type: 'list'; readonly value: string })
  | (OptionBase & {
      readonly type: 'string';
      readonly value: string;
      readonly choices?: readonly string[];
      /** What holds where the option is absent, in words. */
      readonly default?: string;
    })
  | (OptionBase & {
      readonly type: 'number';
      readonly value: string;
      readonly min: number;
      readonly max: number;
      readonly default?: string;
    });

export interface Example {
  readonly line: string;
  readonly says: string;
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
}
