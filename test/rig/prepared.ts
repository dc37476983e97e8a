// Shared by program/prepared.test.ts and long/gate/prepared.test.ts.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { TestProject } from '../rig.ts';

/** Installs what the lock file names, and notes that it ran. */
export const setup = `echo ran >> "$STAGE/setups"
rm -rf node_modules && mkdir -p node_modules/tool && cp package-lock.json node_modules/tool/lock
`;

/** Needs the tool of the very lock file, and touches what is installed. */
export const gate = `cmp package-lock.json node_modules/tool/lock || exit 1
test ! -e node_modules/leftover || exit 1
touch node_modules/leftover
echo evil >> node_modules/tool/lock
`;

/** An `npm` that runs the set-up of the worktree it is called in. */
export function withNpm(y: TestProject): Record<string, string> {
  const bin = join(y.base, 'bin');
  mkdirSync(bin);
  writeFileSync(join(bin, 'npm'), '#!/bin/sh\nexec sh setup.sh\n', { mode: 0o755 });
  return { STAGE: y.stage, PATH: [bin, process.env.PATH ?? ''].join(delimiter) };
}

export const setups = (y: TestProject): number =>
  existsSync(join(y.stage, 'setups'))
    ? readFileSync(join(y.stage, 'setups'), 'utf8').split('\n').filter(Boolean).length
    : 0;
