import { readdirSync } from 'node:fs';
import { type DetectedSetup, detectSetup } from '../gate/detect-setup.ts';
import { childEnv } from '../git/env.ts';
import { limits } from '../plan/limits.ts';
import { exec } from '../process/exec.ts';
import { filesIn } from './gate.ts';

/** The set-up that a checkout asks for. Files that git ignores do not count: no worktree would have them. */
export async function setupHere(root: string): Promise<readonly DetectedSetup[]> {
  const names = readdirSync(root);
  const absent = await ignoredAmong(names, root);
  const files = filesIn(root);
  return detectSetup({
    has: (path) => !absent.has(path) && files.has(path),
    read: (path) => files.read(path),
    names: () => names.filter((name) => !absent.has(name)),
  });
}

async function ignoredAmong(names: readonly string[], root: string): Promise<ReadonlySet<string>> {
  const asked = await exec(['git', 'check-ignore', '-z', '--', ...names], {
    cwd: root,
    env: childEnv(process.env),
    wallMs: limits.probeMs,
    outputBytes: limits.tailBytes,
  });
  return new Set(asked.id === 'not-started' ? [] : asked.stdout.toString().split('\0'));
}
