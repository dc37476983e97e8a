import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { collector } from '../../test/rig/collector.ts';
import { need } from '../../test/rig/need.ts';
import { tempFolder } from '../../test/rig/temp-folder.ts';
import { loadConfig } from '../config/config.ts';
import type { Hook } from '../config/hook.ts';
import type { HookMessage } from '../model/hook.ts';
import { hookSender } from './hooks.ts';
import { whichOn } from './project.ts';

const message: HookMessage = {
  schema: 1,
  hook: 'h',
  project: 'shop',
  id: 'a1',
  point: 'run-ended',
  at: '2026-01-01T00:00:00.000Z',
  run: 'r1',
  seq: 7,
  text: 'Run r1 ended.',
};
const never = new AbortController().signal;

function hookOf(text: string): Hook {
  const config = loadConfig({
    root: '/',
    env: {},
    flags: {},
    readFile: () => `hooks: { h: ${text} }`,
  });
  const hook = need(config.ok ? config.value.hooks.h : undefined);
  return hook;
}

function send(hook: string, env: Readonly<Record<string, string>> = {}) {
  const root = tempFolder();
  const clock = { now: () => 5_000, sleep: async () => undefined };
  const path = { PATH: process.env.PATH ?? '' };
  const here = { root, env, childEnv: { ...path, ...env }, which: whichOn(root, root), clock };
  return { root, sent: hookSender(here, hookOf(hook))?.send(message, never) };
}

it('starts a shell line or a program in the repository, with the environment of children', async () => {
  const line = send('{ use: command, command: "cat > got; echo $OWN > own" }', { OWN: 'mine' });
  expect(await line.sent).toEqual({ ok: true });
  expect(JSON.parse(readFileSync(join(line.root, 'got'), 'utf8'))).toEqual(message);
  expect(readFileSync(join(line.root, 'own'), 'utf8')).toBe('mine\n');
  const program = send('{ use: command, command: [tee, "a b"] }');
  expect(await program.sent).toEqual({ ok: true });
  expect(readFileSync(join(program.root, 'a b'), 'utf8')).toContain('"id":"a1"');
});

it('posts to an address of the config or of a variable, signed if a secret is named', async () => {
  const { endpoint, received } = await collector();
  expect(await send(`{ use: webhook, url: "${endpoint}/a" }`).sent).toEqual({ ok: true });
  const named = '{ use: webhook, url_env: ADDRESS, secret_env: KEY }';
  const env = { ADDRESS: `${endpoint}/b`, KEY: 'k' };
  expect(await send(named, env).sent).toEqual({ ok: true });
  expect(received.map(({ path }) => path)).toEqual(['/a', '/b']);
  expect(received.map(({ headers }) => headers['webhook-signature'] !== undefined)).toEqual([
    false,
    true,
  ]);
  expect(await send(named, { KEY: 'k' }).sent).toMatchObject({
    cause: 'the variable of url_env is not set',
  });
  expect(await send(named, { ADDRESS: endpoint }).sent).toMatchObject({
    cause: 'the variable of secret_env is not set',
  });
  expect(await send(named, { ...env, ADDRESS: '' }).sent).toMatchObject({ ok: false });
});

it('keeps the time limit of the hook', async () => {
  const slow = send('{ use: command, command: "sleep 60", timeout: 50ms }');
  expect(await slow.sent).toMatchObject({ cause: 'it ran longer than 0.05 s' });
});

it('says which program the desktop lacks', async () => {
  expect(await send('{ use: desktop }').sent).toMatchObject({
    ok: false,
    cause: expect.stringMatching(/^(?:notify-send|osascript) is not installed$/),
  });
});
