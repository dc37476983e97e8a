// Writes the published JSON Schemas in schemas/ from the shapes in src/record/shapes.ts.
import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const root = fileURLToPath(new URL('..', import.meta.url));
const bundle = await rolldown({
  cwd: root,
  input: 'src/record/shapes.ts',
  platform: 'node',
  external: [/^node:/],
});
const { output } = await bundle.generate({ format: 'esm' });
await bundle.close();
const { jsonSchemas } = await import(
  `data:text/javascript;base64,${Buffer.from(output[0].code).toString('base64')}`
);
mkdirSync(`${root}schemas`, { recursive: true });
for (const [name, text] of Object.entries(jsonSchemas())) {
  writeFileSync(`${root}schemas/${name}`, text);
  console.log(`schemas/${name}`);
}
