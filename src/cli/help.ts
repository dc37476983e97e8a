import { type CommandRow, groups, type Option } from './commands/row.ts';
import { exitCodes, globalOptions } from './commands/shared.ts';
import { printText } from './output.ts';
import type { Call } from './parse.ts';

export async function run(call: Call): Promise<number> {
  printText(helpText(call.table, call.args[0]));
  return 0;
}

/** Text of `ym --help`: all commands by group. */
export function overview(table: readonly CommandRow[]): string {
  const names = table.map(({ name }) => name);
  const width = Math.max(...names.map((name) => name.length));
  const lines = ['Many coding agents, one repository, a branch that is always green', ''];
  lines.push('Usage: ym COMMAND [ARGUMENT…] [OPTION…]');
  for (const group of groups) {
    lines.push('', group);
    for (const row of table) {
      if (row.group === group) lines.push(`  ${row.name.padEnd(width)}  ${row.line}`);
    }
  }
  lines.push('', 'Options of every command', ...optionLines(globalOptions));
  lines.push('', 'Exit status');
  for (const [code, meaning] of exitCodes) lines.push(`  ${String(code).padStart(2)}  ${meaning}`);
  lines.push('', '`ym help COMMAND` explains one command.');
  return `${lines.join('\n')}\n`;
}

/** Text of `ym COMMAND --help`. */
export function commandHelp(row: CommandRow): string {
  const lines = [row.line, '', `Usage: ${usageLine(row)}`];
  if (row.args.length > 0) {
    const width = Math.max(...row.args.map(({ name }) => name.length));
    lines.push('', 'Arguments');
    for (const { name, doc, choices } of row.args) {
      lines.push(`  ${name.padEnd(width)}  ${doc}${choices ? `: ${choices.join(', ')}` : ''}`);
    }
  }
  if (row.options.length > 0) lines.push('', 'Options', ...optionLines(row.options));
  lines.push('', 'Options of every command', ...optionLines(globalOptions));
  lines.push('', 'Examples');
  for (const { line, text } of row.examples) lines.push(`  ${line}`, `      ${text}`);
  return `${lines.join('\n')}\n`;
}

/** Help of the named command; the overview if there is no such command. */
export function helpText(table: readonly CommandRow[], name: string | undefined): string {
  const row = name === 'help' ? undefined : table.find((one) => one.name === name);
  return row === undefined ? overview(table) : commandHelp(row);
}

export function usageLine(row: CommandRow): string {
  const args = row.args.map(({ name, required, repeatable }) => {
    const shown = repeatable === true ? `${name}…` : name;
    return required ? shown : `[${shown}]`;
  });
  return ['ym', row.name, ...args, ...(row.options.length > 0 ? ['[OPTION…]'] : [])].join(' ');
}

function optionLines(options: readonly Option[]): string[] {
  const heads = options.map(headOf);
  const width = Math.max(...heads.map((head) => head.length));
  return options.flatMap((option, at) => {
    const head = (heads[at] ?? '').padEnd(width);
    const notes = notesOf(option);
    return [`  ${head}  ${option.doc}${notes === '' ? '' : ` (${notes})`}`];
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
