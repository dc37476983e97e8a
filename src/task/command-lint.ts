import type { Concern } from '../model/concern.ts';
import type { Task } from '../model/task.ts';

/** A mistake in a check command: it passes or fails for a reason that its author did not intend. */
interface CommandFlaw {
  readonly text: string;
  readonly fix: string;
}

/** Finds the flaws of one shell command; none if the command cannot be parsed. */
export function lintCommand(command: string): readonly CommandFlaw[] {
  if (command.replace(/^\s*#.*$/gm, '').trim() === '') return [empty];
  const parts = partsOf(command);
  return [
    ...wholeRules.filter(({ matches }) => matches.test(command)),
    ...(isIndentedPython(command) ? [indentedPython] : []),
    ...parts.flatMap((part, at) => grepFlaws(part, parts[at + 1])),
  ].map(({ text, fix }) => ({ text, fix }));
}

/** Concerns about the check commands of tasks. They warn: code cannot know what a command was meant to do. */
export function lintTasks(tasks: readonly Pick<Task, 'id' | 'checks'>[]): readonly Concern[] {
  return tasks.flatMap(({ id, checks }) =>
    checks.flatMap((command) =>
      lintCommand(command).map(({ text, fix }): Concern => {
        const whole = `the check "${command.trim()}" of ${id} ${text}`;
        return { severity: 'warn', text: whole, fix: { kind: 'advice', text: fix } };
      }),
    ),
  );
}

const empty: CommandFlaw = {
  text: 'is empty, so it always passes',
  fix: 'Remove it, or write the command that must succeed.',
};

const indentedPython: CommandFlaw = {
  text: 'gives `python -c` indented code, which is a syntax error',
  fix: 'Start the code at the beginning of its line.',
};

const wholeRules: readonly (CommandFlaw & { readonly matches: RegExp })[] = [
  {
    matches: /\bwc\s+-[lwcm]\b[^()]{0,200}\)\s*["']?\s*(?:==?|!=)\s/,
    text: 'compares the output of `wc` as text, but some systems print blanks before the number',
    fix: 'Compare numbers: `-eq` in place of `=`, `-ne` in place of `!=`.',
  },
  {
    matches: /2>&1\s+>>?\s*[^&\s]/,
    text: 'redirects standard error before standard output, so errors do not go to the file',
    fix: 'Write `>FILE 2>&1`.',
  },
];

function isIndentedPython(command: string): boolean {
  const found = /\bpython3?\s+-c\s+(?:"([^"]*)"|'([^']*)')/.exec(command);
  const code = found?.[1] ?? found?.[2] ?? '';
  return /^[ \t]+\S/.test(code.replace(/^(?:[ \t]*\n)+/, ''));
}

/** One program call of a command, and the operator after it. */
interface Part {
  readonly words: readonly string[];
  readonly operator: string;
}

/** Splits a command at its operators outside of quotes. */
function partsOf(command: string): readonly Part[] {
  const tokens =
    command.match(/&&|\|\||[|;\n]|(?:\\.|"(?:\\.|[^"\\])*"|'[^']*'|[^\s|;&"'\\]|&(?!&))+/g) ?? [];
  const parts: Part[] = [];
  let words: string[] = [];
  for (const token of [...tokens, ';']) {
    if (!/^(?:&&|\|\||[|;\n])$/.test(token)) {
      words.push(token);
      continue;
    }
    if (words.length > 0) parts.push({ words, operator: token });
    words = [];
  }
  return parts;
}

function grepFlaws({ words, operator }: Part, next: Part | undefined): readonly CommandFlaw[] {
  const at = words.findIndex((word) => /^(?:.*\/)?[ef]?grep$/.test(word));
  if (at === -1 || words.slice(0, at).some((word) => !/^(?:!|\w+=.*)$/.test(word))) return [];
  const given = words.slice(at + 1);
  const flags = given.filter((word) => /^-[A-Za-z]+$/.test(word)).join('');
  const has = (letter: string, long: string): boolean =>
    flags.includes(letter) || given.includes(long);
  const flaws: CommandFlaw[] = [];
  if (has('q', '--quiet') && has('v', '--invert-match')) flaws.push(quietInvert);
  if (has('c', '--count') && operator === '&&') flaws.push(countAnd);
  if (has('c', '--count') && operator === '||' && next?.words[0] === 'echo') flaws.push(countOr);
  const isRecursive = has('r', '--recursive') || has('R', '--dereference-recursive');
  const files = given.filter((word) => !word.startsWith('-')).slice(1);
  if (!isRecursive && files.some((file) => /^\.{1,2}$|[^\\]\/$/.test(file))) flaws.push(folder);
  return flaws;
}

const quietInvert: CommandFlaw = {
  text: 'passes as soon as one line does not match: `grep -q -v` does not mean that no line matches',
  fix: 'Write `! grep -q PATTERN FILE`.',
};

const countAnd: CommandFlaw = {
  text: 'prints a count with `grep -c` and does not compare it',
  fix: 'Write `grep -q` for "at least one", or `[ "$(grep -c PATTERN FILE)" -ge N ]`.',
};

const countOr: CommandFlaw = {
  text: 'prints two numbers if nothing matches, because `grep -c` prints 0 and fails, and never fails itself',
  fix: 'Leave out the `echo`; write `|| true` if no match is fine.',
};

const folder: CommandFlaw = {
  text: 'searches a folder with `grep`, which reads files only',
  fix: 'Add `-r`.',
};
