import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Path of one of our own child programs: next to the bundle, or in `dist` if run from the source tree. */
export function builtProgram(file: string): string {
  const bundled = fileURLToPath(new URL(`./${file}`, import.meta.url));
  return existsSync(bundled)
    ? bundled
    : fileURLToPath(new URL(`../../dist/${file}`, import.meta.url));
}
