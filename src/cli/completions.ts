import { limits } from '../model/limits.ts';
import type { Argument, CommandRow, Option } from './commands/row.ts';
import { globalOptions } from './commands/shared.ts';
import { printLines, printText } from './output.ts';
import type { Call } from './parse.ts';

type Table = readonly CommandRow[];

export type Shell = 'bash' | 'zsh' | 'fish';

/** Candidates that depend on the project. The scripts get them from `ym completions KIND`. */
type WordKind = 'tasks' | 'runs' | 'keys';

export async function run(call: Call): Promise<number> {
  const [wanted] = call.args;
  const shell = shells.find((name) => name === wanted);
  if (shell !== undefined) {
    printText(completionScript(shell, call.table));
    return 0;
  }
  const kind = wordKinds.find((name) => name === wanted);
  if (kind === undefined) return 2;
  const words = await completionWords(kind, call.global.cwd ?? '.');
  printLines(words);
  return 0;
}

/** Completion candidates of a project; none if it cannot be read, since a shell could not show the reason. */
async function completionWords(kind: WordKind, cwd: string): Promise<readonly string[]> {
  if (kind === 'keys') {
    const { settableKeys } = await import('../config/keys.ts');
    return settableKeys.map(({ key }) => key);
  }
  const { openQuick } = await import('../wire/quick.ts');
  const most = kind === 'tasks' ? limits.idsCompleted : limits.runsNamed;
  const ids = await openQuick(cwd)?.store.ids(kind, most);
  return ids?.ok ? ids.value : [];
}

const shells: readonly Shell[] = ['bash', 'zsh', 'fish'];
const wordKinds: readonly WordKind[] = ['tasks', 'runs', 'keys'];

/** Kind of candidate for an argument or value of this name. */
const kindsByName: Readonly<Record<string, WordKind>> = { ID: 'tasks', RUN: 'runs', KEY: 'keys' };

function kindsOf(row: CommandRow): readonly WordKind[] {
  return row.args.flatMap(({ name }) => kindsByName[name] ?? []);
}

/** Shell command that prints the candidates. Errors are hidden: a shell cannot show them while completing. */
function asking(kind: WordKind | '$at'): string {
  return `ym completions ${kind} 2>/dev/null`;
}

const programs = ['ym', 'yardmaster'];

/** A script for a shell that completes commands, options, choices, file names, ids and keys. */
export function completionScript(shell: Shell, table: Table): string {
  switch (shell) {
    case 'bash':
      return bash(table);
    case 'zsh':
      return zsh(table);
    case 'fish':
      return fish(table);
  }
}

/** Fixed candidates for the first argument of a command. */
function wordsAfter(row: CommandRow, table: Table): readonly string[] {
  if (row.name === 'help') return table.map(({ name }) => name);
  return row.args[0]?.choices ?? [];
}

function flagsOf(options: readonly Option[]): string[] {
  return options.flatMap(({ long, short }) => [
    `--${long}`,
    ...(short === undefined ? [] : [`-${short}`]),
  ]);
}

/** True if an argument or value is a path, which the shell itself completes. */
function isFile(name: string | undefined): boolean {
  return name === 'SOURCE' || name === 'FILE' || name === 'DIR';
}

function takesFiles(args: readonly Argument[]): boolean {
  return isFile(args[0]?.name);
}

function valued(row: CommandRow): readonly Exclude<Option, { type: 'boolean' }>[] {
  return [...row.options, ...globalOptions].filter((option) => option.type !== 'boolean');
}

function choicesOf(option: Option): readonly string[] {
  return option.type === 'string' ? (option.choices ?? []) : [];
}

function bash(table: Table): string {
  const names = table.map(({ name }) => name).join(' ');
  const rows = table.map((row) => {
    const words = [...wordsAfter(row, table), ...flagsOf([...row.options, ...globalOptions])].join(
      ' ',
    );
    const values = valued(row).map((option) => {
      const flags = flagsOf([option]).join('|');
      return `        ${flags}) ${bashValue(option)} return ;;`;
    });
    return [
      `    ${row.name})`,
      '      case "$prev" in',
      ...values,
      '      esac',
      `      words="${words}" files=${takesFiles(row.args) ? 1 : 0}${bashKinds(row)} ;;`,
    ].join('\n');
  });
  return `# Completion of ym for bash.
_ym() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" prev="\${COMP_WORDS[COMP_CWORD-1]}" command="" words="" files=0 kinds="" at
  COMPREPLY=()
  for ((at = 1; at < COMP_CWORD; at++)); do
    case "\${COMP_WORDS[at]}" in
      --cwd|-C) ((at++)) ;;
      -*) ;;
      *) command="\${COMP_WORDS[at]}"; break ;;
    esac
  done
  case "$command" in
    "")
      case "$prev" in
        --cwd|-C) COMPREPLY=($(compgen -d -- "$cur")); return ;;
      esac
      words="${names} ${flagsOf(globalOptions).join(' ')}" ;;
${rows.join('\n')}
  esac
  case "$cur" in
    -*) ;;
    *) for at in $kinds; do words="$words $(${asking('$at')})"; done ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
  if [ "$files" = 1 ]; then COMPREPLY+=($(compgen -f -- "$cur")); fi
}
complete -F _ym ${programs.join(' ')}
`;
}

