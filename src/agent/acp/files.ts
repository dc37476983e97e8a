import { lstatSync, mkdirSync, readFileSync, realpathSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, relative, sep } from 'node:path';
import type { Json } from '../harness.ts';
import { numberAt, textAt } from '../stream.ts';
import { bounds } from './event.ts';
import { internalError, invalidParams, type Reply } from './peer.ts';

const notFound = -32002;

/** Reads a file of the worktree for the agent, or some of its lines. */
export function readTextFile(worktree: string, params: Json): Reply {
  return within(worktree, params, (file) => {
    const { size } = statSync(file);
    if (size > bounds.fileBytes) {
      return refused(`${file} has ${size} bytes; the limit is ${bounds.fileBytes}.`);
    }
    const text = readFileSync(file, 'utf8');
    const content = linesOf(text, numberAt(params, 'line'), numberAt(params, 'limit'));
    return { result: { content } };
  });
}

/** Writes a file of the worktree for the agent; creates its folders. */
export function writeTextFile(worktree: string, params: Json): Reply {
  const content = textAt(params, 'content');
  if (content === undefined) return refused('The request has no content to write.');
  return within(worktree, params, (file) => {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
    return { result: {} };
  });
}

/** Line numbers start at 1; a final line end does not start another line. */
export function linesOf(text: string, line: number | undefined, limit: number | undefined): string {
  if (line === undefined && limit === undefined) return text;
  const from = Math.max(0, (line ?? 1) - 1);
  const lines = text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
  return lines.slice(from, limit === undefined ? undefined : from + limit).join('');
}

function within(worktree: string, params: Json, act: (file: string) => Reply): Reply {
  const path = textAt(params, 'path') ?? '';
  if (!isAbsolute(path)) return refused(`The path "${path}" is not absolute.`);
  try {
    const root = realpathSync(worktree);
    const file = realPath(path);
    const inside = relative(root, file);
    if (inside === '' || inside === '..' || inside.startsWith(`..${sep}`) || isAbsolute(inside)) {
      return refused(`${path} is not in the worktree ${root}.`);
    }
    // In a worktree, `.git` is the file that points to its git folder.
    if (inside === '.git' || inside.startsWith(`.git${sep}`)) {
      return refused(`${path} belongs to git.`);
    }
    // Reading a pipe or a device could block forever.
    if (statSync(file, { throwIfNoEntry: false })?.isFile() === false) {
      return refused(`${path} is not a file.`);
    }
    return act(file);
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error)) throw error;
    const code = error.code === 'ENOENT' ? notFound : internalError;
    return { error: { code, message: error.message } };
  }
}

/** Resolves links in a path; the missing part of the path stays as it is. */
function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch (error) {
    const parent = dirname(path);
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    // A write would follow a dangling link to anywhere.
    const isLink = lstatSync(path, { throwIfNoEntry: false }) !== undefined;
    if (!isMissing || isLink || parent === path) throw error;
    return join(realPath(parent), basename(path));
  }
}

function refused(message: string): Reply {
  return { error: { code: invalidParams, message } };
}
