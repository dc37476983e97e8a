import { limits } from '../model/limits.ts';
import { assertionsOf } from './asserts.ts';
import { type Counts, countsOf } from './changed.ts';
import { type Code, codeOf, type Language } from './code.ts';

/** Marks that run some tests and silence all others. */
const focus: Partial<Readonly<Record<Language, RegExp>>> = {
  js: /\.only\b\s*[(.]|(?<![\w$.])(?:fit|fdescribe|fcontext|ddescribe|iit)\s*\(|\b(?:it|test|describe|suite)\b.*\bonly:\s*true\b/,
  ruby: /^(?:fit|fdescribe|fcontext|fspecify)\b|\bfocus:\s*true\b|,\s*:focus\b/,
  php: /->only\(/,
};

/** Marks that skip a test or hide its failure. */
const skip: Partial<Readonly<Record<Language, RegExp>>> = {
  js: /\b(?:it|test|describe|suite|context|specify|bench)(?:\.\w+)*\.(?:skip\w*|todo|fixme|fails?|failing|runIf)\b|\b(?:t|ctx|this)\.(?:skip|todo)\b|\.(?:skip|todo)\s*\(\s*["'`]|(?<![\w$.])(?:xit|xtest|xdescribe|xcontext|xspecify|pending)\s*\(|(?:\b(?:it|test|describe|suite)\b.*|^)\{?\s*\b(?:skip|todo):\s*(?:true\b|["'`]|!)|\bprocess\.exit\(\s*0?\s*\)|\bprocess\.exitCode\s*=\s*0/,
  python:
    /@(?:pytest\.mark\.(?:skip|xfail)|unittest\.(?:skip|expectedFailure)|skip(?:If|Unless|if)?\b)|\bpytest\.(?:skip|xfail|importorskip|mark\.(?:skip|xfail)\w*)\b|\.skipTest\(|\braise\s+(?:unittest\.)?SkipTest\b|__test__\s*=\s*False|\bcollect_ignore\b|\b(?:sys|os)\._?exit\(\s*0?\s*\)|\braise\s+SystemExit(?:\(\s*0?\s*\))?\s*$/,
  go: /\b\w+\.Skip(?:f|Now)?\(|\bos\.Exit\(0\)/,
  rust: /#!?\[ignore\b|#!?\[cfg\((?:any\(\)|never|FALSE|not\(test\))\)\]|\bprocess::exit\(0\)/,
  jvm: /@(?:Disabled|Ignore)\w*|@Enabled(?:If|On|For)\w*|\bassume(?:True|False|That)?\s*\(|\benabled\s*=\s*false\b/,
  ruby: /^(?:skip|pending)\b(?!\s*=)|^x(?:it|describe|context|specify)\b|\b(?:skip|pending):\s*(?:true\b|["'])|,\s*:skip\b|^exit!?(?:\s+0|\(0\))?$|^__END__$/,
  csharp: /\[[^\]]*\bSkip\s*=|\[Ignore\b|\[Explicit\b|\bAssert\.(?:Ignore|Inconclusive|Pass)\(/,
  php: /\bmarkTest(?:Skipped|Incomplete)\b|->(?:skip|todo)\(|^(?:exit|die)(?:\(\s*0?\s*\))?;/,
  shell: /^skip\b|^set\s+\+\w*e|\|\|\s*(?:exit|return)\s+0\b/,
  other: /\bGTEST_SKIP\b|\bDISABLED_\w|\bXCTSkip|@tag\s+:skip|\.disabled\(/,
};

const dead =
  /\bif\s*\(\s*(?:false|0)\s*\)|\bif\s+(?:false|False|0)\s*[:{;]|(?:^|[({;]|=>)\s*(?:false|0)\s*&&/;
/** Go build constraint, which may exclude a file. */
const buildTag = /^\/\/(?:go:build|\s\+build)\b/;

interface Line {
  /** Without comments and indentation. */
  readonly bare: string;
  /** Also without string contents. */
  readonly code: string;
  readonly at: number;
}

export interface Skips {
  readonly after: Code;
  /** Absent for a new file that took over no existing tests. */
  readonly before?: Code;
  /** Lines removed from tests in the same change, with counts: a moved line skips nothing new. Matches are used up. */
  readonly left: Counts;
  /** True if the line at this offset belongs to a new case, which may be skipped for now. */
  isNewCase(line: string, at: number): boolean;
}

/** Added lines that skip tests or hide failures. */
export function skipsIn({ after, before, left, isNewCase }: Skips): readonly string[] {
  const { language } = after;
  const now = linesOf(after);
  const known = countsOf(before === undefined ? [] : bareLines(before));
  const found: string[] = [];
  for (const [place, line] of now.entries()) {
    if (taken(known, line.bare)) continue;
    const focused = focus[language]?.test(line.code.trim()) === true;
    const hidden =
      !focused &&
      before !== undefined &&
      hides(language, now, place, known) &&
      !isNewCase(line.code, line.at);
    if ((focused || hidden) && !taken(left, line.bare)) found.push(line.bare);
  }
  if (before !== undefined && swallowed(after) > swallowed(before)) {
    found.push('an assertion failure is caught and ignored');
  }
  return found;
}

function taken(counts: Counts, line: string): boolean {
  const times = counts.get(line) ?? 0;
  if (times > 0) counts.set(line, times - 1);
  return times > 0;
}

export function bareLines(code: Code): readonly string[] {
  return linesOf(code).map(({ bare }) => bare);
}

function linesOf({ language, text, bare, code }: Code): readonly Line[] {
  const codes = code.split('\n');
  const tags = language === 'go' ? text.split('\n') : [];
  let next = 0;
  return bare.split('\n').flatMap((line, place): Line[] => {
    const at = next;
    next += line.length + 1;
    const tag = tags[place] ?? '';
    if (buildTag.test(tag)) return [{ bare: tag.trim(), code: tag, at }];
    const trimmed = line.trim();
    return trimmed === '' ? [] : [{ bare: trimmed, code: (codes[place] ?? '').trimEnd(), at }];
  });
}

function hides(
  language: Language,
  lines: readonly Line[],
  at: number,
  known: ReadonlyMap<string, number>,
): boolean {
  const line = lines[at];
  if (line === undefined) return false;
  const code = line.code.trim();
  if (skip[language]?.test(code) || dead.test(code) || buildTag.test(code)) return true;
  if (language === 'shell') return isForgiven(line.bare, known) || isEarlyExit(lines, at);
  return isEarlyReturn(lines, at);
}

/** True for a check whose failure is ignored on the same line. */
function isForgiven(line: string, known: ReadonlyMap<string, number>): boolean {
  if (/^trap\s.*\bexit\s+0\b/.test(line)) return true;
  const check = /^(.*?)\s*(?:\|\||;)\s*(?:true|:)\s*;?$/.exec(line)?.[1];
  if (check === undefined) return false;
  return known.has(check) || assertionsOf(codeOf('shell', check)).length > 0;
}

/** `exit 0` with code after it; as the last line it is harmless. */
function isEarlyExit(lines: readonly Line[], at: number): boolean {
  if (!/(?:^|[;&{]\s*|\bthen\s+)exit(?:\s+0)?\s*(?:;|$|\})/.test(lines[at]?.code.trim() ?? '')) {
    return false;
  }
  const last = lines.findLastIndex(({ code }) => !/^\s*(?:\}|fi|esac|done|;;)?\s*$/.test(code));
  return last > at;
}

/** Bare `return` followed by code of the same block. */
function isEarlyReturn(lines: readonly Line[], at: number): boolean {
  const code = lines[at]?.code ?? '';
  const next = lines[at + 1]?.code ?? '';
  if (!/^\s*return\s*;?$/.test(code) || indent(next) < indent(code)) return false;
  if (/^\s*(?:[)}\]]|case\b|default\b|end\b|elif\b|else\b|$)/.test(next)) return false;
  const previous = (lines[at - 1]?.code ?? '').trim();
  return !/(?:^|\s)(?:if|else|while|for)\b[^{]*$/.test(previous) || previous.endsWith('{');
}

function indent(line: string): number {
  return line.length - line.trimStart().length;
}

const swallow: Partial<Readonly<Record<Language, RegExp>>> = {
  js: /\bcatch\s*(?:\(\s*\w*\s*\)\s*)?\{\s*\}/g,
  jvm: /\bcatch\s*\([^()]*\)\s*\{\s*\}/g,
  csharp: /\bcatch\s*(?:\([^()]*\)\s*)?\{\s*\}/g,
  php: /\bcatch\s*\([^()]*\)\s*\{\s*\}/g,
  python: /\bexcept\b[^:\n]*:\s*(?:pass|\.\.\.)/g,
};

/** Number of empty catch blocks around assertions. */
function swallowed({ language, code, text }: Code): number {
  const pattern = swallow[language];
  if (pattern === undefined) return 0;
  return [...code.matchAll(pattern)].filter(({ index }) => {
    const near = Math.max(0, index - limits.statementChars);
    const start = code.slice(near, index).lastIndexOf('try');
    const inside = start === -1 ? '' : text.slice(near + start, index);
    return assertionsOf(codeOf(language, inside)).length > 0;
  }).length;
}
