// A small engine of its own, built and started by tests: `node engine.mjs <mode> <spec as JSON>`.
//   at-once   starts the child and is killed before it can see anything of it
//   begun     starts the child, waits until it runs, and is killed
//   end       follows the child to its end and prints that with the growth of its memory in bytes
//   hear      the same with a listener; prints too how many lines it heard, and their length in all
//   leave     starts the child, waits until it runs, and lets go of it without being killed
import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import type { ProcessSpec } from '../../src/port/processes.ts';
import { supervisor } from '../../src/process/supervisor.ts';

const [mode = '', text = '{}'] = process.argv.slice(2);
const spec = JSON.parse(text) as ProcessSpec;
const before = mostMemory();
const heard = { lines: 0, chars: 0 };
const listener = {
  line(text: string): boolean {
    heard.lines += 1;
    heard.chars += text.length;
    return false;
  },
};
const running = supervisor({ killGraceMs: 500, keepAlive: mode !== 'leave' }).run(
  mode === 'hear' ? { ...spec, listener } : spec,
);
if (mode === 'begun' || mode === 'leave') {
  const claim = `${spec.dir}/${spec.name}.pid`;
  while (!existsSync(claim) || readFileSync(claim, 'utf8') === '') await delay(5);
}
if (mode === 'begun' || mode === 'at-once') process.kill(process.pid, 'SIGKILL');
if (mode === 'end' || mode === 'hear') {
  const end = await running;
  const grown = mostMemory() - before;
  console.log(JSON.stringify({ end, grown, ...heard }));
}

/** The most memory this program ever had, in bytes. What the system calls that may be its parent's, from before it began. */
function mostMemory(): number {
  const file = '/proc/self/status';
  if (!existsSync(file)) return process.resourceUsage().maxRSS * 1024;
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(file, 'utf8'))?.[1]) * 1024;
}
