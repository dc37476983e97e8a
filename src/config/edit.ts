import { parseDocument } from 'yaml';
import { type Failure, fail, ok, type Result } from '../model/failure.ts';
import { pathOf, refusalOf, typeOf } from './dotted.ts';
import { projectFile } from './keys.ts';
import { configFailure, fileLayer, valueFrom } from './layers.ts';
import { type Path, putKey, removeKey } from './yaml-text.ts';

export type Edited = Result<string, readonly Failure[]>;

export interface Assignment {
  readonly key: string;
  readonly value: string;
}

/**
 * Sets keys in the text of a config file, all of them or none. Other lines keep their bytes, and the result is
 * checked as a whole. An empty value removes the key and the sections that it leaves empty.
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
  const otherwise = spelledOtherwise(text, path);
  return putKey(otherwise === undefined ? text : removeKey(text, otherwise), path, value);
}

function remove(text: string, path: Path): string {
  return removeKey(text, spelledOtherwise(text, path) ?? path);
}

/** The path of a priority that the file spells in another way, such as `p0` or 0 for `P0`. */
function spelledOtherwise(text: string, path: Path): Path | undefined {
  const [first = '', second, priority] = path;
  if (second !== 'by_priority' || typeof priority !== 'string') return undefined;
  const document = parseDocument(text);
  const bare = priority.slice(1);
  return [`p${bare}`, bare, Number(bare)]
    .map((name) => [first, second, name])
    .find((other) => document.hasIn(other));
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
