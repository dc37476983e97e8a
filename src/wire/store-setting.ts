import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Environment } from '../app/ports.ts';
import { userFile } from '../config/user-file.ts';
import { fail, ok, type Result } from '../model/failure.ts';
import { type StoreAddress, storeAddress } from '../model/store-address.ts';

const projectFile = 'yardmaster.yaml';

/**
 * Finds the store that the config names. Most projects name none, so the config is loaded only if a variable or a file
 * mentions the key: loading it takes longer than the shortest commands.
 */
export async function storeSetting(root: string, env: Environment): Promise<Result<StoreAddress>> {
  if (!isMentioned(root, env)) return ok({ kind: 'sqlite' });
  const { projectConfig } = await import('../app/config.ts');
  const config = projectConfig({ root, env });
  if (config.ok) return ok(storeAddress(config.value.store) ?? { kind: 'sqlite' });
  const [first] = config.failure;
  return first === undefined ? ok({ kind: 'sqlite' }) : fail(first);
}

function isMentioned(root: string, env: Environment): boolean {
  if (env.YARDMASTER_STORE) return true;
  const files = [join(root, projectFile), userFile(env)?.file ?? ''];
  return files.some((file) => existsSync(file) && /\bstore["']?\s*:/.test(textOf(file)));
}

/** A file that cannot be read is reported by those who need the config. */
function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
    return '';
  }
}
