// Projects with a sandbox, and with one that the machine refuses.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestProject, type TestProjectOptions, testProject, write } from '../rig.ts';
import { inSandbox } from './sandbox.ts';

export const confinedProject = ({ config, ...options }: TestProjectOptions): TestProject =>
  testProject({ ...options, config: { ...inSandbox, ...config } });

/** A project with a bubblewrap that this machine does not allow. */
export function forbidden(config: Readonly<Record<string, unknown>>): TestProject {
  const y = testProject({
    tasks: [{ id: 'a' }],
    script: { a: [[write('a.txt', 'a\n')]] },
    config,
  });
  const bin = join(y.base, 'bin');
  mkdirSync(bin);
  const message = 'bwrap: No permissions to create new namespace';
  writeFileSync(join(bin, 'bwrap'), `#!/bin/sh\necho '${message}' >&2\nexit 1\n`, {
    mode: 0o755,
  });
  return y;
}
/** The PATH on which it is. */
export const forbids = (y: TestProject) => ({
  env: { PATH: `${join(y.base, 'bin')}:${process.env.PATH}` },
});
