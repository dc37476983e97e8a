import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { need } from '../../test/rig/need.ts';
import { tempFolder } from '../../test/rig/temp-folder.ts';
import { until } from '../../test/rig/until.ts';
import type { Submission } from '../model/daemon.ts';
import type { Owner } from '../model/run.ts';
import { isRunning } from '../process/identity.ts';
import { RunChildren } from './run-children.ts';

let dir: string;
/** Ends that the children of this test reported. */
let seen: { ends: number };
let children: RunChildren;

beforeEach(() => {
  dir = tempFolder();
  children = childrenOf();
});

/** Its program is a shell that runs the words as a script. */
function childrenOf(): RunChildren {
  const own = { ends: 0 };
  seen = own;
  const onEnd = (): void => {
    own.ends += 1;
  };
  return new RunChildren({ dir, host: 'here', program: ['sh', '-c'], onEnd });
}

function submission(more: Partial<Submission> = {}): Submission {
  const wishes = { jobs: 1, spawnRate: 1, priority: 'normal' } as const;
  return { number: 5, root: dir, words: [], wishes, askedAt: 0, deaths: 0, ...more };
}

async function started(script: string, more: Partial<Submission> = {}): Promise<Owner> {
  const { PATH } = process.env;
  const owner = need(
    await children.start(submission(more), [script], { PATH, WORD: 'from the caller' }),
  );
  onTestFinished(() => children.terminate(owner));
  return owner;
}

describe('the process of a submitted run', () => {
  test('works in its project, with the environment of the caller', async () => {
    const owner = await started('pwd; echo "$WORD"');
    await until(() => seen.ends === 1, 'its end');
    expect(children.output(5)).toBe(`${dir}\nfrom the caller\n`);
    expect(children.state(submission({ owner }))).toEqual({ id: 'gone', exit: 0 });
    expect(children.state(submission()), 'without a process of the daemon').toEqual({ id: 'gone' });
    expect(statSync(join(dir, 'runs/5.log')).mode & 0o777).toBe(0o600);
  });

  test('is alive until it ends, and its exit status is known', async () => {
    const owner = await started('while [ ! -e go ]; do sleep 0.05; done; exit 3');
    expect(children.state(submission({ owner }))).toEqual({ id: 'alive' });
    writeFileSync(join(dir, 'go'), '');
    await until(() => seen.ends === 1, 'its end');
    expect(children.state(submission({ owner }))).toEqual({ id: 'gone', exit: 3 });
  });

  test('reads the text that was handed in', async () => {
    const input = children.keepInput(5, 'tasks: []\n');
    if (!input.ok) throw new Error('There is no file');
    expect(statSync(input.value).mode & 0o777).toBe(0o600);
    await started('cat', { input: input.value });
    await until(() => seen.ends === 1, 'its end');
    expect(children.output(5)).toBe('tasks: []\n');
  });

  test('outlives the daemon and is found by the next one', async () => {
    const owner = await started('while [ ! -e go ]; do sleep 0.05; done');
    const next = new RunChildren({ dir, host: 'here', program: ['sh', '-c'], onEnd: () => {} });
    expect(next.state(submission({ owner }))).toEqual({ id: 'alive' });
    writeFileSync(join(dir, 'go'), '');
    await until(() => !isRunning(owner), 'its end');
    // Only the daemon that started it knows how it ended.
    expect(next.state(submission({ owner }))).toEqual({ id: 'gone' });
  });

  test('that a signal ended has no exit status', async () => {
    const owner = await started('while true; do sleep 0.05; done');
    children.terminate(owner);
    await until(() => seen.ends === 1, 'its end');
    expect(children.state(submission({ owner }))).toEqual({ id: 'gone', exit: -1 });
  });

  test('is not confused with another process of the same id', async () => {
    const owner = { pid: process.pid, startedAt: 'long ago', host: 'here' };
    expect(children.state(submission({ owner }))).toEqual({ id: 'gone' });
    children.terminate(owner);
  });

  test('appends its output to that of the process before it', async () => {
    await started('echo first');
    await until(() => seen.ends === 1, 'the first end');
    await started('echo second');
    await until(() => seen.ends === 2, 'the second end');
    expect(children.output(5)).toBe('first\nsecond\n');
  });

  test('leaves nothing once it is forgotten', async () => {
    children.keepInput(5, 'x');
    await started('echo hello');
    await until(() => seen.ends === 1, 'its end');
    children.forget(5);
    expect(existsSync(join(dir, 'runs/5.log'))).toBe(false);
    expect(existsSync(join(dir, 'runs/5.in'))).toBe(false);
    expect(children.output(5)).toBe('');
    expect(children.state(submission())).toEqual({ id: 'gone' });
  });

  test('cannot be started where its files cannot be written', async () => {
    writeFileSync(join(dir, 'runs'), '');
    const refused = await children.start(submission(), ['true'], {});
    expect(refused).toMatchObject({ ok: false, failure: { kind: 'state-unwritable' } });
    expect(children.keepInput(5, 'x')).toMatchObject({ ok: false });
    expect(readFileSync(join(dir, 'runs'), 'utf8')).toBe('');
  });

  test('cannot be started if the program is missing', async () => {
    const missing = new RunChildren({ dir, host: 'here', program: ['/no/such'], onEnd: () => {} });
    const refused = missing.start(submission(), [], {});
    await expect(refused).rejects.toMatchObject({ failure: { code: 'not-started' } });
  });
});
