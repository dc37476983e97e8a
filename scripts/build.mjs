// Bundles the entries into dist/. Each file is replaced by a rename and stale files go last, so
// that a `ym` that is running, or a second build, never meets a half-written bundle.
import { execFile } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { rolldown } from 'rolldown';
import config, { entries, page, pageFiles } from '../rolldown.config.mjs';
import { declarations } from './declarations.mjs';
import { schemas } from './schemas.mjs';

/** Folders of dist/. */
const folders = ['ui', 'schemas'];

const SHEBANG = '#!/usr/bin/env node\n';

export async function build() {
  const started = performance.now();
  if (Object.keys(entries).length === 0) {
    console.log('build: no entry exists yet, nothing to do');
    return;
  }
  const { output: outputOptions, ...inputOptions } = config;
  const types = declarations(config.cwd);
  const output = await bundled(inputOptions, outputOptions);

  const dist = join(config.cwd, outputOptions.dir);
  for (const folder of folders) await mkdir(join(dist, folder), { recursive: true });
  // Entries last: what they import is in place before they are.
  const files = [
    asset('package.json', '{ "type": "commonjs" }\n'),
    ...(await pageOutput()),
    ...Object.entries(await schemas()).map(([name, source]) => asset(`schemas/${name}`, source)),
    asset('library.d.ts', await types),
    ...[...output].sort((a, b) => Number(a.isEntry ?? false) - Number(b.isEntry ?? false)),
  ];
  // V8 compares only the length of a source with its compiled code, so that must not outlive the source.
  await removeAll(dist, (name) => name.endsWith('.v8'));
  for (const file of files) await place(dist, file);
  const kept = new Set(files.map((file) => file.fileName));
  const isStale = (name) => !kept.has(name) && !name.endsWith('.draft');
  await removeAll(dist, (name) => !folders.includes(name) && isStale(name));
  for (const folder of folders) {
    await removeAll(join(dist, folder), (name) => isStale(`${folder}/${name}`));
  }
  await compile(join(dist, 'main.js'));

  const kb = Math.round(files.reduce((sum, file) => sum + text(file).length, 0) / 1024);
  const ms = Math.round(performance.now() - started);
  console.log(`build: ${files.length} files, ${kb} KB, ${ms} ms`);
}

async function bundled(input, options) {
  const bundle = await rolldown(input);
  const { output } = await bundle.generate(options);
  await bundle.close();
  return output;
}

/** Files of the web page. None is started by Node, so none is an entry here. */
async function pageOutput() {
  const { output: options, ...input } = page;
  const read = (name) => readFile(join(config.cwd, pageFiles.folder, name), 'utf8');
  const styles = await Promise.all(pageFiles.styles.map(read));
  const scripts = await bundled(input, options);
  return [
    ...scripts.map(({ fileName, code }) => asset(fileName, code)),
    ...(await Promise.all(
      pageFiles.plain.map(async (name) => asset(`ui/${name}`, await read(name))),
    )),
    asset('ui/style.css', styles.join('\n')),
  ];
}

function asset(fileName, source) {
  return { type: 'asset', fileName, source };
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

async function removeAll(dist, isStale) {
  for (const name of (await readdir(dist)).filter(isStale)) {
    await rm(join(dist, name), { recursive: true, force: true });
  }
}

/** Writes the code that V8 compiles from the program next to it, during a small run in a repository of its own. */
async function compile(main) {
  const base = await mkdtemp(join(tmpdir(), 'ym-build-'));
  const [home, repo] = [join(base, 'home'), join(base, 'repo')];
  for (const dir of [home, repo]) await mkdir(dir);
  const { PATH } = process.env;
  const env = { PATH, HOME: home, TMPDIR: base, YARDMASTER_COMPILE: '1' };
  const run = (file, ...args) => promisify(execFile)(file, args, { cwd: repo, env });
  const ym = (...args) => run(process.execPath, main, ...args);
  try {
    const config = {
      agent: 'shell',
      agents: { shell: { use: 'command', command: ['sh', '-c', 'echo x > x'] } },
      gate: { commands: ['true'] },
      sandbox: 'none',
    };
    await writeFile(join(repo, 'yardmaster.yaml'), JSON.stringify(config));
    await run('git', 'init', '-q');
    await run('git', 'config', 'user.name', 'build');
    await run('git', 'config', 'user.email', 'build@example.invalid');
    await run('git', 'add', '.');
    await run('git', 'commit', '-q', '-m', 'start');
    await ym('--help');
    await ym('add', 'Write x');
    await ym('run', '--scope', 'ready');
    await ym('status');
    await onTerminal([process.execPath, main, 'watch'], 'q', { cwd: repo, env });
  } finally {
    await rm(base, { recursive: true, force: true });
  }
}

/** Runs a command on a terminal and types keys. Does nothing without `script`; then the command starts more slowly. */
async function onTerminal(argv, keys, options) {
  const line = argv.map((word) => `'${word}'`).join(' ');
  const child = execFile('script', ['-qec', line, '/dev/null'], {
    ...options,
    env: { ...options.env, TERM: 'xterm-256color', SHELL: '/bin/sh' },
    timeout: 10_000,
  });
  child.stdin?.on('error', () => {});
  child.stdin?.write(keys);
  await new Promise((resolve) => {
    child.once('error', resolve);
    child.once('close', resolve);
  });
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await build();
