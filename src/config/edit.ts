import { isMap, isScalar, parseDocument, stringify } from 'yaml';
import { type Failure, fail, ok, type Result } from '../model/failure.ts';
import { pathOf, refusalOf, typeOf } from './dotted.ts';
import { projectFile } from './keys.ts';
import { configFailure, fileLayer, valueFrom } from './layers.ts';

export type Edited = Result<string, readonly Failure[]>;

export interface Assignment {
  readonly key: string;
  readonly value: string;
}

/**
 * Sets keys in the text of a config file, all of them or none. Comments and order are kept, and the result is checked
 * as a whole. An empty value removes the key and the sections that it leaves empty.
 */
export function setKeys(
  text: string,
  assignments: readonly Assignment[],
  file = projectFile,
): Edited {
  return edit(text, file, (before) => {
    const failures: Failure[] = [];
    let after = before;
    for (const { key, value } of assignments) {
      if (typeOf(key) === undefined) failures.push(configFailure(file, refusalOf(key)));
      else if (value === '') after = remove(after, pathOf(key));
      else {
        const parsed = valueFrom(key, value);
        if (parsed.ok) after = put(after, pathOf(key), parsed.value);
        else failures.push(configFailure(file, parsed.failure));
      }
    }
    return failures.length > 0 ? fail(failures) : ok(after);
  });
}

/** Parses `a=1,b.c=x`. A comma inside brackets or quotes belongs to the value. */
export function parseAssignments(text: string): Result<readonly Assignment[]> {
  const assignments: Assignment[] = [];
  for (const part of splitOutside(text)) {
    const at = part.indexOf('=');
    if (at < 1) {
      const problem = `"${part}" is not of the form KEY=VALUE`;
      return fail({ kind: 'usage', problem, remedy: 'Write for example jobs=4,gate.timeout=10m.' });
    }
    assignments.push({ key: part.slice(0, at).trim(), value: part.slice(at + 1).trim() });
  }
  return ok(assignments);
}

/** Applies a change to a valid text, and refuses a result that is not valid. */
function edit(text: string, file: string, change: (text: string) => Edited): Edited {
  const before = fileLayer('project file', file, text);
  if (!before.ok) return before;
  const after = change(text);
  if (!after.ok) return after;
  const checked = fileLayer('project file', file, after.value);
  return checked.ok ? after : checked;
}

function put(text: string, path: readonly string[], value: unknown): string {
  const document = parseDocument(text);
  const otherwise = spelledOtherwise(document, path);
  if (otherwise !== undefined) return put(remove(text, otherwise), path, value);
  const there = document.getIn(path, true);
  if (isScalar(there) && there.range && there.source && isPlain(value)) {
    // Only the value is replaced, so that the rest of the text stays exactly as it is.
    const [start, end] = there.range;
    return text.slice(0, start) + written(value) + text.slice(end);
  }
  // "gate: none" or an empty section is removed before a key below it can be set.
  for (let length = 1; length < path.length; length += 1) {
    const above = path.slice(0, length);
    if (document.hasIn(above) && !isMap(document.getIn(above))) document.deleteIn(above);
  }
  document.setIn(path, document.createNode(value, { flow: Array.isArray(value) }));
  return printed(document, text);
}

const isPlain = (value: unknown): value is string | number | boolean =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';

/** Quotes a text that YAML could read as something else. */
function written(value: string | number | boolean): string {
  const isSafe = typeof value !== 'string' || /^[\w./-]+$/.test(value);
  return isSafe ? stringify(value, { lineWidth: 0 }).trimEnd() : JSON.stringify(value);
}

type Path = readonly (string | number)[];
type YamlDocument = ReturnType<typeof parseDocument>;

/** The path of a priority that the file spells in another way, such as `p0` or 0 for `P0`. */
function spelledOtherwise(document: YamlDocument, path: Path): Path | undefined {
  const [first = '', second, priority] = path;
  if (second !== 'by_priority' || typeof priority !== 'string') return undefined;
  const bare = priority.slice(1);
  return [`p${bare}`, bare, Number(bare)]
    .map((name) => [first, second, name])
    .find((other) => document.hasIn(other));
}

function remove(text: string, wanted: Path): string {
  const document = parseDocument(text);
  const path = spelledOtherwise(document, wanted) ?? wanted;
  if (!document.hasIn(path)) return text;
  document.deleteIn(path);
  for (let above = path.slice(0, -1); above.length > 0; above = above.slice(0, -1)) {
    const section = document.getIn(above);
    if (isMap(section) && section.items.length === 0) document.deleteIn(above);
  }
  return printed(document, text);
}

/** Prints the document. Brackets keep the padding that the text has. */
function printed(document: YamlDocument, text: string): string {
  const isEmpty = isMap(document.contents) && document.contents.items.length === 0;
  if (isEmpty) document.contents = null;
  if (document.contents === null && !document.comment && !document.commentBefore) return '';
  return document.toString({ lineWidth: 0, flowCollectionPadding: /[[{] /.test(text) });
}

function splitOutside(text: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let isQuoted = false;
  let start = 0;
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at] ?? '';
    if (isQuoted && char === '\\') at += 1;
    else if (char === '"') isQuoted = !isQuoted;
    else if (!isQuoted && '[{'.includes(char)) depth += 1;
    else if (!isQuoted && ']}'.includes(char)) depth -= 1;
    else if (!isQuoted && depth === 0 && char === ',') {
      parts.push(text.slice(start, at));
      start = at + 1;
    }
  }
  return [...parts, text.slice(start)];
}
