import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Failure } from '../model/failure.ts';
import { isObject, Misfit, read, type Shape, type Typed } from '../model/shape.ts';
import { Task } from '../model/task.ts';
import { Trouble } from '../model/trouble.ts';
import { isBatchFile } from './layout.ts';
import { AttemptFile, BatchFile, fileSchema, ManifestFile, RunFile } from './run-file.ts';

const shapes = { 'run.json': RunFile, 'manifest.json': ManifestFile };

/** Checks that the files of a run are JSON of this version and fit their shapes. */
export function checkRunFiles(dir: string): void {
  for (const [name, shape] of Object.entries(shapes)) {
    const problem = problemOf(dir, join(dir, name), shape);
    if (problem !== undefined) throw new Trouble(problem);
  }
  for (const name of namesIn(dir).filter(isBatchFile)) {
    const problem = problemOf(dir, join(dir, name), BatchFile);
    if (problem !== undefined) throw new Trouble(problem);
  }
}

function problemOf(dir: string, file: string, shape: Shape): Failure | undefined {
  const corrupt = (detail: string): Failure => ({ kind: 'store-corrupt', file: dir, detail });
  let stored: unknown;
  try {
    stored = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    return corrupt(`${file}: ${error instanceof Error ? error.message : String(error)}`);
  }
  if (!isObject(stored)) return corrupt(`${file} does not contain an object`);
  const { schema: found } = stored;
  if (typeof found !== 'number') return corrupt(`${file} has no version number in "schema"`);
  if (found !== fileSchema) return { kind: 'store-newer', file, found, known: fileSchema };
  const fitting = read(shape, stored);
  return fitting instanceof Misfit ? corrupt(`${file} ${fitting}`) : undefined;
}

/** Facts from the files of all runs, each list in order of time. */
export interface ToldByFiles {
  readonly runs: readonly RunFile[];
  readonly attempts: readonly AttemptFile[];
  /** By id, each as its newest attempt saw it. */
  readonly tasks: ReadonlyMap<string, Task>;
  /** Files that exist and cannot be read. */
  readonly unreadable: readonly string[];
}

/** Reads the files of all runs. A file that is missing or damaged is left out. */
export function readAllRuns(runsDir: string): ToldByFiles {
  const unreadable: string[] = [];
  const readAs = <T>(file: string, shape: Typed<T>): readonly T[] => {
    if (!existsSync(file)) return [];
    const fitting = fittingIn(file, shape);
    if (fitting !== undefined) return [fitting];
    unreadable.push(file);
    return [];
  };
  const runs: RunFile[] = [];
  const found: { readonly attempt: AttemptFile; readonly task: readonly Task[] }[] = [];
  for (const run of namesIn(runsDir)) {
    runs.push(...readAs(join(runsDir, run, 'run.json'), RunFile));
    const attempts = join(runsDir, run, 'attempts');
    for (const name of namesIn(attempts)) {
      const task = readAs(join(attempts, name, 'task.json'), Task);
      for (const attempt of readAs(join(attempts, name, 'attempt.json'), AttemptFile)) {
        found.push({ attempt, task });
      }
    }
  }
  found.sort((a, b) => a.attempt.startedAt - b.attempt.startedAt);
  return {
    runs: runs.toSorted((a, b) => a.startedAt - b.startedAt),
    attempts: found.map(({ attempt }) => attempt),
    tasks: new Map(found.flatMap(({ task }) => task.map((one) => [one.id, one] as const))),
    unreadable,
  };
}

function namesIn(dir: string): readonly string[] {
  return existsSync(dir) ? readdirSync(dir).toSorted() : [];
}

export function fittingIn<T>(file: string, shape: Typed<T>): T | undefined {
  try {
    const fitting = read(shape, JSON.parse(readFileSync(file, 'utf8')));
    return fitting instanceof Misfit ? undefined : fitting;
  } catch (error) {
    if (error instanceof SyntaxError || (error instanceof Error && 'code' in error))
      return undefined;
    throw error;
  }
}
