import { dirname, isAbsolute, join, normalize, sep } from 'node:path';
import { type Failure, fail, ok, type Result } from '../model/failure.ts';
import { isToken, piecesOf, runTokens, type Template, taskTokens } from './template.ts';

const includeDepth = 8;
const includesMax = 200;
const templateChars = 1024 * 1024;
/** A larger file certainly exceeds the limit: no character takes more than three bytes. */
export const promptFileBytes = 3 * templateChars;

/** End of a sentence about an included file. */
export const outside = 'is outside the repository';

/**
 * Returns the text of a file by its path in the repository, undefined if it does not exist, or why it cannot be used.
 * An included file must be in the repository.
 */
export type ReadPromptFile = (
  file: string,
  isIncluded: boolean,
) => string | { readonly problem: string } | undefined;

/**
 * Reads the prompt files of the config with their includes. Reports all problems at once, before any agent sees a
 * prompt.
 */
export function loadTemplates(
  files: readonly string[],
  readFile: ReadPromptFile,
): Result<readonly Template[], readonly Failure[]> {
  const templates: Template[] = [];
  const failures: Failure[] = [];
  for (const file of files) {
    const loading = new Loading(readFile);
    loading.load(normalize(file), [], undefined);
    failures.push(...loading.failures);
    templates.push({ file, parts: loading.parts });
  }
  return failures.length > 0 ? fail(failures) : ok(templates);
}

interface Asked {
  readonly file: string;
  readonly line: number;
}

/** Reads one prompt file into a template. */
class Loading {
  readonly failures: Failure[] = [];
  readonly parts: (string | Exclude<Template['parts'][number], string>)[] = [];
  readonly #readFile: ReadPromptFile;
  #files = 0;
  #chars = 0;
  /** True once a limit is exceeded; nothing more is read. */
  #full = false;

  constructor(readFile: ReadPromptFile) {
    this.#readFile = readFile;
  }

  /** `within` lists the including files, the outermost first. */
  load(file: string, within: readonly string[], asked: Asked | undefined): void {
    if (this.#full) return;
    const where = asked ?? { file };
    const text = this.#readFile(file, asked !== undefined);
    if (typeof text !== 'string') {
      const { problem } = text ?? { problem: 'does not exist' };
      const remedy =
        text === undefined
          ? 'Correct the path; it is relative to the folder of this file.'
          : 'Name another file.';
      const subject = asked === undefined ? 'the prompt file' : `it includes ${file}, which`;
      this.#fail(where, `${subject} ${problem}`, remedy);
      return;
    }
    this.#files += 1;
    this.#chars += text.length;
    this.#full = this.#chars > templateChars || this.#files > includesMax;
    if (this.#full) {
      const problem = `with all it includes it has more than ${templateChars} characters or ${includesMax} files`;
      this.#fail(where, problem, 'Shorten it.');
    } else this.#take(file, text, [...within, file]);
  }

  #take(file: string, text: string, within: readonly string[]): void {
    // The final line end of an included file is not part of its text.
    const content = within.length > 1 ? text.replace(/\r?\n$/, '') : text;
    for (const piece of piecesOf(content)) {
      switch (piece.id) {
        case 'text':
          this.#addText(piece.text);
          break;
        case 'token':
          if (isToken(piece.name)) this.parts.push({ token: piece.name });
          else this.#unknown({ file, line: piece.line }, piece.name);
          break;
        case 'include':
          this.#include({ file, line: piece.line }, piece.path, within);
          break;
        case 'unclosed':
          this.#fail(
            { file, line: piece.line },
            '{{ is not closed on the same line',
            `Write }} after the token, or {{{{ for two literal braces.`,
          );
          break;
      }
    }
  }

  #addText(text: string): void {
    const last = this.parts.length - 1;
    const before = this.parts[last];
    if (typeof before === 'string') this.parts[last] = before + text;
    else this.parts.push(text);
  }

  #include(asked: Asked, path: string, within: readonly string[]): void {
    if (path === '' || isAbsolute(path)) {
      const problem =
        path === '' ? 'it includes no file' : `it includes ${path} by an absolute path`;
      this.#fail(asked, problem, 'Name a file relative to this one: {{include: rules.md}}.');
      return;
    }
    const file = join(dirname(asked.file), path);
    if (isAbsolute(file) || file.split(sep)[0] === '..') {
      const remedy = 'Move the file into the repository.';
      this.#fail(asked, `it includes ${file}, which ${outside}`, remedy);
      return;
    }
    const round = within.indexOf(file);
    if (round !== -1) {
      const circle = [...within.slice(round), file].join(' → ');
      this.#fail(
        asked,
        `files include each other in a cycle: ${circle}`,
        'Remove one of the includes.',
      );
    } else if (within.length >= includeDepth) {
      const problem = `files include each other more than ${includeDepth} deep`;
      this.#fail(asked, problem, 'Merge some of them.');
    } else this.load(file, within, asked);
  }

  #unknown(asked: Asked, name: string): void {
    const known = [...runTokens, ...taskTokens];
    const remedy = `Known tokens: ${known.join(', ')}; write {{{{ for two literal braces.`;
    this.#fail(asked, `there is no token {{${name}}}`, remedy);
  }

  #fail({ file, line }: Partial<Asked> & { file: string }, problem: string, remedy: string): void {
    const failure = { kind: 'config-invalid', file, problem, remedy } as const;
    this.failures.push(line === undefined ? failure : { ...failure, line });
  }
}
