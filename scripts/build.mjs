// Bundles the entries into dist/. Each file is replaced by a rename and stale files go last, so
// that a `ym` that is running, or a second build, never meets a half-written bundle.
import { chmod, mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { rolldown } from 'rolldown';
import config, { entries } from '../rolldown.config.mjs';

const SHEBANG = '#!/usr/bin/env node\n';

export async function build() {
  const started = performance.now();
  if (Object.keys(entries).length === 0) {
    console.log('build: no entry exists yet, nothing to do');
    return;
  }
  const { output: outputOptions, ...inputOptions } = config;
  const bundle = await rolldown(inputOptions);
  const { output } = await bundle.generate(outputOptions);
  await bundle.close();

  const dist = join(config.cwd, outputOptions.dir);
  await mkdir(dist, { recursive: true });
  // Entries last: what they import is in place before they are.
  const files = [
    { type: 'asset', fileName: 'package.json', source: '{ "type": "commonjs" }\n' },
    ...[...output].sort((a, b) => Number(a.isEntry ?? false) - Number(b.isEntry ?? false)),
  ];
  for (const file of files) await place(dist, file);
  await removeStale(dist, new Set(files.map((file) => file.fileName)));

  const kb = Math.round(files.reduce((sum, file) => sum + text(file).length, 0) / 1024);
  const ms = Math.round(performance.now() - started);
  console.log(`build: ${files.length} files, ${kb} KB, ${ms} ms`);
}

async function place(dist, file) {
  const target = join(dist, file.fileName);
  const draft = `${target}.${process.pid}.draft`;
  await writeFile(draft, text(file));
  if (file.isEntry) await chmod(draft, 0o755);
  await rename(draft, target);
}

function text(file) {
  if (file.type === 'asset') return file.source;
  return file.isEntry && !file.code.startsWith('#!') ? SHEBANG + file.code : file.code;
}

async function removeStale(dist, kept) {
  for (const name of await readdir(dist)) {
    if (!kept.has(name) && !name.endsWith('.draft')) {
      await rm(join(dist, name), { recursive: true, force: true });
    }
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await build();
