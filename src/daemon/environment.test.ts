import { describe, expect, test } from 'vitest';
import { ok } from '../model/failure.ts';
import { checkStore, checkWords, passedOn } from './environment.ts';

describe('the environment of a caller', () => {
  test('is passed on as it is', () => {
    const env = { PATH: '/bin', TOKEN: 'x', NODE_OPTIONS: '--max-old-space-size=4096' };
    expect(passedOn(env)).toEqual({ env, dropped: [] });
  });

  test.each([
    '--require /tmp/x.js',
    '-r /tmp/x.js',
    '--import=/tmp/x.mjs',
    '--max-old-space-size=1 --experimental-loader x',
    '--inspect-brk=0.0.0.0:1',
    '"--require" "/tmp/x.js"',
    '--experimental_loader /tmp/x.js',
  ])('loses NODE_OPTIONS that load code: %s', (NODE_OPTIONS) => {
    expect(passedOn({ PATH: '/bin', NODE_OPTIONS })).toEqual({
      env: { PATH: '/bin' },
      dropped: ['NODE_OPTIONS'],
    });
  });

  test('loses variables that load libraries', () => {
    const env = { LD_PRELOAD: '/tmp/x.so', DYLD_INSERT_LIBRARIES: 'x', LD_LIBRARY_PATH: '/lib' };
    expect(passedOn(env)).toEqual({
      env: { LD_LIBRARY_PATH: '/lib' },
      dropped: ['LD_PRELOAD', 'DYLD_INSERT_LIBRARIES'],
    });
  });

  test('must name the same store as that of the daemon', () => {
    expect(checkStore({}, {})).toEqual(ok(undefined));
    expect(checkStore({ YARDMASTER_STORE: 'a' }, { YARDMASTER_STORE: 'a' })).toEqual(ok(undefined));
    const problem = 'YARDMASTER_STORE is not the same here and in the daemon';
    expect(checkStore({ YARDMASTER_STORE: 'a' }, {})).toMatchObject({ failure: { problem } });
    expect(checkStore({}, { YARDMASTER_STORE: 'a' })).toMatchObject({ failure: { problem } });
  });
});

describe('a command line for the daemon', () => {
  test.each([['run'], ['resume', 'r1'], ['-C', '/p', 'run', '--scope=ready']])(
    'starts a run: %s %s %s',
    (...words) => {
      expect(checkWords(words)).toEqual(ok(undefined));
    },
  );

  test.each([['stop'], [], ['-C', 'run'], ['-C', '/p', 'prune']])(
    'is refused: %s %s',
    (...words) => {
      expect(checkWords(words)).toMatchObject({ ok: false, failure: { kind: 'usage' } });
    },
  );
});
