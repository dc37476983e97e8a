// What dependencies cost a worktree: installed, copied, taken over, and found in place, in the same rounds.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundled } from './bundled.mjs';
import { median } from './measure.mjs';

/** On the disk, where dependencies are; the memory of a machine may be too small for them. */
export async function measureSetUp(count) {
  const dir = mkdtempSync(join(tmpdir(), 'ym-bench-set-up-'));
  try {
    const { contest, size } = await bundled(join(dir, 'bundle'), 'set-up.ts');
    const { round, close } = await contest(dir);
    const rounds = [];
    for (let one = 0; one < count; one += 1) rounds.push(await round(`round-${one}`));
    await close();
    const of = (name) => median(rounds.map((each) => each[name]));
    const installMs = of('setUpMs');
    const row = (way, name) => ({ way, ms: of(name), ratio: of(name) / installMs });
    return [
      { ...row('set-up command alone', 'setUpMs'), ...size },
      row('first worktree: set-up and a clean copy', 'firstMs'),
      row('new worktree, from the clean copy', 'newMs'),
      row('warm start: taken over from an earlier worktree', 'warmMs'),
      row('the same worktree again', 'againMs'),
    ];
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}
