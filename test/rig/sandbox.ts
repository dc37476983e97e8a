// Whether this machine can run a sandbox. Tests that need one are left out elsewhere, and say why.
import { spawnSync } from 'node:child_process';
import { findBubblewrap } from '../../src/sandbox/probe.ts';

export const bwrap = findBubblewrap(process.env.PATH) ?? '';

function lacking(): string | undefined {
  if (bwrap === '') return 'bubblewrap is not installed';
  const args = ['--ro-bind', '/', '/', '--proc', '/proc', '--unshare-user', '--disable-userns'];
  const tried = spawnSync(bwrap, [...args, '--unshare-pid', '--', 'true'], { encoding: 'utf8' });
  return tried.status === 0 ? undefined : tried.stderr.trim() || 'bubblewrap does not start';
}

const reason = lacking();
if (reason !== undefined) console.warn(`Tests of the sandbox are skipped: ${reason}`);

export const hasSandbox = reason === undefined;

/** PATH without the folders that every sandbox hides. npm adds one there if this clone is below `/tmp`. */
export const visiblePath = (process.env.PATH ?? '')
  .split(':')
  .filter((folder) => !folder.startsWith('/tmp/'))
  .join(':');

/** Config keys of a project whose agents may write nothing but their folder and the stage. */
export const inSandbox = { sandbox: 'write', sandbox_writable: ['~/../stage'] } as const;
