import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { checkRunFiles } from '../../src/files/read-files.ts';
import { tried } from '../../src/model/trouble.ts';
import { tempFolder } from '../rig/temp-folder.ts';
import { trouble } from './life.ts';

let dir: string;
beforeEach(() => {
  dir = tempFolder();
  write('run.json', JSON.stringify(run));
  write('manifest.json', JSON.stringify(manifest));
});

const begun = { schema: 1, startedAt: 1, jobs: 1 };
const manifest = { ...begun, run: 'r', slots: [] };
const place = { target: 'main', base: 'b', agent: 'x', scope: { kind: 'ready' } };
const run = { ...begun, ...place, id: 'r', lastUpdatedAt: 1, starts: 0, landed: 0 };

const write = (name: string, text: string) => writeFileSync(join(dir, name), text);

describe('The check of the files of a run', () => {
  it('accepts files of this version', () => {
    expect(checkRunFiles(dir)).toBeUndefined();
  });

  it.each([
    ['', 'JSON'],
    ['{"id":"r","star', 'JSON'],
    ['[1]', 'does not contain an object'],
    ['"words"', 'does not contain an object'],
    ['{"schema":1,"startedAt":5}', 'has no "id"'],
    [JSON.stringify({ ...run, scope: 'ready' }), 'has a wrong "scope"'],
    ['{"id":"r","schema":"new"}', 'version'],
    ['{"id":"r"}', 'version'],
  ])('names the file and the reason if run.json holds %j', (text, reason) => {
    write('run.json', text);
    const failure = trouble(tried(() => checkRunFiles(dir)));
    expect(failure).toMatchObject({ kind: 'store-corrupt', file: dir });
    const detail = failure.kind === 'store-corrupt' ? failure.detail : '';
    expect(detail).toContain(reason);
    expect(detail).toContain(join(dir, 'run.json'));
  });

  const batch = {
    schema: 1,
    run: 'r',
    number: 1,
    createdAt: 1,
    after: { id: 'a', attempt: 1, turn: 1 },
  };

  it('checks the files of batches, and needs none', () => {
    write('batch-001.json', JSON.stringify({ ...batch, source: 'agent', tasks: ['b'] }));
    write('batch-002.json', JSON.stringify({ ...batch, source: 'skipped', reason: 'parse_error' }));
    expect(checkRunFiles(dir)).toBeUndefined();
    write('batch-002.json', JSON.stringify({ ...batch, source: 'agent' }));
    expect(trouble(tried(() => checkRunFiles(dir)))).toMatchObject({
      kind: 'store-corrupt',
      detail: `${join(dir, 'batch-002.json')} has no "tasks"`,
    });
  });

  it('reports a missing file', () => {
    rmSync(join(dir, 'manifest.json'));
    expect(trouble(tried(() => checkRunFiles(dir)))).toMatchObject({ kind: 'store-corrupt' });
  });

  it.each(['run.json', 'manifest.json', 'batch-001.json'])(
    'reports both versions if %s is newer',
    (name) => {
      write(name, '{"id":"r","run":"r","schema":2}');
      const newer = { kind: 'store-newer', file: join(dir, name), found: 2, known: 1 };
      expect(trouble(tried(() => checkRunFiles(dir)))).toEqual(newer);
    },
  );
});
