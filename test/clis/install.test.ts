// The installer of the agents, with a stand-in for npm: what it installs is a small script that says its version.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeEach, describe, expect, it } from 'vitest';
import { tempFolder } from '../rig/temp-folder.ts';

const installer = fileURLToPath(new URL('../../scripts/clis.mjs', import.meta.url));
const pinned = (name: string): string => {
  const file = new URL('package.json', import.meta.url);
  return JSON.parse(readFileSync(file, 'utf8')).dependencies[name];
};

/** Installs what the package.json beside it names, as a program that prints `SAYS` or the pinned version. */
const npm = `
const fs = require('node:fs');
fs.appendFileSync(process.env.CALLS, process.argv.slice(2).join(' ') + '\\n');
if (process.env.BROKEN) { console.error('npm error nobody is there'); process.exit(7); }
const [[name, version]] = Object.entries(JSON.parse(fs.readFileSync('package.json')).dependencies);
const lock = JSON.parse(fs.readFileSync('package-lock.json'));
if (lock.packages[''].dependencies[name] !== version) process.exit(8);
const bin = { '@openai/codex': 'codex', '@google/gemini-cli': 'gemini' }[name];
fs.mkdirSync('node_modules/.bin', { recursive: true });
fs.writeFileSync('node_modules/.bin/' + bin, '#!/bin/sh\\necho ' + (process.env.SAYS ?? version) + '\\n', { mode: 0o755 });
`;

let dir: string;
let cache: string;
beforeEach(() => {
  dir = tempFolder();
  cache = join(dir, 'cache');
  writeFileSync(join(dir, 'npm.js'), npm);
});

async function install(
  clis: string,
  env: Readonly<Record<string, string>> = {},
): Promise<{ code: number; out: string; err: string }> {
  const child = spawn(process.execPath, [installer], {
    env: {
      PATH: process.env.PATH ?? '',
      HOME: join(dir, 'home'),
      npm_execpath: join(dir, 'npm.js'),
      CALLS: join(dir, 'calls'),
      YARDMASTER_CLIS_CACHE: cache,
      YARDMASTER_TEST_CLIS: clis,
      ...env,
    },
  });
  let out = '';
  let err = '';
  child.stdout.on('data', (data) => {
    out += data;
  });
  child.stderr.on('data', (data) => {
    err += data;
  });
  const [code] = await once(child, 'close');
  return { code, out, err };
}

const calls = (): number => readFileSync(join(dir, 'calls'), 'utf8').trim().split('\n').length;

describe('the installer of the agents', () => {
  it('installs what is asked for, once, and says what and how much', async () => {
    const first = await install('codex');
    expect(first).toMatchObject({ code: 0, err: '' });
    const version = pinned('@openai/codex').replaceAll('.', '\\.');
    expect(first.out).toMatch(new RegExp(`installed codex ${version}, \\d+ MB, \\d+ s`));
    expect(readdirSync(cache)).toEqual([expect.stringMatching(/^clis-[0-9a-f]{12}-codex$/)]);
    const again = await install('codex');
    expect(again.out).toMatch(/codex \S+: up to date/);
    expect(calls()).toBe(1);
    await install('codex, gemini');
    expect(readdirSync(cache)).toHaveLength(2);
    expect(calls()).toBe(2);
  });

  it('installs nothing where none is asked for', async () => {
    const done = await install('none');
    expect(done.code).toBe(0);
    expect(done.out).toMatch(/none, as YARDMASTER_TEST_CLIS says/);
    expect(readdirSync(dir)).not.toContain('calls');
  });

  it('refuses a name that it does not know, with those that it knows', async () => {
    const done = await install('codex,cursor');
    expect(done.code).toBe(2);
    expect(done.err).toMatch(/"cursor".*claude, codex, opencode, gemini/s);
  });

  it('says why it failed and what to do, and leaves nothing half done', async () => {
    const done = await install('codex,gemini', { BROKEN: '1' });
    expect(done.code).toBe(1);
    expect(done.err).toMatch(/codex .* could not be installed.*exit code 7.*nobody is there/s);
    expect(done.err).toMatch(/YARDMASTER_TEST_CLIS=gemini/);
    expect(readdirSync(cache)).toEqual([]);
  });

  it('does not take a program that says another version', async () => {
    const done = await install('codex', { SAYS: '0.0.1' });
    expect(done.code).toBe(1);
    expect(done.err).toMatch(/"codex --version".*said "0\.0\.1"/s);
    expect(readdirSync(cache)).toEqual([]);
  });

  it('lets two install at once', async () => {
    const both = await Promise.all([install('codex'), install('codex')]);
    expect(both.map(({ code }) => code)).toEqual([0, 0]);
    expect(readdirSync(cache)).toHaveLength(1);
  });

  it('removes what an install that was killed left long ago, and nothing newer', async () => {
    for (const name of ['clis-old.1.draft', 'clis-new.2.draft']) {
      mkdirSync(join(cache, name), { recursive: true });
    }
    utimesSync(join(cache, 'clis-old.1.draft'), 1, 1);
    await install('codex');
    const left = readdirSync(cache).filter((name) => name.endsWith('.draft'));
    expect(left).toEqual(['clis-new.2.draft']);
  });

  it('keeps to the cache folder of the user where no other is named', async () => {
    await install('codex', { YARDMASTER_CLIS_CACHE: '', XDG_CACHE_HOME: join(dir, 'xdg') });
    expect(readdirSync(join(dir, 'xdg', 'yardmaster'))).toHaveLength(1);
  });
});
