import { expect, test } from 'vitest';
import { fail, ok, type Result } from '../model/failure.ts';
import type { SharedProject } from '../model/job.ts';
import { Announcement } from './worker.ts';

const self = { id: 'w1', host: 'h', slots: 1, gates: 0, labels: [], version: '1' };
const project = { remote: 'git://one', identity: 'A <a@b>' };
const away = { kind: 'store-busy', file: 'x', waitedMs: 1 } as const;

test('A worker reports once that the latest run has another version', async () => {
  let found: Result<SharedProject | undefined> = ok(undefined);
  const told: string[] = [];
  const announcement = new Announcement({
    self,
    assignments: { announce: async () => found },
    onOtherVersion: (run) => told.push(run),
  });
  const seen = async (next: typeof found): Promise<readonly string[]> => {
    found = next;
    await announcement.send('joined');
    await announcement.send('joined');
    return told.splice(0);
  };
  const version = (text: string) => seen(ok({ ...project, version: text }));
  expect(await seen(ok(undefined))).toEqual([]);
  expect(await version('1')).toEqual([]);
  expect(await version('2')).toEqual(['2']);
  expect(await seen(fail(away))).toEqual([]);
  expect(await version('2')).toEqual([]);
  expect(await version('3')).toEqual(['3']);
  expect(await version('1')).toEqual([]);
  expect(await version('3')).toEqual(['3']);
});

test('A worker that drains reports no version', async () => {
  const announcement = new Announcement({
    self,
    assignments: { announce: async () => ok({ ...project, version: '2' }) },
    onOtherVersion: () => expect.fail('It takes nothing new'),
  });
  await announcement.send('draining');
});
