import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { memoryStore } from '../../test/memory/store.ts';
import { tempFolder } from '../../test/rig/temp-folder.ts';
import { crash, owner, settings, task } from '../../test/story.ts';
import { Transcript } from '../agent/transcript.ts';
import { attemptDir } from '../files/layout.ts';
import type { EventBody } from '../model/event.ts';
import { ok } from '../model/failure.ts';
import { awaitLog, findLog, type LogPart, readLog } from './log.ts';

const of = { run: 'r', id: 'a', attempt: 1 } as const;

/** A project whose agent has just been started; `later` happens while the log is waited for. */
async function started(later: (dir: string) => Promise<unknown> | unknown) {
  const dir = tempFolder();
  const store = memoryStore();
  const events: EventBody[] = [
    { type: 'task-added', task: task('a') },
    { type: 'run-started', run: 'r', owner, settings: settings(), base: 'base' },
    { type: 'attempt-started', ...of, slot: 1, fence: 1, agent: 'scripted', branch: 'yard/r/a-1' },
  ];
  expect(await store.append(1, events)).toMatchObject({ ok: true });
  const files = attemptDir({ dir }, 'r', 'a', 1);
  mkdirSync(files, { recursive: true });
  const clock = { now: () => 1, sleep: async () => void (await later(files)) };
  const ports = { store, dir, clock, fetchFiles: async () => ok(undefined) };
  const find = (id = 'a') => findLog(ports, id, { shows: 'newest' });
  const log = (attempt?: number) =>
    awaitLog(ports, 'a', {
      shows: 'newest',
      attempt,
    });
  const follow = async (): Promise<readonly LogPart[]> => {
    const whole = { ...ports, root: dir, env: {}, transcripts: async () => () => new Transcript() };
    const parts: LogPart[] = [];
    const found = await log();
    if (!found.ok) return [];
    for await (const part of readLog(whole, found.value, { raw: false, follow: true })) {
      if (part.ok) parts.push(part.value);
    }
    return parts;
  };
  return { store, log, find, follow, dir };
}

test('a log that is followed waits for the first output of an agent that was just started', async () => {
  const { store, log } = await started(async (files) => {
    await store.append(2, [{ type: 'turn-started', ...of, turn: 1, slot: 1 }]);
    writeFileSync(join(files, 'turn-1.out'), 'hello\n');
  });
  expect(await log()).toMatchObject({ ok: true, value: { attempt: 1, task: 'a' } });
});

test('following a log shows the check of the target first, then the output of the agent', async () => {
  const write = (file: string, text: string): void => {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  };
  const steps = [
    (): void => write(join(dir, 'runs/r/targets/10-c/before/before-2.out'), 'checking more\n'),
    () => store.append(2, [{ type: 'turn-started', ...of, turn: 1, slot: 1 }]),
    (files: string): void => write(join(files, 'turn-1.out'), 'hello\n'),
    () => store.append(3, [{ type: 'attempt-failed', ...of, failure: crash }]),
  ];
  const { store, log, find, follow, dir } = await started((files) => steps.shift()?.(files));
  const check = join(dir, 'runs/r/targets/10-c/before/before-1.out');
  write(join(dir, 'runs/r/targets/9-c/before/before-1.out'), 'an earlier check\n');
  write(check, 'checking\n');
  expect(await find()).toMatchObject({ value: { files: [check] } });
  expect(await log()).toMatchObject({ value: { files: [check], before: ['check'] } });
  expect(await follow()).toMatchObject([
    { id: 'text', text: 'checking\n' },
    { id: 'text', text: 'checking more\n' },
    { id: 'next', log: { attempt: 1, before: [] } },
    { id: 'text', text: 'hello\n' },
    { id: 'over' },
  ]);
});

test('before the agent, a log has the set-up of the check and of the worktree, not only the gate', async () => {
  const { find, dir } = await started(() => {});
  expect(await find()).toMatchObject({
    failure: { problem: 'there is no output yet', remedy: '`ym log a -f` waits for it.' },
  });
  const files = [
    join(dir, 'runs/r/targets/1-c/setup-1.out'),
    join(dir, 'runs/r/targets/1-c/gate-1.out'),
    join(attemptDir({ dir }, 'r', 'a', 1), 'setup-1.out'),
  ];
  mkdirSync(join(dir, 'runs/r/targets/1-c'), { recursive: true });
  for (const [index, file] of files.entries()) {
    writeFileSync(file, 'installing\n');
    expect(await find()).toMatchObject({ value: { files: files.slice(0, index + 1) } });
  }
  expect(await find()).toMatchObject({ value: { before: ['check', 'set-up'] } });
});

test('it reports that there is no log if the attempt ended without output, or is not the live one', async () => {
  const failed = { type: 'attempt-failed', ...of, failure: crash } as const;
  const { store, log } = await started(() => store.append(2, [failed]));
  const none = { ok: false, failure: { problem: 'there is no output yet' } };
  expect(await log(7)).toMatchObject(none);
  expect(await log()).toMatchObject(none);
});

test('the output of a task with variants is that of the variants', async () => {
  const { store, find } = await started(() => {});
  const variants = [1, 2].map((n) => task(`b.v${n}`, { variantOf: 'b' }));
  const terms = { run: 'r', base: 'base', choose: 'person' } as const;
  await store.append(2, [
    { type: 'task-added', task: task('b') },
    { type: 'variants-added', id: 'b', variants, ...terms },
  ]);
  expect(await find('b')).toMatchObject({
    failure: {
      problem: 'the output of "b" is that of its variants: b.v1, b.v2',
      remedy: 'See `ym log b.v1`.',
    },
  });
});
