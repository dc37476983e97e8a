import { dirname, isAbsolute, join, normalize, sep } from 'node:path';
import { type Failure, fail, ok, type Result } from '../model/failure.ts';
import { isToken, piecesOf, runTokens, type Template, taskTokens } from './template.ts';

/** Bounds of one prompt file with all it includes. */
const includeDepth = 8;
const includesMax = 200;
const templateChars = 1024 * 1024;
/** A larger file surely has more characters than may be: none takes more bytes than this. */
export const promptFileBytes = 3 * templateChars;

/** What is behind a sentence about an included file. */
export const outside = 'is outside of the repository';

/**
 * Gives the text of a file by its path from the root of the repository: undefined where there is no such file, and where
 * it cannot be taken what it does or is. A file that another one includes has to be in the repository.
 */
export type ReadPromptFile = (
  file: string,
  isIncluded: boolean,
) => string | { readonly problem: string } | undefined;

/**
 * Reads the prompt files of the config with everything they include. All that is wrong in them is told at once, so that
 * nothing but right ones are ever shown to an agent.
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

/** Where a file is asked for. */
interface Asked {
  readonly file: string;
  readonly line: number;
}

/** One prompt file on its way to a template. */
class Loading {
  readonly failures: Failure[] = [];
  readonly parts: (string | Exclude<Template['parts'][number], string>)[] = [];
  readonly #readFile: ReadPromptFile;
  #files = 0;
  #chars = 0;
  /** Told once; what more there is of it is not read. */
  #full = false;

  constructor(readFile: ReadPromptFile) {
    this.#readFile = readFile;
  }

  /** `within` are the files that this one is included by, the outermost first. */
  load(file: string, within: readonly string[], asked: Asked | undefined): void {
    if (this.#full) return;
    const where = asked ?? { file };
    const text = this.#readFile(file, asked !== undefined);
    if (typeof text !== 'string') {
      const { problem } = text ?? { problem: 'is not there' };
      const remedy =
        text === undefined
          ? 'Correct the path; it counts from the folder of the file.'
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
    // The line break at the end of an included file is that of the file, not of the place.
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
            'two opening braces are not closed in the same line',
            `Write }} behind the token, or {{{{ for two braces that are meant as such.`,
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
      const problem = path === '' ? 'it includes no file' : `it includes ${path} by its whole path`;
      this.#fail(asked, problem, 'Name a file relative to this one: {{include: rules.md}}.');
      return;
    }
    const file = join(dirname(asked.file), path);
    if (isAbsolute(file) || file.split(sep)[0] === '..') {
      const remedy = 'Put the file into the repository.';
      this.#fail(asked, `it includes ${file}, which ${outside}`, remedy);
      return;
    }
    const round = within.indexOf(file);
    if (round !== -1) {
      const circle = [...within.slice(round), file].join(' → ');
      this.#fail(asked, `files include each other in a circle: ${circle}`, 'Take one of them out.');
    } else if (within.length >= includeDepth) {
      const problem = `files include each other more than ${includeDepth} deep`;
      this.#fail(asked, problem, 'Put some of them together.');
    } else this.load(file, within, asked);
  }

  #unknown(asked: Asked, name: string): void {
    const known = [...runTokens, ...taskTokens];
    const remedy = `Known are ${known.join(', ')}; write {{{{ for two braces that are meant as such.`;
    this.#fail(asked, `there is no token {{${name}}}`, remedy);
  }

  #fail({ file, line }: Partial<Asked> & { file: string }, problem: string, remedy: string): void {
    const failure = { kind: 'config-invalid', file, problem, remedy } as const;
    this.failures.push(line === undefined ? failure : { ...failure, line });
  }
}
