// Landing one queued branch, without its gate, with few and with many branches waiting, against a merge by hand.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { bundled } from './bundled.mjs';
import { median } from './measure.mjs';
import { copyOf, git } from './yard.mjs';

const queues = [1, 10, 100];
const sizes = [10_000, 50_000];
const perRound = 3;
const warmUps = 4;
/** `main` is checked out, the other is not. */
const ways = [
  { target: 'elsewhere', batch: 1 },
  { target: 'main', batch: 1 },
  { target: 'main', batch: 8 },
];

/** Short steps show their processor time only in the sum. */
function figuresOf({ merge, ours }) {
  const wall = (times) => median(times.map(({ wallMs }) => wallMs));
  const cpu = (times) => times.reduce((sum, { cpuMs }) => sum + cpuMs, 0) / times.length;
  return {
    wallMs: wall(ours),
    cpuMs: cpu(ours),
    mergeWallMs: wall(merge),
    mergeCpuMs: cpu(merge),
  };
}

export async function measureLanding(scratch, count) {
  const { byHand, Landings, largeRepository } = await bundled(
    join(scratch, 'landing'),
    'landing.ts',
  );
  const rows = [];
  for (const size of sizes) {
    const dir = join(scratch, `ours-${size}`);
    const files = await largeRepository(dir, size);
    const hand = copyOf(dir, join(scratch, `hand-${size}`));
    git(dir, 'branch', 'elsewhere');
    const merge = await byHand(hand, files);
    for (const queue of queues) {
      // One after the other: the worktrees of both together would be twice as many as wait.
      for (const { target, batch } of ways.filter((way) => way.batch <= queue)) {
        const wish = { dir, scratch: join(scratch, 'yard'), files, queue, target, batch };
        const landings = await Landings.open(wish);
        const times = { merge: [], ours: [] };
        // Candidates grow with what has landed.
        for (let first = 0; first < warmUps; first += 1) await landings.next();
        for (let round = 0; round < count * perRound; round += 1) {
          times.merge.push(await merge());
          times.ours.push(await landings.next());
        }
        await landings.close();
        rows.push({ files: size, queue, isHere: target === 'main', batch, ...figuresOf(times) });
      }
    }
    for (const copy of [dir, hand]) rmSync(copy, { recursive: true, force: true });
  }
  return rows;
}
