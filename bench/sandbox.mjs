// What a sandbox adds to the start and end of a child that does nothing, in the same rounds.
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundled } from './bundled.mjs';
import { median } from './measure.mjs';

const perRound = 4;
const proxy = fileURLToPath(new URL('../dist/sandbox-proxy.js', import.meta.url));

const tickMs = 10;

/** CPU time of all children that have ended. */
function childrenMs() {
  const fields = readFileSync('/proc/self/stat', 'utf8').split(') ')[1].split(' ');
  return (Number(fields[13]) + Number(fields[14])) * tickMs;
}

export async function measureSandbox(scratch, count) {
  const { starts } = await bundled(join(scratch, 'sandbox'), 'sandbox.ts');
  const dir = join(scratch, 'sandbox-children');
  mkdirSync(dir);
  const kinds = Object.entries(starts(dir, proxy));
  const times = new Map(kinds.map(([kind]) => [kind, []]));
  const cpu = new Map(kinds.map(([kind]) => [kind, 0]));
  for (let round = 0; round <= count * perRound; round += 1) {
    for (const [kind, start] of kinds) {
      const before = childrenMs();
      const ms = await start(round);
      // The first start reads the programs from the disk.
      if (round === 0) continue;
      times.get(kind).push(ms);
      cpu.set(kind, cpu.get(kind) + childrenMs() - before);
    }
  }
  const none = median(times.get('none') ?? [0]);
  return kinds.map(([kind]) => {
    const ms = median(times.get(kind));
    return { kind, ms, addedMs: ms - none, cpuMs: cpu.get(kind) / times.get(kind).length };
  });
}
