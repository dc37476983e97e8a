import { fail, ok } from '../model/failure.ts';
import { type Parsed, type Path, type Problem, problemAt } from './document.ts';
import { readJson } from './json.ts';

/** Reads one JSON value per line, as a list. Empty lines do not count. All broken lines are reported. */
export function readJsonLines(text: string): Parsed {
  const values: unknown[] = [];
  const lines: number[] = [];
  const problems: Problem[] = [];
  for (const [at, written] of text.split('\n').entries()) {
    if (written.trim() === '') continue;
    const line = at + 1;
    if (/^(?:<{7}|={7}|>{7}|\|{7})(?: |\r?$)/.test(written)) {
      const remedy = 'Resolve the conflict in this file first.';
      problems.push(problemAt(line, 'git left a merge conflict here', remedy));
      continue;
    }
    const parsed = readJson(written);
    if (parsed.ok) {
      values.push(parsed.value.value);
      lines.push(line);
    } else problems.push(...parsed.failure.map((problem) => ({ ...problem, line })));
  }
  if (problems.length > 0) return fail(problems);
  return ok({ value: values, lineOf: ([at]: Path) => lines[Number(at)] });
}
