import { join } from 'node:path';
import { type WorkSize, workSizeLimits } from '../model/work-size.ts';
import { own } from './checkout.ts';
import { inTree, type Own, startOf } from './clone.ts';
import { nulSeparated } from './command.ts';
import { PLAIN } from './history.ts';
import type { Repo } from './repo.ts';
import { allButSetAside } from './set-aside.ts';

const COUNT = ['diff', ...PLAIN, '--numstat', '-z', '--no-renames', '--ignore-submodules=all'];
const NEW = ['ls-files', '--others', '--exclude-standard', '-z'];

/** Two git processes, one after the other. */
export async function workSize(repo: Repo, dir: string, base: string): Promise<WorkSize> {
  const found = await own(repo, dir);
  const counted = await allButSetAside(found);
  const wallMs = workSizeLimits.wallMs;
  const tracked = await inTree(repo, found, { args: [...COUNT, base, ...counted], wallMs });
  const listed = await inTree(repo, found, { args: [...NEW, ...counted], wallMs });
  const lines = nulSeparated(tracked.stdout).map((line) => line.split('\t'));
  const made = nulSeparated(listed.stdout);
  const paths = new Set([...lines.map(([, , path = '']) => path), ...made]);
  return {
    count: paths.size,
    added: sum(lines.map(([added]) => added)) + (await linesIn(found, made)),
    removed: sum(lines.map(([, removed]) => removed)),
  };
}

/** Git prints a dash for a binary file. */
const sum = (counts: readonly (string | undefined)[]): number =>
  counts.reduce((total, count) => total + (Number(count) || 0), 0);

/** Lines of the first files, within a bound. */
async function linesIn({ dir }: Own, paths: readonly string[]): Promise<number> {
  let lines = 0;
  let room: number = workSizeLimits.bytes;
  for (const path of paths.slice(0, workSizeLimits.files)) {
    if (room <= 0) break;
    const bytes = (await startOf(join(dir, path), room)) ?? Buffer.alloc(0);
    room -= bytes.length;
    lines += lineCount(bytes);
  }
  return lines;
}

/** Git takes a file with a NUL near its start for binary. */
const BINARY_BYTES = 8_000;
const LINE_BREAK = 0x0a;

function lineCount(bytes: Buffer): number {
  if (bytes.subarray(0, BINARY_BYTES).includes(0)) return 0;
  let lines = bytes.length > 0 && bytes.at(-1) !== LINE_BREAK ? 1 : 0;
  for (let at = bytes.indexOf(LINE_BREAK); at !== -1; at = bytes.indexOf(LINE_BREAK, at + 1)) {
    lines += 1;
  }
  return lines;
}
