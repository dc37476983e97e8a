// The published JSON Schemas, made from the source. Started as a program it writes the two of the repository; a build
// puts all of them into the package.
import { writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { load, root } from './load.mjs';

export async function schemas() {
  const { jsonSchemas } = await load('src/files/schemas.ts');
  const { configJsonSchema } = await load('src/config/schema.ts');
  const { planJsonSchema } = await load('src/source/schema.ts');
  return { 'config.json': configJsonSchema(), 'plan.json': planJsonSchema(), ...jsonSchemas() };
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const made = await schemas();
  for (const name of ['config.json', 'plan.json']) {
    writeFileSync(`${root}schemas/${name}`, made[name]);
    console.log(`schemas/${name}`);
  }
}
