// Writes the published JSON Schemas in schemas/ from the shapes in src/files/schemas.ts and the keys in
// src/config/keys.ts.
import { mkdirSync, writeFileSync } from 'node:fs';
import { load, root } from './load.mjs';

const { jsonSchemas } = await load('src/files/schemas.ts');
const { configJsonSchema } = await load('src/config/schema.ts');
mkdirSync(`${root}schemas`, { recursive: true });
for (const [name, text] of Object.entries({
  ...jsonSchemas(),
  'config.json': configJsonSchema(),
})) {
  writeFileSync(`${root}schemas/${name}`, text);
  console.log(`schemas/${name}`);
}
