import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { list, object, readJson, text } from '../model/shape.ts';
import { outcomeOf } from '../model/trouble.ts';
import type { Project } from './ports.ts';

const keptAnswers = 50;
const Remembered = object({ answers: list(object({ key: text, answer: text })) });

/**
 * Answers of agents that a file in Yardmaster's folder remembers, by key, oldest first. A damaged file counts as empty:
 * answers can be asked for again.
 */
export function answersIn({ dir }: Pick<Project, 'dir'>, fileName: string): Map<string, string> {
  const file = join(dir, fileName);
  const read = existsSync(file) ? readJson(Remembered, readFileSync(file, 'utf8')) : undefined;
  return new Map(read?.answers.map(({ key, answer }) => [key, answer]));
}

/** Ignores a file that cannot be written: the agent is asked again then. */
export async function remember(
  project: Pick<Project, 'dir' | 'writeStateFile'>,
  fileName: string,
  key: string,
  answer: string,
): Promise<void> {
  const answers = answersIn(project, fileName);
  answers.delete(key);
  answers.set(key, answer);
  const kept = [...answers].slice(-keptAnswers);
  const value = { schema: 1, answers: kept.map(([one, said]) => ({ key: one, answer: said })) };
  await outcomeOf(project.writeStateFile(fileName, `${JSON.stringify(value, null, 2)}\n`));
}
