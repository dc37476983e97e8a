import { createHmac } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { collector, refusing } from '../../test/rig/collector.ts';
import { tempFolder } from '../../test/rig/temp-folder.ts';
import { until } from '../../test/rig/until.ts';
import type { HookMessage } from '../model/hook.ts';
import { bellSender, commandSender, desktopSender, webhookSender } from './sender.ts';

const never = new AbortController().signal;
const env = { PATH: process.env.PATH ?? '' };
const message: HookMessage = {
  schema: 1,
  hook: 'team',
  project: 'shop',
  id: 'a1',
  point: 'task-landed',
  at: '2026-01-01T00:00:00.000Z',
  run: 'r1',
  seq: 7,
  text: 'api landed as b2.',
};

describe('a hook that is a command', () => {
  const shell = (cwd: string, line: string, ms = 5_000) =>
    commandSender({ argv: ['/bin/sh', '-c', line], cwd, env, ms });

  it('gets the message on its standard input and the point in its environment', async () => {
    const dir = tempFolder();
    const sender = shell(dir, 'cat > got.json; echo "$YARDMASTER_HOOK $YARDMASTER_POINT" > point');
    expect(await sender.send(message, never)).toEqual({ ok: true });
    expect(JSON.parse(readFileSync(join(dir, 'got.json'), 'utf8'))).toEqual(message);
    expect(readFileSync(join(dir, 'point'), 'utf8')).toBe('team task-landed\n');
  });

  it('fails with its status and the last line it printed', async () => {
    expect(await shell(tempFolder(), 'echo no route >&2; exit 3').send(message, never)).toEqual({
      ok: false,
      cause: 'exit status 3: no route',
      again: true,
    });
    const missing = commandSender({ argv: ['./absent'], cwd: tempFolder(), env, ms: 5_000 });
    expect(await missing.send(message, never)).toMatchObject({ ok: false, again: false });
  });

  it('is ended at its time limit and with the run, and leaves nothing in the background', async () => {
    const dir = tempFolder();
    const late = await shell(dir, 'sleep 60', 50).send(message, never);
    expect(late).toEqual({ ok: false, cause: 'it ran longer than 0.05 s', again: true });
    const end = new AbortController();
    const sending = shell(dir, 'touch began; sleep 60').send(message, end.signal);
    await until(() => existsSync(join(dir, 'began')), 'the command to begin');
    end.abort();
    expect(await sending).toEqual({ ok: false, cause: 'the run ended first', again: true });
    const quick = shell(dir, 'sleep 60 >/dev/null 2>&1 & echo $! > pid');
    expect(await quick.send(message, never)).toEqual({ ok: true });
    const pid = Number(readFileSync(join(dir, 'pid'), 'utf8'));
    await until(() => !isRunning(pid), 'the end of the background process');
  });
});

