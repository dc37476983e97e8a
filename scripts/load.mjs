// Imports a module of the source, bundled in memory. Code that the module itself loads on demand is left out.
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

export const root = fileURLToPath(new URL('..', import.meta.url));

const onDemand = {
  name: 'on-demand',
  resolveDynamicImport: (id) => ({ id: `${id}`, external: true }),
};

export async function load(input) {
  const bundle = await rolldown({
    cwd: root,
    input,
    platform: 'node',
    external: [/^node:/],
    plugins: [onDemand],
  });
  const { output } = await bundle.generate({ format: 'esm', codeSplitting: false });
  await bundle.close();
  return import(`data:text/javascript;base64,${Buffer.from(output[0].code).toString('base64')}`);
}
