// Keeps the files of tests in memory if the machine allows it. There the databases and repositories of thousands of
// tests wait for no disk, and cost half the system time.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const MEMORY = '/dev/shm';
const TMPFS = 0x01021994;
/** More than all tests need at one time. */
const roomMin = 2 * 1024 ** 3;

/**
 * Gives this process and its children a folder for temporary files, unless `TMPDIR` names one. The folder is removed
 * when this process ends. Returns the folder that was used before.
 */
export function useScratchInMemory(): string {
  const before = tmpdir();
  if (process.env.TMPDIR !== undefined) return before;
  const dir = scratchInMemory() ?? mkdtempSync(join(before, 'ym-'));
  process.env.TMPDIR = dir;
  process.once('exit', () => rmSync(dir, { recursive: true, force: true }));
  return before;
}

/** Undefined if there is no such file system, it has too little room, or no program may be started from it. */
function scratchInMemory(): string | undefined {
  if (!existsSync(MEMORY)) return undefined;
  const place = statfsSync(MEMORY);
  if (place.type !== TMPFS || place.bavail * place.bsize < roomMin) return undefined;
  const dir = mkdtempSync(join(MEMORY, 'ym-'));
  const script = join(dir, 'starts');
  writeFileSync(script, '#!/bin/sh\n', { mode: 0o755 });
  const starts = spawnSync(script).status === 0;
  rmSync(script);
  if (starts) return dir;
  rmSync(dir, { recursive: true });
  return undefined;
}
