// Imports a module of the source, bundled in memory.
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

export const root = fileURLToPath(new URL('..', import.meta.url));

export async function load(input) {
  const bundle = await rolldown({ cwd: root, input, platform: 'node', external: [/^node:/] });
  const { output } = await bundle.generate({ format: 'esm', codeSplitting: false });
  await bundle.close();
  return import(`data:text/javascript;base64,${Buffer.from(output[0].code).toString('base64')}`);
}
