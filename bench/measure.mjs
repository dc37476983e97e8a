// Timing of commands. Machines are noisy, so nothing is compared that did not run in the same rounds.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Runs a command to its end. Wall and processor time in milliseconds; the latter is user and system time of all
 * processes that were waited for, as the shell's own `time` has it.
 */
export function timed(scratch, argv, { cwd, env = {}, mayFail = false } = {}) {
  const dir = mkdtempSync(join(scratch, 'timed-'));
  const file = (name) => join(dir, name);
  const script =
    'TIMEFORMAT="%3R %3U %3S"; { time "$@" >"$0/out" 2>"$0/err" </dev/null; } 2>"$0/time"';
  const done = spawnSync('bash', ['-c', script, dir, ...argv], {
    cwd,
    env: { ...process.env, ...env },
  });
  const [wall, user, system] = readFileSync(file('time'), 'utf8').trim().split(/\s+/).map(Number);
  const out = readFileSync(file('out'), 'utf8');
  const err = readFileSync(file('err'), 'utf8');
  rmSync(dir, { recursive: true, force: true });
  if (done.status !== 0 && !mayFail) {
    throw new Error(`${argv.join(' ')} ended with ${done.status}:\n${err || out}`);
  }
  return { wallMs: wall * 1000, cpuMs: (user + system) * 1000, out, err, code: done.status };
}

export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** Every contestant once a round, round after round, so that noise of the machine meets all of them alike. */
export function rounds(count, contestants) {
  const results = Object.fromEntries(Object.keys(contestants).map((name) => [name, []]));
  for (let round = 0; round < count; round += 1) {
    for (const [name, measure] of Object.entries(contestants)) results[name].push(measure(round));
  }
  return results;
}

/** The median of one figure over the rounds of a contestant. */
export function middle(results, figure) {
  return median(results.map((result) => result[figure]));
}
