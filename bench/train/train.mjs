// Policies of merging compared on the same corpora, ours being the product's own decisions.
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { rolldown } from 'rolldown';

/** Figures and how they are shown. The product is TypeScript, so it is bundled first. */
export async function measureTrainSim(scratch, runs) {
  const dir = join(scratch, 'train-sim');
  const { measureTrain } = await bundled('measure.ts', dir);
  const { trainTables } = await bundled('tables.ts', dir);
  return [measureTrain(runs), trainTables];
}

async function bundled(file, dir) {
  const input = fileURLToPath(new URL(file, import.meta.url));
  const output = file.replace(/\.ts$/, '.mjs');
  const bundle = await rolldown({ input, platform: 'node', external: [/^node:/, /^@/] });
  await bundle.write({ dir, format: 'esm', entryFileNames: output });
  await bundle.close();
  return import(pathToFileURL(join(dir, output)).href);
}
