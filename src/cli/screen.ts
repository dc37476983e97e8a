import { colours, plain, type Style } from '../report/style.ts';
import type { Call } from './parse.ts';

/** Where a command prints, and how much room and colour it has there. */
export interface Screen {
  readonly style: Style;
  readonly width: number;
  readonly isTerminal: boolean;
  lines(lines: readonly string[]): void;
  json(value: unknown): void;
}

const widthWithoutTerminal = 120;

export function screenOf(call: Call): Screen {
  const { stdout, env } = process;
  const isTerminal = stdout.isTTY === true;
  const coloured = isTerminal && call.global.color && !env.NO_COLOR && env.TERM !== 'dumb';
  return {
    style: coloured ? colours : plain,
    width: Math.max(20, isTerminal ? stdout.columns : Number(env.COLUMNS) || widthWithoutTerminal),
    isTerminal,
    lines: (lines) => {
      if (lines.length > 0) stdout.write(`${lines.join('\n')}\n`);
    },
    json: (value) => {
      stdout.write(`${JSON.stringify(value, null, 2)}\n`);
    },
  };
}

/** Minutes the reader's clock is away from the world's. */
export function clockOffset(): number {
  return new Date().getTimezoneOffset();
}
