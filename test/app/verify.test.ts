// Children of a command that ends when it is asked to.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { interruptible } from '../../src/app/verify.ts';
import { interruptedBySignals } from '../../src/cli/signals.ts';
import type { Processes } from '../../src/port/processes.ts';
import { supervisor } from '../../src/process/supervisor.ts';
import { tempFolder } from '../rig/temp-folder.ts';
import { until } from '../rig/until.ts';

let dir: string;
let command: ReturnType<typeof interruptedBySignals>;
let processes: Processes;
beforeEach(() => {
  dir = tempFolder();
  command = interruptedBySignals();
  processes = interruptible(supervisor({ killGraceMs: 200, followMs: 20 }), command.signal);
});
afterEach(() => {
  command.release();
});

const run = (name: string, script: string) =>
  processes.run({
    dir,
    name,
    argv: ['sh', '-c', script],
    cwd: dir,
    env: { PATH: process.env.PATH ?? '' },
    limits: { wallMs: 30_000, outputBytes: 1_000_000 },
  });

/** The way a signal reaches us, without one that the whole test process would feel. */
const signal = (name: 'SIGINT' | 'SIGTERM'): boolean => process.emit(name, name);

describe('children of a command', () => {
  it('end with it, and no other is started then', async () => {
    writeFileSync(join(dir, 'log'), '');
    const first = run('one', 'echo one >> log; exec sleep 300');
    await until(() => readFileSync(join(dir, 'log'), 'utf8') === 'one\n', 'the first child');
    expect(command.signal.aborted).toBe(false);
    signal('SIGTERM');
    signal('SIGINT');
    expect((await first).how).toEqual({ id: 'interrupted' });
    expect(command.signal.reason).toBe('SIGTERM');
    expect((await run('two', 'echo two >> log')).how).toEqual({ id: 'interrupted' });
    expect(readFileSync(join(dir, 'log'), 'utf8')).toBe('one\n');
  });

  it('come to their own end where nobody asks', async () => {
    expect((await run('one', 'exit 3')).how).toEqual({ id: 'exited', code: 3 });
    expect(command.signal.aborted).toBe(false);
  });

  it('leave signals as they were when all is done', () => {
    const count = process.listenerCount('SIGINT');
    command.release();
    expect(process.listenerCount('SIGINT')).toBe(count - 1);
  });
});
