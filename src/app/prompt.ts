import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { attemptDir } from '../files/layout.ts';
import { unpackFolder } from '../files/old-files.ts';
import { ok, type Result, usage } from '../model/failure.ts';
import type { TaskId } from '../model/task.ts';
import type { TaskRecords } from '../port/store.ts';
import { projectRedactor } from './config.ts';
import { taskNamed } from './lookup.ts';
import type { Opened } from './ports.ts';
import { seeVariants } from './see-variants.ts';

/** A prompt as an agent got it, without secrets. */
export interface Prompt {
  readonly task: TaskId;
  readonly attempt: number;
  readonly turn: number;
  readonly text: string;
}

/** The prompt of a turn; the newest attempt and its newest turn if none is named. */
export async function promptOf(
  ports: Pick<Opened, 'dir' | 'root' | 'env'> & { readonly store: TaskRecords },
  task: TaskId,
  { attempt: number, turn: named }: { readonly attempt?: number; readonly turn?: number },
): Promise<Result<Prompt>> {
  const record = await taskNamed(ports.store, task);
  if (!record.ok) return record;
  const attempts = await ports.store.attempts({ task });
  if (!attempts.ok) return attempts;
  const wanted = number ?? record.value.attempts;
  const attempt = attempts.value.find((one) => one.number === wanted);
  const { variants } = record.value;
  if (attempt === undefined && variants !== undefined) {
    return seeVariants(record.value, variants, 'prompt', (id) => `See \`ym why ${id}\`.`);
  }
  const dir = attemptDir(ports, attempt?.runs[0] ?? '', task, wanted);
  await unpackFolder(dir);
  const names = existsSync(dir) ? readdirSync(dir) : [];
  const turns = names.flatMap((name) => /^turn-(\d+)\.prompt\.md$/.exec(name)?.[1] ?? []);
  const turn = named ?? Math.max(0, ...turns.map(Number));
  const file = join(dir, `turn-${turn}.prompt.md`);
  if (!existsSync(file)) {
    return usage(`there is no prompt of attempt ${wanted} of "${task}"`, `See \`ym why ${task}\`.`);
  }
  const text = projectRedactor(ports).whole(readFileSync(file, 'utf8'));
  return ok({ task, attempt: wanted, turn, text });
}
