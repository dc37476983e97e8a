import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readAttemptFile, readManifest, readRunFile } from '../../src/record/read-files.ts';
import { good, trouble } from './life.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'yard-files-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const read = <T>(result: ReturnType<typeof readRunFile> | unknown): T => {
  const reading = good(result as ReturnType<typeof readRunFile>);
  if (reading.id === 'read') return reading.value as T;
  throw new Error(reading.reason);
};
describe('A file of another time', () => {
  const file = () => join(dir, 'file.json');
  const wrote = (text: string) => writeFileSync(file(), text);

  it('gets defaults for what it lacks', () => {
    wrote('{"id":"r","startedAt":5}');
    expect(read(readRunFile(file()))).toEqual({
      schema: 1,
      id: 'r',
      startedAt: 5,
      lastUpdatedAt: 5,
      jobs: 1,
      target: '',
      base: '',
      agent: '',
      scope: { kind: 'ready' },
      starts: 0,
      landed: 0,
    });
    wrote('{"run":"r","slots":[{"slot":1,"landed":3},null]}');
    expect(read(readManifest(file()))).toMatchObject({
      jobs: 1,
      slots: [{ slot: 1, attempts: 0, landed: 3, failed: 0, ms: 0 }],
    });
    wrote('{"task":"a"}');
    expect(read(readAttemptFile(file()))).toMatchObject({ attempt: 1, outcome: 'unfinished' });
  });

  it.each([
    ['null', 'no reason was recorded'],
    ['"it broke"', 'it broke'],
    ['{"no":"kind"}', '{"no":"kind"}'],
  ])('has a failure where it holds %s for one', (stored, message) => {
    const failure = { kind: 'other', message };
    wrote(`{"task":"a","outcome":"failed","failure":${stored}}`);
    expect(read(readAttemptFile(file()))).toMatchObject({ failure });
    wrote(`{"id":"r","stop":{"reason":"environment","failure":${stored}}}`);
    expect(read(readRunFile(file()))).toMatchObject({ stop: { failure } });
    wrote(`{"id":"r","paused":{"claude":{"until":5,"failure":${stored}},"codex":7}}`);
    expect(read(readRunFile(file()))).toMatchObject({
      paused: {
        claude: { until: 5, failure },
        codex: { failure: { kind: 'other', message: '7' } },
      },
    });
  });

  it('says nothing of what it did not know about', () => {
    wrote('{"id":"r","startedAt":5,"stop":{"reason":"drained"}}');
    const old = read<object>(readRunFile(file()));
    for (const key of ['spend', 'paused', 'pauses', 'silentTurns', 'providerRetries', 'prefixes']) {
      expect(old).not.toHaveProperty(key);
    }
    wrote('{"task":"a","agent":"mine"}');
    const attempt = read<object>(readAttemptFile(file()));
    for (const key of ['model', 'reasoning', 'session', 'spend', 'coClaims']) {
      expect(attempt).not.toHaveProperty(key);
    }
  });

  it('has no failure where none is due', () => {
    wrote('{"id":"r","stop":{"reason":"drained"}}');
    expect(read<{ stop: unknown }>(readRunFile(file())).stop).toEqual({ reason: 'drained' });
  });

  it.each([
    ['', 'JSON'],
    ['{"id":"r","star', 'JSON'],
    ['[1]', 'does not hold an object'],
    ['"words"', 'does not hold an object'],
    ['{"startedAt":5}', 'has no "id"'],
    ['{"id":"r","schema":"new"}', 'version'],
  ])('is not read when it holds %j, and the reason is given', (text, reason) => {
    wrote(text);
    const reading = good(readRunFile(file()));
    expect(reading).toMatchObject({ id: 'unreadable' });
    expect(reading.id === 'unreadable' && reading.reason).toContain(reason);
    expect(reading.id === 'unreadable' && reading.reason).toContain(file());
  });

  it('is not read when it is not there', () => {
    expect(good(readManifest(file()))).toMatchObject({ id: 'unreadable' });
  });

  it('is refused with both versions when it has another one', () => {
    wrote('{"id":"r","schema":2}');
    const refused = { kind: 'store-newer', file: file(), found: 2, known: 1 };
    for (const reader of [readRunFile, readManifest, readAttemptFile]) {
      expect(trouble(reader(file()))).toEqual(refused);
    }
  });
});
