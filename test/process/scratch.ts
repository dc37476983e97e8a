// A folder that goes away again, programs built from our sources, and the questions tests ask of real processes.
import { existsSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { until as untilHolds } from '../rig/until.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

export interface Scratch {
  readonly dir: string;
  remove(): void;
}

export function scratch(): Scratch {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), 'yard-process-')));
  return { dir, remove: () => rmSync(dir, { recursive: true, force: true }) };
}

/** Bundles a source file of the repository into `dir`; returns the path of the program. */
export async function build(source: string, dir: string): Promise<string> {
  const bundle = await rolldown({ input: join(root, source), platform: 'node' });
  await bundle.write({ dir, format: 'esm', entryFileNames: '[name].mjs' });
  await bundle.close();
  return join(dir, basename(source).replace(/\.ts$/, '.mjs'));
}

/** Polls until the condition holds. The bound is generous; a test that reaches it has failed. */
export function until(what: string, holds: () => boolean, ms = 20_000): Promise<void> {
  return untilHolds(holds, what, ms);
}

export async function untilFile(file: string): Promise<void> {
  await until(`${file} appears`, () => existsSync(file));
}
