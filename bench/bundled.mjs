// Sources of the program itself, for what is measured inside of it.
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { rolldown } from 'rolldown';

/** Bundles a file of this folder into `dir` and loads it from there. */
export async function bundled(dir, file) {
  const input = fileURLToPath(new URL(file, import.meta.url));
  const bundle = await rolldown({ input, platform: 'node', external: [/^node:/, /^@/] });
  const name = file.replace(/\.ts$/, '.mjs');
  await bundle.write({ dir, format: 'esm', entryFileNames: name });
  await bundle.close();
  // The driver of the store is loaded by name.
  symlinkSync(
    fileURLToPath(new URL('../node_modules', import.meta.url)),
    join(dir, 'node_modules'),
  );
  return import(pathToFileURL(join(dir, name)).href);
}
