import { visibleLine } from '../model/visible.ts';
import { promptOutput } from './output.ts';
import type { Call } from './parse.ts';

export interface Choice {
  readonly value: string;
  readonly label: string;
  readonly hint?: string;
}

/** Questions to the user at a terminal. */
export interface Picker {
  /** Undefined if the person left the question. */
  one(message: string, choices: readonly Choice[]): Promise<string | undefined>;
  /** Empty if the person chose nothing or left the question. */
  some(message: string, choices: readonly Choice[]): Promise<readonly string[]>;
}

/** Lines of a list that are shown at once. */
const linesShown = 12;

/** Undefined if the user cannot be asked: without a terminal, in CI, or with `--yes`. */
export function terminalPicker({ options }: Call): Picker | undefined {
  const isTerminal = process.stdin.isTTY === true && process.stdout.isTTY === true;
  if (!isTerminal || process.env.CI || options.flag('yes')) return undefined;
  return {
    one: async (message, choices) => {
      const { isCancel, select } = await import('@clack/prompts');
      const options = choices.map(shown);
      const asked = { message, options, maxItems: linesShown, output: promptOutput() };
      const answer = await select(asked);
      return isCancel(answer) ? undefined : answer;
    },
    some: async (message, choices) => {
      const { isCancel, multiselect } = await import('@clack/prompts');
      const options = choices.map(shown);
      const shape = { maxItems: linesShown, required: false, output: promptOutput() };
      const answer = await multiselect({ message, options, ...shape });
      return isCancel(answer) ? [] : answer;
    },
  };
}

/** Titles come from files and trackers: control characters are shown, not sent to the terminal. */
function shown({ label, ...choice }: Choice): Choice {
  return { ...choice, label: visibleLine(label) };
}
