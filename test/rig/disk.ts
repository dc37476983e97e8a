// A small disk of its own for a folder of a test: a real one, so that it can really be full or read-only.
import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
  statfsSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

export interface Disk {
  /** Leaves only so many bytes free. */
  fill(free: number): void;
  empty(): void;
  remount(mode: 'ro' | 'rw'): void;
}

const mib = 2 ** 20;

function mount(...args: string[]): void {
  const { status, stderr } = spawnSync('mount', args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`mount ${args.join(' ')}: ${stderr}`);
}

/** Why no disk can be mounted here; undefined if one can. */
export function noMounts(): string | undefined {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'only root can mount disks';
  const { status, stderr } = spawnSync(
    'unshare',
    ['--mount', 'mount', '-t', 'tmpfs', 'x', '/mnt'],
    {
      encoding: 'utf8',
    },
  );
  return status === 0 ? undefined : `no disk can be mounted: ${stderr}`;
}

/** Puts a folder on a disk of its own, with what is in it. It comes back when the test ends. */
export function onDisk(dir: string, size = 24 * mib): Disk {
  const at = `${dir}.disk`;
  mkdirSync(at, { recursive: true });
  mount('-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', at);
  const inside = join(at, 'content');
  if (existsSync(dir)) cpSync(dir, inside, { recursive: true });
  else mkdirSync(inside);
  rmSync(dir, { recursive: true, force: true });
  symlinkSync(inside, dir);
  const filler = join(at, 'filler');
  onTestFinished(() => {
    mount('-o', 'remount,rw', at);
    rmSync(filler, { force: true });
    rmSync(dir);
    if (readdirSync(inside).length > 0) cpSync(inside, dir, { recursive: true });
    spawnSync('umount', ['-l', at]);
    rmSync(at, { recursive: true, force: true });
  });
  return {
    fill(free) {
      const { bavail, bsize } = statfsSync(at);
      writeFileSync(filler, Buffer.alloc(Math.max(0, bavail * bsize - free)));
    },
    empty: () => rmSync(filler, { force: true }),
    remount: (mode) => mount('-o', `remount,${mode}`, at),
  };
}
