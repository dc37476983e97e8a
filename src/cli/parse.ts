import { nearest } from '../graph/nearest.ts';
import { type Failure, fail, ok, type Result } from '../model/failure.ts';
import { counted } from '../report/format/amount.ts';
import type { CommandRow, Option } from './commands/row.ts';
import { globalOptions } from './commands/shared.ts';
import { commandNamed, commands } from './commands.ts';

/** A parsed command line that fits the command table. */
export interface Call {
  readonly command: string;
  readonly args: readonly string[];
  readonly options: Options;
  readonly global: Global;
  readonly table: readonly CommandRow[];
  /** Parses another command line, for a command that runs others. */
  parse(argv: readonly string[]): Result<Call>;
}

interface Global {
  readonly help: boolean;
  readonly version: boolean;
  readonly cwd?: string;
  readonly color: boolean;
  readonly quiet: boolean;
}

/** Parses the arguments after the program's name. Refuses whatever is not in the table, with a suggestion. */
export function parse(argv: readonly string[]): Result<Call> {
  const reader = new Reader(argv);
  const trouble = reader.read();
  if (trouble !== undefined) return fail(trouble);
  const global = globalOf(new Options(globalOptions, reader.values));
  const row = reader.row;
  if (row === undefined) {
    const help: Global = { ...global, help: !global.version };
    const options = new Options([], new Map());
    return ok({ command: 'help', args: [], options, global: help, table: commands, parse });
  }
  const options = new Options(row.options, reader.values);
  const { args } = reader;
  const call: Call = { command: row.name, args, options, global, table: commands, parse };
  const wrong = global.help || global.version ? undefined : wrongArguments(row, args);
  return wrong === undefined ? ok(call) : fail(wrong);
}

function globalOf(options: Options): Global {
  const cwd = options.text('cwd');
  return {
    help: options.flag('help'),
    version: options.flag('version'),
    color: !options.flag('no-color'),
    quiet: options.flag('quiet'),
    cwd,
  };
}

/** Reads the arguments once, up to the first error. */
class Reader {
  readonly values = new Map<string, Value>();
  readonly args: string[] = [];
  row: CommandRow | undefined;
  readonly #argv: readonly string[];
  #at = 0;

  constructor(argv: readonly string[]) {
    this.#argv = argv;
  }

  read(): Failure | undefined {
    let ended = false;
    while (this.#at < this.#argv.length) {
      const word = this.#argv[this.#at] ?? '';
      this.#at += 1;
      let trouble: Failure | undefined;
      if (ended || !word.startsWith('-') || this.#isArgument(word)) trouble = this.#plain(word);
      else if (word === '--') ended = true;
      else if (word.startsWith('--')) trouble = this.#long(word);
      else trouble = this.#shorts(word);
      if (trouble !== undefined) return trouble;
    }
    return undefined;
  }

  /** True for a word with a dash that is no option: standard input, or a number that the next argument may be. */
  #isArgument(word: string): boolean {
    if (word === '-') return true;
    return /^-\d+$/.test(word) && this.row?.args[this.args.length]?.signed === true;
  }

  #plain(word: string): Failure | undefined {
    if (this.row !== undefined) {
      this.args.push(word);
      return undefined;
    }
    this.row = commandNamed(word);
    if (this.row !== undefined) return undefined;
    return noCommand(word);
  }

  #long(word: string): Failure | undefined {
    const equals = word.indexOf('=');
    const name = word.slice(2, equals < 0 ? undefined : equals);
    const inline = equals < 0 ? undefined : word.slice(equals + 1);
    const option = this.#known().find(({ long }) => long === name);
    if (option === undefined) return this.#unknown(`--${name}`);
    return this.#take(option, `--${name}`, inline);
  }

  /** `-f`, `-fq`, `-j 4`, `-j4` and `-j=4`: the first letter that takes a value takes the rest. */
  #shorts(word: string): Failure | undefined {
    for (let at = 1; at < word.length; at += 1) {
      const letter = word[at];
      const option = this.#known().find(({ short }) => short === letter);
      if (option === undefined) return this.#unknown(`-${letter}`);
      const rest = word.slice(at + 1).replace(/^=/, '');
      const takesRest = option.type !== 'boolean' || word[at + 1] === '=';
      const inline = takesRest && at + 1 < word.length ? rest : undefined;
      const trouble = this.#take(option, `-${letter}`, inline);
      if (trouble !== undefined) return trouble;
      if (takesRest) return undefined;
    }
    return undefined;
  }

  #known(): readonly Option[] {
    return [...(this.row?.options ?? []), ...globalOptions];
  }

  #unknown(flag: string): Failure {
    const row = this.row;
    if (row === undefined) {
      const near = nearest(flag.replace(/^-+/, ''), longs(globalOptions));
      const problem = `There is no option ${flag} before the command.`;
      return usage(
        problem,
        hint(near, (name) => `ym --${name}`, 'ym help'),
      );
    }
    const near = nearest(flag.replace(/^-+/, ''), longs(this.#known()));
    const problem = `\`ym ${row.name}\` has no option ${flag}.`;
    return usage(
      problem,
      hint(near, (name) => `--${name}`, `ym ${row.name} --help`),
    );
  }

  #take(option: Option, flag: string, inline: string | undefined): Failure | undefined {
    if (option.type === 'boolean') {
      if (inline !== undefined) return usage(`${flag} takes no value.`, `Write ${flag} alone.`);
      this.values.set(option.long, true);
      return undefined;
    }
    const word = inline ?? this.#value();
    if (word === undefined || word === '') {
      return usage(
        `${flag} needs a value.`,
        `Write ${flag} ${option.value}: ${small(option.doc)}.`,
      );
    }
    const before = this.values.get(option.long);
    if (option.type === 'list') {
      const items = word.split(',').map((item) => item.trim());
      const known = Array.isArray(before) ? before : [];
      this.values.set(option.long, [...known, ...items.filter((item) => item !== '')]);
      return undefined;
    }
    if (before !== undefined) {
      return usage(`--${option.long} is given twice.`, 'Use it once.');
    }
    return option.type === 'number' ? this.#number(option, word) : this.#text(option, word);
  }

  /** The next argument, unless it is an option. A value that starts with a dash needs an equals sign. */
  #value(): string | undefined {
    const next = this.#argv[this.#at];
    if (next === undefined || (/^-./.test(next) && !/^-\d/.test(next))) return undefined;
    this.#at += 1;
    return next;
  }

  #number(option: Extract<Option, { type: 'number' }>, word: string): Failure | undefined {
    const value = /^\d{1,15}$/.test(word) ? Number(word) : Number.NaN;
    if (value >= option.min && value <= option.max) {
      this.values.set(option.long, value);
      return undefined;
    }
    return usage(
      `--${option.long} cannot be "${word}".`,
      `Give a whole number from ${option.min} to ${option.max}.`,
    );
  }

  #text(option: Extract<Option, { type: 'string' }>, word: string): Failure | undefined {
    const { choices, long } = option;
    if (choices === undefined || choices.includes(word)) {
      this.values.set(long, word);
      return undefined;
    }
    return usage(`--${long} cannot be "${word}".`, choose(choices, word));
  }
}