function bashKinds(row: CommandRow): string {
  const kinds = kindsOf(row);
  return kinds.length === 0 ? '' : ` kinds="${kinds.join(' ')}"`;
}

function bashValue(option: Exclude<Option, { type: 'boolean' }>): string {
  const choices = choicesOf(option);
  const kind = kindsByName[option.value];
  if (kind !== undefined) return `COMPREPLY=($(compgen -W "$(${asking(kind)})" -- "$cur"));`;
  if (choices.length > 0) return `COMPREPLY=($(compgen -W "${choices.join(' ')}" -- "$cur"));`;
  return isFile(option.value) ? 'COMPREPLY=($(compgen -f -- "$cur"));' : '';
}

function zsh(table: Table): string {
  const list = table.map(({ name, line }) => `    ${quoted(`${name}:${line}`)}`).join('\n');
  const rows = table.map((row) => {
    const specs = [...row.options, ...globalOptions].flatMap(zshOption);
    const words = wordsAfter(row, table);
    const rest = takesFiles(row.args) ? '_files' : zshWords(words, kindsOf(row));
    const argument = row.args.length > 0 ? [quoted(`*:${row.args[0]?.name ?? ''}:${rest}`)] : [];
    return `    ${row.name}) _arguments -s ${[...specs, ...argument].join(' ')} ;;`;
  });
  return `#compdef ${programs.join(' ')}
# Completion of ym for zsh.
_ym() {
  local -a commands
  commands=(
${list}
  )
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  local command="\${words[2]}"
  shift words
  (( CURRENT-- ))
  case "$command" in
${rows.join('\n')}
  esac
}
compdef _ym ${programs.join(' ')}
`;
}

/** An action of `_arguments`: fixed words and the project's candidates. */
function zshWords(words: readonly string[], kinds: readonly WordKind[]): string {
  if (kinds.length === 0) return words.length > 0 ? `(${words.join(' ')})` : ' ';
  const asked = kinds.map((kind) => `\${(f)"$(${asking(kind)})"}`);
  return `{compadd -- ${[...words, ...asked].join(' ')}}`;
}

function zshOption(option: Option): string[] {
  const doc = option.doc.replace(/[[\]:]/g, ' ');
  const choices = choicesOf(option);
  const kind = option.type === 'boolean' ? undefined : kindsByName[option.value];
  const action = zshWords(choices, kind === undefined ? [] : [kind]);
  const value =
    option.type === 'boolean' ? '' : `:${option.value}:${isFile(option.value) ? '_files' : action}`;
  const many = option.type === 'list' ? '*' : '';
  return flagsOf([option]).map((flag) => quoted(`${many}${flag}[${doc}]${value}`));
}

function fish(table: Table): string {
  const lines = ['# Completion of ym for fish.'];
  for (const program of programs) {
    lines.push(`complete -c ${program} -f`);
    for (const option of globalOptions) lines.push(fishOption(program, '', option));
    for (const row of table) {
      const line = quoted(row.line);
      lines.push(`complete -c ${program} -n __fish_use_subcommand -a ${row.name} -d ${line}`);
      const when = ` -n '__fish_seen_subcommand_from ${row.name}'`;
      const words = wordsAfter(row, table);
      if (words.length > 0) lines.push(`complete -c ${program}${when} -a '${words.join(' ')}'`);
      for (const kind of kindsOf(row)) {
        lines.push(`complete -c ${program}${when} -a '(${asking(kind)})'`);
      }
      if (takesFiles(row.args)) lines.push(`complete -c ${program}${when} -F`);
      for (const option of row.options) lines.push(fishOption(program, when, option));
    }
  }
  return `${lines.join('\n')}\n`;
}

function fishOption(program: string, when: string, option: Option): string {
  const short = option.short === undefined ? '' : ` -s ${option.short}`;
  const value = option.type === 'boolean' ? '' : fishValue(option);
  return `complete -c ${program}${when} -l ${option.long}${short}${value} -d ${quoted(option.doc)}`;
}

function fishValue(option: Exclude<Option, { type: 'boolean' }>): string {
  if (isFile(option.value)) return ' -r -F';
  const kind = kindsByName[option.value];
  if (kind !== undefined) return ` -x -a '(${asking(kind)})'`;
  const choices = choicesOf(option);
  return choices.length > 0 ? ` -x -a '${choices.join(' ')}'` : ' -x';
}

function quoted(text: string): string {
  return `'${text.replace(/'/g, "'\\''")}'`;
}
