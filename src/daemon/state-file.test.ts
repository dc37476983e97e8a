import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { need } from '../../test/rig/need.ts';
import { tempFolder } from '../../test/rig/temp-folder.ts';
import { type DaemonState, daemonLimits, noState } from '../model/daemon.ts';
import { ok } from '../model/failure.ts';
import { logWriter, StateFile } from './state-file.ts';

let dir: string;
let file: string;

beforeEach(() => {
  dir = tempFolder();
  file = join(dir, 'state.json');
});

const full: DaemonState = {
  projects: ['/places/ada/shop'],
  last: 7,
  submissions: [
    {
      number: 6,
      root: '/places/ada/shop',
      words: ['run', '--scope=ready'],
      wishes: { jobs: 4, spawnRate: 4, priority: 'high', hasOwnJobs: true },
      input: '/state/daemon/runs/6.in',
      askedAt: 1_000,
      owner: { pid: 1, startedAt: '1@machine/boot', host: 'here' },
      run: 'r1',
      stopped: true,
      deaths: 2,
      retryAt: 5_000,
    },
    {
      number: 7,
      root: '/places/ada/shop',
      words: ['resume', 'r2'],
      wishes: { jobs: 1, spawnRate: 1, priority: 'low' },
      askedAt: 2_000,
      deaths: 0,
    },
  ],
  fired: { '/places/ada/shop nightly': 3_000 },
  due: [{ root: '/places/ada/shop', task: 'nightly-20261117' }],
};

function opened(path: string): StateFile {
  const read = need(StateFile.open(path));
  return read.state;
}

describe('the state of the daemon', () => {
  test('is empty at first', () => {
    expect(opened(file).value).toEqual(noState);
  });

  test('is what the last daemon saved', () => {
    expect(opened(file).save(full)).toEqual(ok(undefined));
    expect(opened(file).value).toEqual(full);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  test('changes by parts', () => {
    const state = opened(file);
    state.save(full);
    state.save({ last: 8, due: [] });
    expect(state.value).toEqual({ ...full, last: 8, due: [] });
    expect(opened(file).value).toEqual(state.value);
  });

  test('is not written again if nothing changed', () => {
    const state = opened(file);
    state.save(full);
    rmSync(file);
    state.save({ last: full.last });
    expect(existsSync(file)).toBe(false);
  });

  test.each([
    ['no JSON', 'garbage'],
    ['another shape', '{"projects":"all"}'],
    ['a cut file', '{"projects":["/places'],
    ['an unknown priority', JSON.stringify(full).replace('"high"', '"urgent"')],
  ])('is empty if the file holds %s, which is put aside', (_what, text) => {
    for (const aside of [`${file}.unreadable`, `${file}.unreadable-2`]) {
      writeFileSync(file, text);
      const read = StateFile.open(file);
      expect(read).toMatchObject({
        ok: true,
        value: { state: { value: noState }, putAside: aside },
      });
      expect(readFileSync(aside, 'utf8')).toBe(text);
      expect(existsSync(file)).toBe(false);
    }
  });

  test('is not replaced if it cannot be read', () => {
    mkdirSync(file);
    expect(StateFile.open(file)).toMatchObject({ failure: { kind: 'state-unwritable', dir } });
  });

  test('is written as soon as it can be, also if nothing changed since', () => {
    const state = opened(file);
    mkdirSync(file);
    expect(state.save(full).ok).toBe(false);
    rmSync(file, { recursive: true });
    expect(state.save({})).toEqual(ok(undefined));
    expect(opened(file).value).toEqual(full);
  });
});

describe('the log of the daemon', () => {
  const at = Date.UTC(2026, 10, 17, 18, 0);

  test('has a line with the time for each message', () => {
    const write = logWriter(join(dir, 'logs', 'daemon.log'), () => at);
    expect(write('one')).toBe('2026-11-17T18:00:00.000Z one');
    write('two');
    expect(readFileSync(join(dir, 'logs', 'daemon.log'), 'utf8')).toBe(
      '2026-11-17T18:00:00.000Z one\n2026-11-17T18:00:00.000Z two\n',
    );
  });

  test('is put aside when it has grown large', () => {
    const log = join(dir, 'daemon.log');
    writeFileSync(log, 'x'.repeat(daemonLimits.logBytes + 1));
    const write = logWriter(log, () => at);
    write('new');
    expect(readFileSync(log, 'utf8')).toBe('2026-11-17T18:00:00.000Z new\n');
    expect(statSync(`${log}.1`).size).toBe(daemonLimits.logBytes + 1);
    // Also while the daemon runs; the one before is dropped.
    writeFileSync(log, 'y'.repeat(daemonLimits.logBytes + 2));
    write('newer');
    expect(readFileSync(log, 'utf8')).toBe('2026-11-17T18:00:00.000Z newer\n');
    expect(statSync(`${log}.1`).size).toBe(daemonLimits.logBytes + 2);
  });

  test('does not stop the daemon if it cannot be written', () => {
    const log = join(dir, 'daemon.log');
    const write = logWriter(log, () => at);
    mkdirSync(log);
    chmodSync(log, 0o700);
    expect(write('lost')).toContain('lost');
  });
});
