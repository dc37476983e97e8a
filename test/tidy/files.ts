// The files a commit would hold, and what the rules report about them.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../..', import.meta.url));

export interface TextFile {
  readonly path: string;
  readonly text: string;
}

export interface Problem {
  readonly file: string;
  readonly line: number;
  /** What is wrong and what to do, in a sentence. */
  readonly say: string;
}

/** Tracked files and those that would be added; paths from the root with forward slashes. */
export function listFiles(): string[] {
  const args = ['ls-files', '--cached', '--others', '--exclude-standard', '-z'];
  const listed = execFileSync('git', args, { cwd: root, encoding: 'utf8' }).split('\0');
  return [...new Set(listed)]
    .filter((path) => path !== '' && existsSync(join(root, path)))
    .filter((path) => statSync(join(root, path)).isFile())
    .sort();
}

export function readText(path: string): TextFile {
  return { path, text: readFileSync(join(root, path), 'utf8') };
}

export function sizeInBytes(path: string): number {
  return statSync(join(root, path)).size;
}

export function isTestFile(path: string): boolean {
  return path.endsWith('.test.ts') || path.startsWith('test/');
}

export function lineAt(text: string, offset: number): number {
  let line = 1;
  for (let at = text.indexOf('\n'); at !== -1 && at < offset; at = text.indexOf('\n', at + 1)) {
    line += 1;
  }
  return line;
}

/** Fails the running test with one line per problem. */
export function expectNone(problems: readonly Problem[]): void {
  if (problems.length === 0) return;
  const lines = problems.map(({ file, line, say }) => `  ${file}:${line}  ${say}`);
  const error = new Error(`${problems.length} to put right:\n${lines.join('\n')}`);
  // The place in this file says nothing to the reader; the list does.
  error.stack = error.message;
  throw error;
}
