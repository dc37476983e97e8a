import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Failure, fail, ok, type Result, usage } from '../model/failure.ts';
import { openEditor } from '../wire/foreground.ts';

interface EditedText {
  readonly text: string;
  readonly file: string;
  /** Message about the user's text if it cannot be stored. */
  readonly kept: readonly Failure[];
  discard(): void;
}

/** Opens a text in the user's editor, as a file with this name. `options` is the remedy without a terminal. */
export async function editedText(
  text: string,
  { name, cwd, options }: { readonly name: string; readonly cwd: string; readonly options: string },
): Promise<Result<EditedText, readonly Failure[]>> {
  if (process.stdin.isTTY !== true || process.stdout.isTTY !== true) {
    const problem = 'nothing names a change, and there is no terminal for an editor';
    const failed = usage(problem, options);
    return failed.ok ? failed : fail([failed.failure]);
  }
  const dir = mkdtempSync(join(tmpdir(), 'ym-edit-'));
  const file = join(dir, name);
  writeFileSync(file, text);
  const left = await openEditor(file, cwd);
  const problem = `nothing was changed; your text is in ${file}`;
  const kept: readonly Failure[] = [{ kind: 'usage', problem, remedy: 'Try again.' }];
  if (!left.ok) return fail([left.failure, ...kept]);
  const discard = (): void => rmSync(dir, { recursive: true, force: true });
  return ok({ text: readFileSync(file, 'utf8'), file, kept, discard });
}
