// Running the steps of a script: one line each, output of a quiet step only when it fails.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('..', import.meta.url));

/** Runs a node program of node_modules or of this repository with the terminal as its own. */
export function show(script, args) {
  return run(process.execPath, [join(root, script), ...args], 'inherit').then(({ code }) => code);
}

/** Runs a step and prints one line; what it printed is shown when it fails. */
export async function step(name, script, args) {
  const started = performance.now();
  const { code, output } = await run(process.execPath, [join(root, script), ...args], 'pipe');
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  if (code !== 0) process.stderr.write(output);
  console.log(`${name}: ${code === 0 ? 'ok' : `failed (exit ${code})`}, ${seconds} s`);
  return code;
}

/** Runs npm: the one that runs us, where there is one. */
export function npm(args, stdio, options) {
  const self = process.env.npm_execpath;
  return self?.endsWith('.js')
    ? run(process.execPath, [self, ...args], stdio, options)
    : run('npm', args, stdio, options);
}

/** Runs a program to its end; one that cannot start counts as exit 127, one that was ended as exit 1. */
export function run(command, args, stdio, options = {}) {
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      cwd: root,
      ...options,
      stdio: ['inherit', stdio, stdio],
      shell: process.platform === 'win32' && !command.endsWith('.exe'),
    });
    let output = '';
    child.stdout?.on('data', (data) => {
      output += data;
    });
    child.stderr?.on('data', (data) => {
      output += data;
    });
    child.on('error', (error) => resolve({ code: 127, output: `${output}${error.message}\n` }));
    child.on('close', (code) => resolve({ code: code ?? 1, output }));
  });
}

export const BIOME = 'node_modules/@biomejs/biome/bin/biome';
export const TSC = 'node_modules/typescript/bin/tsc';
export const VITEST = 'node_modules/vitest/vitest.mjs';

/** The arguments that choose these projects of vitest.config.ts. */
export const projects = (names) => names.flatMap((name) => ['--project', name]);

/** Format, lint and types, side by side; the exit code of the first that failed. */
export async function checkText() {
  const codes = await Promise.all([
    step('format and lint', BIOME, ['check', '--error-on-warnings']),
    step('types', TSC, ['--noEmit']),
    step('types of the web page', TSC, ['--noEmit', '-p', 'src/ui']),
  ]);
  return codes.find((code) => code !== 0) ?? 0;
}