function wrongArguments(row: CommandRow, args: readonly string[]): Failure | undefined {
  const see = `See \`ym ${row.name} --help\`.`;
  const missing = row.args[args.length];
  if (missing?.required === true) {
    const choices = missing.choices === undefined ? '' : `${missing.choices.join(', ')}. `;
    const doc = choices === '' ? small(missing.doc) : missing.doc;
    return usage(`\`ym ${row.name}\` needs ${missing.name}: ${choices}${doc}.`, see);
  }
  const last = row.args.at(-1);
  if (args.length > row.args.length && last?.repeatable !== true) {
    const extra = args[row.args.length] ?? '';
    const most =
      row.args.length === 0 ? 'no argument' : `at most ${counted(row.args.length, 'argument')}`;
    return usage(`\`ym ${row.name}\` takes ${most}, so "${extra}" is unexpected.`, see);
  }
  if (row.name === 'help' && args[0] !== undefined && commandNamed(args[0]) === undefined) {
    return noCommand(args[0]);
  }
  for (const [at, { choices, name }] of row.args.entries()) {
    const word = args[at];
    if (choices === undefined || word === undefined || choices.includes(word)) continue;
    return usage(`${name} of \`ym ${row.name}\` cannot be "${word}".`, choose(choices, word));
  }
  return undefined;
}

function noCommand(word: string): Failure {
  const near = nearest(
    word,
    commands.map(({ name }) => name),
  );
  return usage(
    `There is no command "${word}".`,
    hint(near, (name) => `ym ${name}`, 'ym help'),
  );
}

function choose(choices: readonly string[], word: string): string {
  const near = nearest(word, choices);
  const all = `Choose one of ${choices.join(', ')}.`;
  return near === undefined ? all : `Did you mean ${near}? ${all}`;
}

function small(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}

function longs(options: readonly Option[]): string[] {
  return options.map(({ long }) => long);
}

function hint(near: string | undefined, say: (name: string) => string, list: string): string {
  const see = `See \`${list}\`.`;
  return near === undefined ? see : `Did you mean \`${say(near)}\`? ${see}`;
}

function usage(problem: string, remedy: string): Failure {
  return { kind: 'usage', problem, remedy };
}

type Value = true | string | number | readonly string[];

/** The options of a call by name. Throws for an option that is not in the table or has another type. */
export class Options {
  readonly #types: ReadonlyMap<string, Option['type']>;
  readonly #values: ReadonlyMap<string, Value>;

  constructor(table: readonly Option[], values: ReadonlyMap<string, Value>) {
    this.#types = new Map(table.map(({ long, type }) => [long, type]));
    this.#values = values;
  }

  flag(name: string): boolean {
    return this.#value(name, 'boolean') === true;
  }

  text(name: string): string | undefined {
    const value = this.#value(name, 'string');
    return typeof value === 'string' ? value : undefined;
  }

  number(name: string): number | undefined {
    const value = this.#value(name, 'number');
    return typeof value === 'number' ? value : undefined;
  }

  /** Empty if the option is absent. */
  list(name: string): readonly string[] {
    const value = this.#value(name, 'list');
    return Array.isArray(value) ? value : [];
  }

  /** The options as they could be typed, without those named. */
  words(except: ReadonlySet<string>): readonly string[] {
    const kept = [...this.#values].filter(([name]) => this.#types.has(name) && !except.has(name));
    return kept.flatMap(([name, value]) =>
      value === true ? [`--${name}`] : [value].flat().map((one) => `--${name}=${String(one)}`),
    );
  }

  #value(name: string, type: Option['type']): Value | undefined {
    const known = this.#types.get(name);
    if (known !== type) {
      throw new Error(`Option ${name} is read as ${type} and is ${known ?? 'not in the table'}`);
    }
    return this.#values.get(name);
  }
}
