import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { tempFolder } from '../../test/rig/temp-folder.ts';
import { captureFailed } from '../engine/capture.ts';
import { troubleOf } from '../model/fault.ts';
import { outcomeOf } from '../model/trouble.ts';
import { gitRunner, succeed } from './command.ts';

test('a git that a signal ends is trouble with the machine, not a fault of the work that it reads', async () => {
  const dir = tempFolder();
  writeFileSync(join(dir, 'git'), '#!/bin/sh\nkill -9 $$\n');
  chmodSync(join(dir, 'git'), 0o755);
  const killed = await outcomeOf(
    succeed(gitRunner({ PATH: `${dir}:${process.env.PATH}` }), {
      cwd: dir,
      args: ['status'],
    }),
  );
  expect(killed).toMatchObject({ ok: false, failure: { stderr: 'git was ended by SIGKILL' } });
  if (killed.ok) return;
  expect(troubleOf(captureFailed(killed.failure, dir))).toBe('retry');
});
