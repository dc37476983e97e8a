import { wrap } from '../report/format/layout.ts';
import { type CommandRow, groups, type Option } from './commands/row.ts';
import { exitCodes, globalOptions } from './commands/shared.ts';
import { printText } from './output.ts';
import type { Call } from './parse.ts';
import { screenOf } from './screen.ts';

export async function run(call: Call): Promise<number> {
  printHelp(call, call.args[0]);
  return 0;
}

export function printHelp(call: Call, name: string | undefined): void {
  printText(helpText(call.table, name, screenOf(call).textWidth));
}

const unlimited = Number.POSITIVE_INFINITY;

/** Text of `ym --help`: all commands by group. */
export function overview(table: readonly CommandRow[], columns = unlimited): string {
  const names = table.map(({ name }) => name);
  const width = Math.max(...names.map((name) => name.length));
  const about = 'Many coding agents, one repository, a branch that is always green';
  const lines = [...wrap(about, columns), '', 'Usage: ym COMMAND [ARGUMENT…] [OPTION…]'];
  for (const group of groups) {
    lines.push('', group);
    for (const row of table) {
      if (row.group === group) lines.push(...entry(row.name.padEnd(width), row.line, columns));
    }
  }
  lines.push('', 'Options of every command', ...optionLines(globalOptions, columns));
  lines.push('', 'Exit status');
  for (const [code, meaning] of exitCodes) {
    lines.push(...entry(String(code).padStart(2), meaning, columns));
  }
  lines.push('', '`ym help COMMAND` explains one command.');
  return `${lines.join('\n')}\n`;
}

/** Text of `ym COMMAND --help`. */
export function commandHelp(row: CommandRow, columns = unlimited): string {
  const lines = [...wrap(row.line, columns), '', ...wrap(`Usage: ${usageLine(row)}`, columns)];
  if (row.args.length > 0) {
    const width = Math.max(...row.args.map(({ name }) => name.length));
    lines.push('', 'Arguments');
    for (const { name, doc, choices } of row.args) {
      const text = `${doc}${choices ? `: ${choices.join(', ')}` : ''}`;
      lines.push(...entry(name.padEnd(width), text, columns));
    }
  }
  if (row.options.length > 0) lines.push('', 'Options', ...optionLines(row.options, columns));
  lines.push('', 'Options of every command', ...optionLines(globalOptions, columns));
  lines.push('', 'Examples');
  for (const { line, text } of row.examples) {
    lines.push(`  ${line}`, ...wrap(text, columns - 6).map((part) => `      ${part}`));
  }
  return `${lines.join('\n')}\n`;
}

/** Help of the named command; the overview if there is no such command. */
export function helpText(
  table: readonly CommandRow[],
  name: string | undefined,
  columns = unlimited,
): string {
  const row = name === 'help' ? undefined : table.find((one) => one.name === name);
  return row === undefined ? overview(table, columns) : commandHelp(row, columns);
}

export function usageLine(row: CommandRow): string {
  const args = row.args.map(({ name, required, repeatable }) => {
    const shown = repeatable === true ? `${name}…` : name;
    return required ? shown : `[${shown}]`;
  });
  return ['ym', row.name, ...args, ...(row.options.length > 0 ? ['[OPTION…]'] : [])].join(' ');
}

/** Columns that an explanation needs next to its head. With less room it goes below the head. */
const minTextWidth = 32;

/** A head and its explanation next to it, or below it if there is little room. */
function entry(head: string, text: string, columns: number): readonly string[] {
  const indent = head.length + 4;
  const room = columns - indent;
  if (room < minTextWidth) {
    return [`  ${head.trimEnd()}`, ...wrap(text, columns - 6).map((part) => `      ${part}`)];
  }
  const [first = '', ...rest] = wrap(text, room);
  return [`  ${head}  ${first}`, ...rest.map((part) => ' '.repeat(indent) + part)];
}

function optionLines(options: readonly Option[], columns: number): string[] {
  const heads = options.map(headOf);
  const width = Math.max(...heads.map((head) => head.length));
  return options.flatMap((option, at) => {
    const head = (heads[at] ?? '').padEnd(width);
    const notes = notesOf(option);
    return entry(head, `${option.doc}${notes === '' ? '' : ` (${notes})`}`, columns);
  });
}

function headOf(option: Option): string {
  const short = option.short === undefined ? '    ' : `-${option.short}, `;
  const value = option.type === 'boolean' ? '' : ` ${option.value}`;
  return `${short}--${option.long}${value}`;
}

function notesOf(option: Option): string {
  const notes: string[] = [];
  if (option.type === 'string' && option.choices) notes.push(option.choices.join(', '));
  if (option.type === 'number' && option.max <= shownMax) {
    notes.push(`${option.min} to ${option.max}`);
  }
  if (option.type === 'list') notes.push('repeatable');
  if ('default' in option) notes.push(`default: ${option.default}`);
  return notes.join('; ');
}

/** Larger bounds only reject nonsense, so help does not show them. */
const shownMax = 100;
