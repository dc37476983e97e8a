// What a commit needs: set-up, format, lint, types, then the tests of the short tier.
// With arguments: set-up, then vitest with these arguments.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setUp } from './setup.mjs';
import { checkText, projects, root, show, VITEST } from './steps.mjs';

const SHORT = ['tidy', 'unit', 'suite', 'program'];

async function shortTier() {
  const started = performance.now();
  const code =
    (await setUp()) || (await checkText()) || (await show(VITEST, ['run', ...projects(SHORT)]));
  const seconds = Math.round((performance.now() - started) / 1000);
  console.log(`npm test: ${code === 0 ? 'ok' : 'failed'}, ${seconds} s`);
  // For scripts/house.mjs.
  mkdirSync(join(root, 'node_modules/.cache'), { recursive: true });
  writeFileSync(join(root, 'node_modules/.cache/npm-test-seconds'), `${seconds}\n`);
  return code;
}

const args = process.argv.slice(2);
process.exitCode =
  args.length === 0 ? await shortTier() : (await setUp()) || (await show(VITEST, ['run', ...args]));
