// The tests that no commit waits for, one part after the other, each with its time.
//
//   npm run test:long -- [PART...]      the folders of test/long; all of them if none is named
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setUp } from './setup.mjs';
import { projects, root, show, VITEST } from './steps.mjs';

const EXIT_USAGE = 2;
const known = readdirSync(join(root, 'test/long'));
const named = process.argv.slice(2);
const unknown = named.filter((part) => !known.includes(part));

async function longTier() {
  const lines = [];
  let failed = 0;
  for (const part of named.length === 0 ? known : named) {
    const started = performance.now();
    const code = await show(VITEST, ['run', ...projects([`long-${part}`])]);
    const seconds = Math.round((performance.now() - started) / 1000);
    lines.push(`${part}: ${code === 0 ? 'ok' : 'failed'}, ${seconds} s`);
    console.log(lines.at(-1));
    failed ||= code;
  }
  console.log(`\n${lines.join('\n')}`);
  return failed;
}

if (unknown.length > 0) {
  console.error(
    `There is no part "${unknown.join(', ')}". Name some of ${known.join(', ')}, or none for all.`,
  );
}
process.exitCode = unknown.length > 0 ? EXIT_USAGE : (await setUp()) || (await longTier());
