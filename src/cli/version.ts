import { readFileSync } from 'node:fs';

/** Out of the package that this file was installed with. */
export function version(): string {
  for (const up of ['../package.json', '../../package.json']) {
    try {
      const text = readFileSync(new URL(up, import.meta.url), 'utf8');
      const found = JSON.parse(text) as { name?: string; version?: string };
      if (found.name === 'yardmaster' && found.version !== undefined) return found.version;
    } catch (error) {
      if (!(error instanceof Error)) throw error;
    }
  }
  return 'unknown';
}
