// Programs built from our sources, and the questions tests ask of real processes.
import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { until } from '../rig/until.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Bundles a source file of the repository into `dir`; returns the path of the program. */
export async function build(source: string, dir: string): Promise<string> {
  const bundle = await rolldown({ input: join(root, source), platform: 'node' });
  await bundle.write({ dir, format: 'esm', entryFileNames: '[name].mjs' });
  await bundle.close();
  return join(dir, basename(source).replace(/\.ts$/, '.mjs'));
}

export async function untilFile(file: string): Promise<void> {
  await until(() => existsSync(file), `${file} appears`);
}
