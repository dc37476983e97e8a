import {
  Composer,
  type CST,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  Parser,
  stringify,
  visit,
  type YAMLError,
  type Document as YamlDocument,
} from 'yaml';
import { fail, ok, type Result } from '../model/failure.ts';
import { type Parsed, type Path, type Problem, problemAt } from './document.ts';

const depthMax = 100;
/** Uses of anchors in one text; more would be an attack or an accident. */
const aliasesMax = 100;

type LineAt = (offset: number) => number;

/** A text as the YAML library reads it. `second` is set if another document follows. */
interface Composed {
  readonly document: YamlDocument;
  readonly second: YamlDocument | undefined;
  readonly lineAt: LineAt;
}

/** Composes a text, or refuses one that is nested too deep. Errors in the text are listed in the document. */
export function compose(text: string): Result<Composed, readonly Problem[]> {
  const lines = new LineCounter();
  const lineAt = (offset: number): number => lines.linePos(offset).line;
  const tokens = [...new Parser(lines.addNewLine).parse(text)];
  const deep = tooDeep(tokens);
  if (deep !== undefined) {
    const remedy = `Nest lists and maps at most ${depthMax} deep.`;
    return fail([{ line: lineAt(deep.offset), problem: 'the nesting is too deep', remedy }]);
  }
  const composer = new Composer({ lineCounter: lines, prettyErrors: false });
  const [document, second] = composer.compose(tokens, true, text.length);
  if (document === undefined) throw new Error('The YAML library gave no document.');
  return ok({ document, second, lineAt });
}

/**
 * Reads one YAML document. A number that would be written differently, such as 012 or 1.10, is returned as text: in our
 * files it is more often a name.
 */
export function readYaml(text: string): Parsed {
  const composed = compose(text);
  if (!composed.ok) return composed;
  const { document, second, lineAt } = composed.value;
  const problems = [...document.errors, ...document.warnings].map((error) =>
    problemAt(lineAt(error.pos[0]), ...explained(error)),
  );
  if (second !== undefined) {
    const remedy = 'Keep one document per file; remove the "---".';
    problems.push(
      problemAt(second.range && lineAt(second.range[0]), 'a second document begins here', remedy),
    );
  }
  problems.push(...fix(document, lineAt));
  if (problems.length > 0) return fail(problems);
  const value = toValue(document);
  if (!value.ok) return value;
  return ok({ value: value.value, lineOf: (path) => lineOf(composed.value, path) });
}

/**
 * Finds the first token below the deepest allowed level, without recursion. The composer recurses, and running out of
 * stack there can end the process.
 */
function tooDeep(tokens: readonly CST.Token[]): CST.Token | undefined {
  let level: CST.Token[] = [...tokens];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > depthMax) return level[0];
    level = level.flatMap(inside);
  }
  return undefined;
}

function inside(token: CST.Token): CST.Token[] {
  if ('items' in token) {
    return token.items.flatMap(({ key, value }) => [key ?? [], value ?? []].flat());
  }
  return token.type === 'document' && token.value !== undefined ? [token.value] : [];
}

export function explained(error: YAMLError): [problem: string, remedy: string] {
  switch (error.code) {
    case 'DUPLICATE_KEY':
      return ['the same key is given twice', 'Keep one of the two.'];
    case 'TAB_AS_INDENT':
      return ['a tab is used to indent', 'Indent with spaces; YAML does not allow tabs.'];
    case 'TAG_RESOLVE_FAILED':
      return [`the tag is not known (${plain(error.message)})`, 'Remove the tag, or quote it.'];
    default:
      return [
        `the YAML cannot be read (${plain(error.message)})`,
        'Check indentation, brackets and quotes here and just above.',
      ];
  }
}

const plain = (message: string): string => message.split('\n')[0]?.replace(/[.:]\s*$/, '') ?? '';

/**
 * Restores the text of names that look like numbers, and reports aliases without an anchor: an unquoted text that begins
 * with a star, such as a glob, is an alias.
 */
function fix(document: YamlDocument, lineAt: LineAt): Problem[] {
  const lost: Problem[] = [];
  visit(document, {
    Alias(_, node) {
      if (node.resolve(document) !== undefined) return;
      const line = node.range ? lineAt(node.range[0]) : undefined;
      const problem = `"*${node.source}" refers to nothing`;
      lost.push(problemAt(line, problem, 'Put a text that begins with "*" in quotes.'));
    },
    Scalar(_, node) {
      if (typeof node.value !== 'number' || node.source === undefined) return;
      if (!Number.isSafeInteger(node.value) || String(node.value) !== node.source) {
        node.value = node.source;
      }
    },
  });
  return lost;
}

function toValue(document: YamlDocument): Result<unknown, readonly Problem[]> {
  try {
    return ok(document.toJS({ maxAliasCount: aliasesMax }));
  } catch (error) {
    // The library throws this for aliases that would multiply the text.
    if (!(error instanceof ReferenceError)) throw error;
    const remedy = 'Write the repeated parts out instead of using "*" references.';
    return fail([{ problem: `the aliases cannot be followed (${error.message})`, remedy }]);
  }
}

/** The line of what is at `path`; for a key that of its name, not of its value. */
export function lineOf({ document, lineAt }: Composed, path: Path): number | undefined {
  let node: unknown = document.contents;
  let offset = document.contents?.range?.[0];
  for (const part of path) {
    if (isAlias(node)) node = node.resolve(document);
    if (isMap(node)) {
      const pair = node.items.find(
        ({ key }) => isScalar(key) && String(key.value) === String(part),
      );
      if (pair === undefined) break;
      if (isScalar(pair.key)) offset = pair.key.range?.[0] ?? offset;
      node = pair.value;
    } else if (isSeq(node) && typeof part === 'number') {
      node = node.items[part];
      if (isMap(node) || isSeq(node) || isScalar(node)) offset = node.range?.[0] ?? offset;
    } else break;
  }
  return offset === undefined ? undefined : lineAt(offset);
}

/** Writes a value as YAML that `readYaml` reads back. Long texts are not folded, so that they stay easy to compare. */
export function yamlText(value: object): string {
  return stringify(value, { lineWidth: 0 });
}
