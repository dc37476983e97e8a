import { readFileSync } from 'node:fs';
import { object, readJson, text } from '../model/shape.ts';

const Package = object({ name: text, version: text });

/** Version from the package.json of this installation. */
export function version(): string {
  for (const up of ['../package.json', '../../package.json']) {
    try {
      const read = readFileSync(new URL(up, import.meta.url), 'utf8');
      const found = readJson(Package, read);
      if (found?.name === 'yardmaster') return found.version;
    } catch (error) {
      if (!(error instanceof Error)) throw error;
    }
  }
  return 'unknown';
}
