import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { tempFolder } from '../../test/rig/temp-folder.ts';
import { type ExecOptions, type Executed, exec } from './exec.ts';

const node = process.execPath;
const env = { PATH: process.env.PATH ?? '' };

function run(script: string, options: Partial<ExecOptions> = {}): Promise<Executed> {
  return exec([node, '-e', script], {
    cwd: process.cwd(),
    env,
    wallMs: 20_000,
    outputBytes: 1024 * 1024,
    ...options,
  });
}

async function ended(running: Promise<Executed>) {
  const done = await running;
  if (done.id !== 'ended') throw new Error(done.cause);
  return done;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ESRCH') return false;
    throw error;
  }
}

describe('exec', () => {
  it('returns exit status, output and error', async () => {
    const done = await ended(run('console.log("out"); console.error("err"); process.exit(3)'));
    expect(done).toMatchObject({ exit: 3, stderr: 'err\n' });
    expect(done.stdout.toString()).toBe('out\n');
    expect(done.over).toBeUndefined();
  });

  it('gives input and closes it', async () => {
    const input = `${'x'.repeat(300_000)}\0end`;
    const done = await ended(run('process.stdin.pipe(process.stdout)', { input }));
    expect(done.stdout.toString()).toBe(input);
  });

  it('does not mind a child that does not read its input', async () => {
    const done = await ended(run('process.exit(0)', { input: 'x'.repeat(1024 * 1024) }));
    expect(done.exit).toBe(0);
  });

  it('gives the child its environment and nothing else', async () => {
    const script = 'console.log(JSON.stringify(process.env))';
    const done = await ended(run(script, { env: { ONLY: 'this' } }));
    expect(JSON.parse(done.stdout.toString())).toMatchObject({ ONLY: 'this' });
    expect(done.stdout.toString()).not.toContain('PATH');
  });

  it('reports an impossible program, folder or argument', async () => {
    const options = { cwd: process.cwd(), env, wallMs: 5_000, outputBytes: 1024 };
    expect((await exec(['no-such-program-here'], options)).id).toBe('not-started');
    expect((await exec([node], { ...options, cwd: '/no/such/folder' })).id).toBe('not-started');
    expect((await exec([node, 'a\0b'], options)).id).toBe('not-started');
    expect((await exec([], options)).id).toBe('not-started');
  });

  it('ends a child that prints too much, and keeps the first part', async () => {
    const script = 'setInterval(() => process.stdout.write("x".repeat(65536)), 1)';
    const done = await ended(run(script, { outputBytes: 100_000 }));
    expect(done.over).toBe('output');
    expect(done.stdout.length).toBe(100_000);
  });

  it('ends a child that takes too long, and its children', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const dir = tempFolder();
    const script = `
      const child = require('node:child_process').spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
      process.stdout.write(child.pid + '\\n', () => require('node:fs').writeFileSync('up', ''));
      setInterval(() => {}, 1000);`;
    const running = run(script, { cwd: dir, wallMs: 1_500 });
    await expect.poll(() => existsSync(join(dir, 'up')), { timeout: 15_000 }).toBe(true);
    vi.advanceTimersByTime(1_500);
    const done = await ended(running);
    expect(done).toMatchObject({ over: 'wall', exit: -1, signal: 'SIGTERM' });
    const grandchild = Number(done.stdout.toString());
    expect(grandchild).toBeGreaterThan(0);
    await expect.poll(() => isAlive(grandchild), { timeout: 5_000 }).toBe(false);
  });

  it('loses no output while this process is busy for longer than a grandchild is waited for', async () => {
    const options = { cwd: '/', env, wallMs: 20_000, outputBytes: 1024 };
    const isDone = { value: false };
    const block = async (): Promise<void> => {
      while (!isDone.value) {
        // A synchronous child keeps the event loop from reading, but not from learning that others have ended.
        for (let n = 0; n < 10; n += 1) spawnSync('sleep', ['0.06']);
        await exec(['true'], options);
      }
    };
    const listen = async (): Promise<readonly string[]> => {
      const printed: string[] = [];
      for (let n = 0; n < 4; n += 1) {
        printed.push((await ended(exec(['echo', 'hello'], options))).stdout.toString());
      }
      isDone.value = true;
      return printed;
    };
    const [printed] = await Promise.all([listen(), block(), block()]);
    expect(printed).toEqual(printed.map(() => 'hello\n'));
    // Some eighty processes are started one after the other, which takes long on a busy machine.
  }, 120_000);

  it('does not wait for a grandchild that keeps the output open', async () => {
    const script = `
      const { spawn } = require('node:child_process');
      const child = spawn(process.execPath, ['-e', 'setTimeout(() => {}, 20000)'], { stdio: 'inherit', detached: true });
      child.unref();
      console.log(child.pid);`;
    const began = performance.now();
    const done = await ended(run(script));
    const grandchild = Number(done.stdout.toString());
    process.kill(grandchild, 'SIGKILL');
    expect(done.exit).toBe(0);
    expect(performance.now() - began).toBeLessThan(10_000);
  });
});
