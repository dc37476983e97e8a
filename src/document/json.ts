import { fail, ok, type Result } from '../model/failure.ts';
import { type Parsed, type Path, type Problem, problemAt } from './document.ts';
import { compose, explained, lineOf } from './yaml.ts';

/** Reads JSON as the standard has it: no comments, no trailing commas. A key that is given twice is refused. */
export function readJson(text: string): Parsed {
  const parsed = parse(text);
  if (!parsed.ok) return fail([syntaxProblem(text)]);
  // JSON is YAML, so the YAML library knows the line of every value. It is slow, and lines are rarely needed.
  let composed: ReturnType<typeof compose> | undefined;
  const positions = () => (composed ??= compose(text));
  if (keysWritten(text) !== keysIn(parsed.value)) {
    const found = positions();
    if (!found.ok) return found;
    const { document, lineAt } = found.value;
    const twice = document.errors.filter(({ code }) => code === 'DUPLICATE_KEY');
    return fail(twice.map((error) => problemAt(lineAt(error.pos[0]), ...explained(error))));
  }
  const line = (path: Path): number | undefined => {
    const found = positions();
    return found.ok ? lineOf(found.value, path) : undefined;
  };
  return ok({ value: parsed.value, lineOf: line });
}

function keysWritten(json: string): number {
  let count = 0;
  for (const [, colon] of json.matchAll(/"(?:[^"\\]|\\.)*"(\s*:)?/g))
    if (colon !== undefined) count += 1;
  return count;
}

function keysIn(value: unknown): number {
  let count = 0;
  const rest = [value];
  while (rest.length > 0) {
    const next = rest.pop();
    if (typeof next !== 'object' || next === null) continue;
    const values: unknown[] = Object.values(next);
    if (!Array.isArray(next)) count += values.length;
    for (const inner of values) rest.push(inner);
  }
  return count;
}

/** `atEnd` if the text is only too short: more text could still make it JSON. */
function parse(text: string): Result<unknown, { readonly atEnd: boolean }> {
  try {
    return ok(JSON.parse(text));
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    const position = / at position (\d+)/.exec(error.message)?.[1];
    const atEnd =
      position === undefined ? /end of JSON/.test(error.message) : Number(position) >= text.length;
    return fail({ atEnd });
  }
}

function syntaxProblem(text: string): Problem {
  const end = text.trimEnd().length;
  const offset = Math.min(firstWrong(text), end);
  const line = text.slice(0, offset).split('\n').length;
  const rest = text.slice(offset, offset + 20).split('\n')[0];
  const problem =
    offset === end ? 'the JSON ends too early' : `the JSON cannot be read at "${rest}"`;
  const remedy =
    'JSON needs double quotes, and allows neither comments nor a comma after the last item.';
  return { line, problem, remedy };
}

/**
 * The offset of the first character that cannot be part of JSON. The runtime does not always report it, so it is
 * searched for: it ends the shortest beginning of the text that more text could not complete.
 */
function firstWrong(text: string): number {
  let low = 0;
  let high = text.length + 1;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    const start = parse(text.slice(0, middle));
    if (start.ok || start.failure.atEnd) low = middle;
    else high = middle;
  }
  return low;
}