/** A zombie has ended; in a container nobody may collect it. */
function isRunning(pid: number): boolean {
  try {
    return !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch (error) {
    if (error instanceof Error && 'code' in error) return false;
    throw error;
  }
}

describe('a webhook', () => {
  const options = { ms: 5_000, now: () => 1_700_000_000_500 };

  it('is posted with an id, a time and a signature that the receiver can check', async () => {
    const { endpoint, received } = await collector();
    const secret = 'not so secret';
    const sender = webhookSender({ url: `${endpoint}/in?x=1`, secret, ...options });
    expect(await sender.send(message, never)).toEqual({ ok: true });
    const [{ path, headers, body } = { path: '', headers: {}, body: '' }] = received;
    expect(path).toBe('/in?x=1');
    expect(JSON.parse(body)).toEqual(message);
    const sign = createHmac('sha256', secret).update(`a1.1700000000.${body}`).digest('base64');
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      'webhook-id': 'a1',
      'webhook-timestamp': '1700000000',
      'webhook-signature': `v1,${sign}`,
    });
    expect(JSON.stringify(received)).not.toContain(secret);
  });

  it('decodes a secret of the form whsec_, and has no signature without a secret', async () => {
    const { endpoint, received } = await collector();
    const key = Buffer.from('key');
    await webhookSender({
      url: endpoint,
      secret: `whsec_${key.toString('base64')}`,
      ...options,
    }).send(message, never);
    const sign = createHmac('sha256', key)
      .update(`a1.1700000000.${received[0]?.body}`)
      .digest('base64');
    expect(received[0]?.headers['webhook-signature']).toBe(`v1,${sign}`);
    await webhookSender({ url: endpoint, ...options }).send(message, never);
    expect(received[1]?.headers['webhook-signature']).toBeUndefined();
  });

  it.each([
    [503, true],
    [429, true],
    [404, false],
  ])('that is answered with %i may be sent again: %j', async (status, again) => {
    const { endpoint } = await collector((response) => {
      response.statusCode = status;
      response.end();
    });
    expect(await webhookSender({ url: endpoint, ...options }).send(message, never)).toEqual({
      ok: false,
      cause: `it answered with status ${status}`,
      again,
    });
  });

  it('does not follow a redirect, and gives up on silence and refusals', async () => {
    const elsewhere = await collector();
    const moved = await collector((response) => {
      response.writeHead(307, { location: elsewhere.endpoint }).end();
    });
    expect(
      await webhookSender({ url: moved.endpoint, ...options }).send(message, never),
    ).toMatchObject({ ok: false });
    expect(elsewhere.received).toHaveLength(0);
    const silent = await collector(() => undefined);
    const sender = webhookSender({ url: silent.endpoint, ...options, ms: 50 });
    expect(await sender.send(message, never)).toMatchObject({
      cause: 'it did not answer in time',
      again: true,
    });
    const url = await refusing();
    expect(await webhookSender({ url, ...options }).send(message, never)).toMatchObject({
      ok: false,
      again: true,
    });
  });

  it('is not sent without the variables that it names', async () => {
    const sender = (more: object) => webhookSender({ url: undefined, ...options, ...more });
    expect(await sender({}).send(message, never)).toMatchObject({
      cause: 'the variable of url_env is not set',
      again: false,
    });
    expect(await sender({ url: 'http://127.0.0.1:1', secret: '' }).send(message, never)).toEqual({
      ok: false,
      cause: 'the variable of secret_env is not set',
      again: false,
    });
  });
});

describe('a notice on the desktop', () => {
  it.each(['linux', 'darwin'])('calls the program of %s', async (platform) => {
    const dir = tempFolder();
    const program = join(dir, 'program');
    writeFileSync(program, `#!/bin/sh\nprintf '%s\\n' "$@" > '${dir}/args'\n`);
    chmodSync(program, 0o755);
    const sender = desktopSender({ platform, which: () => program, cwd: dir, env, ms: 5_000 });
    expect(await sender.send(message, never)).toEqual({ ok: true });
    const args = readFileSync(join(dir, 'args'), 'utf8').trimEnd().split('\n');
    expect(args.slice(-2)).toEqual(['shop: task landed', 'api landed as b2.']);
  });

  it('says which program is missing', async () => {
    const sender = desktopSender({
      platform: 'linux',
      which: () => undefined,
      cwd: '/',
      env,
      ms: 1,
    });
    expect(await sender.send(message, never)).toEqual({
      ok: false,
      cause: 'notify-send is not installed',
      again: false,
    });
  });
});

describe('the bell', () => {
  it('is one character on the terminal', async () => {
    const dir = tempFolder();
    const file = join(dir, 'terminal');
    const bell = bellSender(file);
    expect(await bell?.send(message, never)).toEqual({ ok: true });
    expect(readFileSync(file, 'utf8')).toBe('\x07');
    rmSync(file);
    mkdirSync(file);
    expect(await bell?.send(message, never)).toMatchObject({
      cause: 'there is no terminal',
      again: false,
    });
  });

  it('does not exist without a terminal', () => {
    expect(bellSender('/absent/terminal')).toBeUndefined();
  });
});
