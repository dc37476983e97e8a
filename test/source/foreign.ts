// Reads files of other tools for tests, through the same door as a user.

import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Task } from '../../src/model/task.ts';
import { openSource } from '../../src/source/open.ts';
import { tempFolder } from '../rig/temp-folder.ts';

interface Outcome {
  readonly tasks: readonly Task[];
  readonly note: string | undefined;
  /** `file:line: problem → remedy` of every failure. */
  readonly problems: readonly string[];
}

/** Writes the files into a fresh folder and opens `path` there. */
export async function readForeign(
  path: string,
  files: Readonly<Record<string, string>>,
): Promise<Outcome> {
  const cwd = tempFolder();

  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(cwd, name)), { recursive: true });
    writeFileSync(join(cwd, name), text);
  }
  const source = openSource(path, { cwd, readStdin: async () => files[path] ?? '' });
  const listed = source.ok ? await source.value.list() : source;
  const failures = listed.ok ? [] : [listed.failure].flat();
  return {
    tasks: source.ok && listed.ok ? listed.value : [],
    note: source.ok ? source.value.note?.() : undefined,
    problems: failures.map((failure) =>
      failure.kind === 'source-invalid'
        ? `${failure.file}:${failure.line ?? ''}: ${failure.problem} → ${failure.remedy}`
        : failure.kind,
    ),
  };
}

/** `id after …` of every task, short enough to compare. */
export const order = ({ tasks }: Outcome): string[] =>
  tasks.map(({ id, after }) => [id, ...after].join(' '));
