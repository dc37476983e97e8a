import { fenced } from '../document/fences.ts';
import { type Finding, type Severity, severities } from '../model/finding.ts';
import { limits } from '../model/limits.ts';
import type { ReviewVerdict } from '../model/review.ts';
import { shortLine } from '../model/visible.ts';

export const approvedLine = 'VERDICT: APPROVED';
export const needsChangesLine = 'VERDICT: NEEDS_CHANGES';
/** Not in the prompt, but some reviewers print it. */
const rejectedLine = 'VERDICT: REJECTED';

const verdicts: ReadonlyMap<string, ReviewVerdict> = new Map([
  [approvedLine, 'approved'],
  [needsChangesLine, 'needs-changes'],
  [rejectedLine, 'needs-changes'],
]);

/** A parsed review, or why the answer is not one. */
type Review =
  | { readonly ok: true; readonly verdict: ReviewVerdict; readonly findings: readonly Finding[] }
  | { readonly ok: false; readonly problem: string };

/**
 * Reads a reviewer's answer. A verdict is a whole line outside of code blocks. Anything inside a sentence does not
 * count, and contradicting verdicts, as in a repetition of the prompt, are invalid. An approval with a serious finding
 * is not an approval.
 */
export function parseReview(text: string): Review {
  const { outside, blocks } = fenced(text);
  const shown = blocks.flatMap((block) => block.text.split(/\r?\n/));
  const isVerdict = (line: string): boolean => verdicts.has(line.trimEnd());
  const all = text.split(/\r?\n/).filter(isVerdict).length;
  if (all > outside.filter(isVerdict).length + shown.filter(isVerdict).length) {
    // If the beginning of the answer was cut off, blocks and the text between them are swapped.
    return problem('its verdict is in a code block that is never closed');
  }
  const found = new Set(
    outside.map((line) => verdicts.get(line)).filter((one) => one !== undefined),
  );
  if (found.size > 1) return problem('it has two contradicting verdicts');
  const [verdict] = found;
  if (verdict === undefined) {
    return problem(`it has no line ${approvedLine} or ${needsChangesLine}`);
  }
  return reviewOf(
    verdict,
    outside.filter((line) => findingMark.test(line)),
  );
}

function problem(text: string): Review {
  return { ok: false, problem: text };
}

const findingMark = /^FINDING\b/;

function reviewOf(verdict: ReviewVerdict, lines: readonly string[]): Review {
  const found: Finding[] = [];
  const unreadable: string[] = [];
  for (const line of lines) {
    const finding = findingIn(line);
    if (finding === undefined) unreadable.push(line);
    else found.push(finding);
  }
  if (verdict === 'approved') {
    if (unreadable.some((line) => /\b(?:blocker|major)\b/i.test(line))) {
      return problem('it approves, but has a serious finding that is not readable');
    }
    return {
      ok: true,
      verdict: found.some(isSerious) ? 'needs-changes' : verdict,
      findings: keptFindings(found),
    };
  }
  if (found.length > 0) return { ok: true, verdict, findings: keptFindings(found) };
  return problem(
    unreadable.length > 0
      ? 'it requests changes, but none of its findings is readable'
      : 'it requests changes, but has no findings',
  );
}

const isSerious = ({ severity }: Finding): boolean =>
  severity === 'blocker' || severity === 'major';

/** `FINDING id severity place text`; a place with spaces is in quotes. */
const shape = /^FINDING\s+(\S+)\s+(\S+)\s+("[^"]+"\S*|\S+)\s+(\S.*)$/;

function findingIn(line: string): Finding | undefined {
  const [, id = '', word = '', place = '', text = ''] = shape.exec(line) ?? [];
  const severity = severityOf(word);
  if (severity === undefined) return undefined;
  return { id: idOf(id), severity, ...placeOf(place), text: shortLine(text, limits.findingChars) };
}

function severityOf(word: string): Severity | undefined {
  const name = word.toLowerCase();
  return severities.find((severity) => severity === name);
}

/** Normalizes an id, because ids are compared across rounds. */
function idOf(word: string): string {
  const letters = word.toLowerCase().replace(/[^a-z0-9._-]+/g, '');
  const short = letters.slice(0, limits.findingIdChars);
  return short.replace(/^[._-]+|[._-]+$/g, '') || 'finding';
}

/** `file`, `file:12`, `file:12-20` and `file:12:5`; `-` for none. */
function placeOf(word: string): Pick<Finding, 'file' | 'line'> {
  const [, name = '', line] =
    /^(.*?)(?::(\d{1,7})(?:[-:]\d+)?)?$/.exec(word.replaceAll('"', '')) ?? [];
  const file = shortLine(name.replace(/^\.\//, ''), limits.findingFileChars);
  if (file === '-' || file === '') return {};
  return line === undefined ? { file } : { file, line: Number(line) };
}

/** The most severe findings up to the limit, in their own order, with unique ids. */
function keptFindings(found: readonly Finding[]): readonly Finding[] {
  const grave = (finding: Finding): number => severities.indexOf(finding.severity);
  const kept = new Set([...found].sort((a, b) => grave(a) - grave(b)).slice(0, limits.findings));
  const taken = new Set<string>();
  return found
    .filter((finding) => kept.has(finding))
    .map((finding) => {
      let id = finding.id;
      for (let more = 2; taken.has(id); more += 1) id = `${finding.id}-${more}`;
      taken.add(id);
      return { ...finding, id };
    });
}
