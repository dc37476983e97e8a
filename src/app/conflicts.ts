import { lstatSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ok, type Result } from '../model/failure.ts';
import { plainGit } from './plain-git.ts';
import type { Project } from './ports.ts';

/** A file with an unresolved merge conflict. */
export interface Unresolved {
  readonly file: string;
  /** Line numbers of conflict markers. Empty if one side has to be chosen as a whole. */
  readonly lines: readonly number[];
}

/**
 * Unresolved files of a merge in a worktree. A text without conflict markers counts as resolved even without `git add`;
 * anything else, such as a file that one side deleted, needs `git add` or `git rm`.
 */
export async function unresolvedIn(
  project: Pick<Project, 'probe'>,
  dir: string,
  files: readonly string[],
): Promise<Result<readonly Unresolved[]>> {
  const unmerged = await unmergedIn(project, dir);
  if (!unmerged.ok) return unmerged;
  const left = [...new Set([...files, ...unmerged.value.keys()])].flatMap((file) => {
    const text = textIn(dir, file);
    const lines = text === undefined ? [] : marksIn(text);
    if (lines.length > 0) return [{ file, lines }];
    const sides = unmerged.value.get(file);
    const open = sides !== undefined && !(sides === bothSides && text !== undefined);
    return open ? [{ file, lines: [] }] : [];
  });
  return ok(left.sort((a, b) => (a.file < b.file ? -1 : 1)));
}

/** Plain files on both sides: only these can be merged as text. */
const bothSides = 'both';

/** Unmerged paths, and whether both sides have a plain file there. */
async function unmergedIn(
  project: Pick<Project, 'probe'>,
  dir: string,
): Promise<Result<ReadonlyMap<string, typeof bothSides | 'other'>>> {
  const listed = await plainGit(project, dir, ['ls-files', '-u', '-z']);
  if (!listed.ok) return listed;
  const sides = new Map<string, string[]>();
  for (const entry of listed.value.split('\0').filter(Boolean)) {
    const [about = '', path = ''] = entry.split('\t');
    const [mode = '', , stage = ''] = about.split(' ');
    if (stage !== '1') sides.set(path, [...(sides.get(path) ?? []), mode]);
    else if (!sides.has(path)) sides.set(path, []);
  }
  return ok(
    new Map(
      [...sides].map(([path, modes]) => [
        path,
        modes.length === 2 && modes.every((mode) => mode.startsWith('100')) ? bothSides : 'other',
      ]),
    ),
  );
}

/** Content of a text file; undefined for anything else. */
function textIn(dir: string, file: string): string | undefined {
  const path = join(dir, file);
  if (lstatSync(path, { throwIfNoEntry: false })?.isFile() !== true) return undefined;
  const bytes = readFileSync(path);
  return bytes.includes(0) ? undefined : bytes.toString('utf8');
}

/** Matches only markers that git writes: a text may be about conflicts. */
const opening = /^<{7,} HEAD\b/;
const closing = /^>{7,} [0-9a-f]{40}/;

function marksIn(text: string): readonly number[] {
  const lines = text.split('\n');
  const numbered = (mark: RegExp): number[] =>
    lines.flatMap((line, at) => (mark.test(line) ? [at + 1] : []));
  const begins = numbered(opening);
  return begins.length > 0 ? begins : numbered(closing);
}
