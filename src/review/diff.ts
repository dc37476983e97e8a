import { limits } from '../model/limits.ts';

interface BoundedDiff {
  readonly text: string;
  /** Files that are not shown in full, in the order of the patch. */
  readonly omitted: readonly string[];
}

/**
 * Cuts a git patch to `chars` characters. Whole files are kept, smallest first, so that as many as possible are shown;
 * the remaining space shows the beginning of the next one. All other files are listed.
 */
export function boundedDiff(patch: string, chars: number): BoundedDiff {
  const sections = sectionsOf(patch);
  const bySize = [...sections].sort((a, b) => a.text.length - b.text.length);
  const whole = new Set<Section>();
  let room = chars;
  for (const section of bySize) {
    if (section.text.length > room) break;
    whole.add(section);
    room -= section.text.length;
  }
  const next = bySize.find((section) => !whole.has(section));
  const part = next === undefined ? '' : beginningOf(next, room);
  return {
    text: sections.map((one) => (whole.has(one) ? one.text : one === next ? part : '')).join(''),
    omitted: sections.filter((one) => !whole.has(one)).map(({ path }) => path),
  };
}

/** The part of a patch about one file. */
interface Section {
  readonly path: string;
  readonly text: string;
}

/** Content lines have a prefix, so none of them can look like the start of a section. */
function sectionsOf(patch: string): readonly Section[] {
  const texts = patch.split(/(?<![^\n])(?=diff --)/).filter((text) => text !== '');
  return texts.map((text) => ({ text, path: pathIn(text) }));
}

/** Whole lines from the beginning and a mark; empty if too little would be shown. */
function beginningOf({ path, text }: Section, room: number): string {
  const mark = `[the rest of ${path} is left out]\n`;
  if (room < Math.max(limits.reviewPartChars, mark.length)) return '';
  const cut = text.slice(0, room - mark.length);
  return `${cut.slice(0, cut.lastIndexOf('\n') + 1)}${mark}`;
}

/** Path of the file, after the change if it still exists. */
function pathIn(section: string): string {
  const [head = '', ...rest] =
    section.split(/(?<![^\n])(?:@@|Binary files |GIT binary patch)/, 1)[0]?.split('\n') ?? [];
  const named = (mark: string): string | undefined =>
    rest
      .find((line) => line.startsWith(mark))
      ?.slice(mark.length)
      .replace(/\t$/, '');
  const marked = [named('+++ '), named('--- ')]
    .map((name) => (name === undefined ? undefined : unquoted(name)))
    .find((name) => name !== undefined && name !== '/dev/null');
  if (marked !== undefined) return marked.replace(/^[ab]\//, '');
  const renamed = named('rename to ') ?? named('copy to ');
  return renamed === undefined ? pathInHead(head) : unquoted(renamed);
}

/** `diff --git a/name b/name` for a file without content lines, such as an empty or binary one. */
function pathInHead(head: string): string {
  const names = head.replace(/^diff --\w+ /, '');
  const half = names.slice((names.length + 1) / 2);
  const isTwice =
    `a/${unquoted(half).slice(2)}` === unquoted(names.slice(0, (names.length - 1) / 2));
  return isTwice ? unquoted(half).slice(2) : names;
}

/** Git quotes names with unusual characters and writes bytes in octal. */
function unquoted(name: string): string {
  const inner = /^"(.*)"$/.exec(name)?.[1];
  if (inner === undefined) return name;
  const bytes: number[] = [];
  for (const [, octal, escaped, plain = ''] of inner.matchAll(/\\([0-7]{3})|\\(.)|([^\\]+)/gu)) {
    if (octal !== undefined) bytes.push(Number.parseInt(octal, 8));
    else bytes.push(...new TextEncoder().encode(escaped === undefined ? plain : letterOf(escaped)));
  }
  return new TextDecoder().decode(Uint8Array.from(bytes));
}

const letters: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r' };
const letterOf = (escaped: string): string => letters[escaped] ?? escaped;
