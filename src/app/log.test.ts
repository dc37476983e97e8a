import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { memoryStore } from '../../test/memory/store.ts';
import { crash, owner, settings, task } from '../../test/story.ts';
import { attemptDir } from '../files/layout.ts';
import type { EventBody } from '../model/event.ts';
import { ok } from '../model/failure.ts';
import { awaitLog } from './log.ts';

const of = { run: 'r', id: 'a', attempt: 1 } as const;

/** A project whose agent has just been started; `later` happens while the log is waited for. */
async function started(later: (dir: string) => Promise<unknown> | unknown) {
  const dir = mkdtempSync(join(tmpdir(), 'ym-log-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
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
  const log = (attempt?: number) =>
    awaitLog({ store, dir, clock, fetchFiles: async () => ok(undefined) }, 'a', {
      shows: 'newest',
      ...(attempt === undefined ? {} : { attempt }),
    });
  return { store, log };
}

test('a log that is followed waits for the first output of an agent that was just started', async () => {
  const { store, log } = await started(async (files) => {
    await store.append(2, [{ type: 'turn-started', ...of, turn: 1, slot: 1 }]);
    writeFileSync(join(files, 'turn-1.out'), 'hello\n');
  });
  expect(await log()).toMatchObject({ ok: true, value: { attempt: 1, task: 'a' } });
});

test('it reports that there is no log if the attempt ended without output, or is not the live one', async () => {
  const failed = { type: 'attempt-failed', ...of, failure: crash } as const;
  const { store, log } = await started(() => store.append(2, [failed]));
  const none = { ok: false, failure: { problem: 'there is no output yet' } };
  expect(await log(7)).toMatchObject(none);
  expect(await log()).toMatchObject(none);
});
