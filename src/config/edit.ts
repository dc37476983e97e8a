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
 * The text of a config file with keys set, in their order: all of them or none. Comments and order stay; the result is
 * checked as a whole. An empty value takes the key away, and the sections that are empty then; taking away what is not
 * set changes nothing.
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
      const known = typeOf(key) !== undefined;
      const parsed = known ? valueOrNone(key, value) : fail(refusalOf(key));
      if (!parsed.ok) failures.push(configFailure(file, parsed.failure));
      else if (value === '') after = take(after, pathOf(key));
      else after = put(after, pathOf(key), parsed.value);
    }
    return failures.length > 0 ? fail(failures) : ok(after);
  });
}

/** `a=1,b.c=x` as assignments. A comma inside brackets or quotes belongs to the value. */
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

/** An empty value is none of any type. */
function valueOrNone(key: string, value: string): ReturnType<typeof valueFrom> {
  return value === '' ? ok(undefined) : valueFrom(key, value);
}

/** A file that is wrong already is not made worse: before and after it is read as it would be for a run. */
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
  if (otherwise !== undefined) return put(take(text, otherwise), path, value);
  const there = document.getIn(path, true);
  if (isScalar(there) && there.range && there.source && isPlain(value)) {
    // Only the value itself is written again, so that the rest keeps its very letters.
    const [start, end] = there.range;
    return text.slice(0, start) + written(value) + text.slice(end);
  }
  // "gate: none" has to make room before a key below "gate" can be set, and an empty section as well.
  for (let length = 1; length < path.length; length += 1) {
    const above = path.slice(0, length);
    if (document.hasIn(above) && !isMap(document.getIn(above))) document.deleteIn(above);
  }
  document.setIn(path, document.createNode(value, { flow: Array.isArray(value) }));
  return printed(document, text);
}

const isPlain = (value: unknown): value is string | number | boolean =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';

/** Quoted wherever the place it goes to could read it as something else. */
function written(value: string | number | boolean): string {
  const isSafe = typeof value !== 'string' || /^[\w./-]+$/.test(value);
  return isSafe ? stringify(value, { lineWidth: 0 }).trimEnd() : JSON.stringify(value);
}

type Path = readonly (string | number)[];

/** A priority may be in the file as `p0` or as a bare number. */
function spelledOtherwise(
  document: ReturnType<typeof parseDocument>,
  path: Path,
): Path | undefined {
  const [first, second, priority] = path;
  if (second !== 'by_priority' || typeof priority !== 'string') return undefined;
  const bare = priority.slice(1);
  return [`p${bare}`, bare, Number(bare)]
    .map((name) => [first ?? '', second, name])
    .find((other) => document.hasIn(other));
}

function take(text: string, wanted: Path): string {
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

/** Brackets keep the padding they have in the text, as far as all of them have the same. */
function printed(document: ReturnType<typeof parseDocument>, text: string): string {
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
