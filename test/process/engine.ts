// A small engine of its own, built and started by tests: `node engine.mjs <mode> <spec as JSON>`.
//   at-once   starts the child and is killed before it can see anything of it
//   begun     starts the child, waits until it runs, and is killed
//   end       follows the child to its end and prints that with the growth of its memory in bytes
//   leave     starts the child, waits until it runs, and lets go of it without being killed
import { existsSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import type { ProcessSpec } from '../../src/process/processes.ts';
import { supervisor } from '../../src/process/supervisor.ts';

const [mode = '', text = '{}'] = process.argv.slice(2);
const spec = JSON.parse(text) as ProcessSpec;
const before = process.resourceUsage().maxRSS;
const running = supervisor({ killGraceMs: 500, keepAlive: mode !== 'leave' }).run(spec);
if (mode === 'begun' || mode === 'leave') {
  while (!existsSync(`${spec.dir}/${spec.name}.pid`)) await delay(5);
}
if (mode === 'begun' || mode === 'at-once') process.kill(process.pid, 'SIGKILL');
if (mode === 'end') {
  const end = await running;
  const grown = (process.resourceUsage().maxRSS - before) * 1024;
  console.log(JSON.stringify({ end, grown }));
}
