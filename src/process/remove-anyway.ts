import { chmodSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/** Removes a folder. Folders without permission to write, as some package managers make them, are opened first. */
export function removeAnyway(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true });
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EACCES')) throw error;
    const inside = readdirSync(folder, { recursive: true, withFileTypes: true });
    for (const entry of inside) {
      if (entry.isDirectory()) chmodSync(join(entry.parentPath, entry.name), 0o700);
    }
    rmSync(folder, { recursive: true, force: true });
  }
}
