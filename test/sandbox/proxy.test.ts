// Children of `strict` with a list of hosts: what they reach through the real proxy, and how they end.
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { ConfinedSpec } from '../../src/port/processes.ts';
import { noState } from '../../src/port/sandbox.ts';
import { supervisor } from '../../src/process/supervisor.ts';
import { confineWith, type SandboxSettings } from '../../src/sandbox/sandbox.ts';
import { build, untilFile } from '../process/scratch.ts';
import { bwrap, hasSandbox } from '../rig/sandbox.ts';
import { processesWith } from '../rig/screen.ts';
import { tempFolder } from '../rig/temp-folder.ts';

let programs: string;
let proxy: string;
let listed: Server;
let other: Server;
const portOf = (server: Server): number => (server.address() as AddressInfo).port;
const serve = async (text: string): Promise<Server> => {
  const server = createServer((request, response) => {
    response.end(`${text} ${request.method} ${request.url}\n`);
  });
  await new Promise<void>((done) => {
    server.listen(0, '127.0.0.1', done);
  });
  return server;
};
beforeAll(async () => {
  programs = tempFolder();
  proxy = join(programs, 'sandbox-proxy.js');
  symlinkSync(await build('src/sandbox/proxy/main.ts', programs), proxy);
  [listed, other] = await Promise.all([serve('listed'), serve('other')]);
});
afterAll(() => {
  for (const server of [listed, other]) server.close();
});

let place: string;
let work: string;
let settings: SandboxSettings;
beforeEach(() => {
  place = tempFolder();
  // Longer than the path of a socket may be.
  work = join(place, 'a-long-name-'.repeat(10), 'slot');
  const home = join(place, 'home');
  for (const dir of [home, work]) mkdirSync(dir, { recursive: true });
  settings = {
    mode: 'strict',
    bwrap,
    home,
    repository: join(place, 'repo/.git'),
    root: join(place, 'repo'),
    hidden: [],
    writable: [],
    variables: ['MARK', 'NODE_OPTIONS'],
    gateNetwork: true,
    gateUserns: false,
    hosts: [`127.0.0.1:${portOf(listed)}`],
    proxy: [process.execPath, proxy],
    programs: [process.execPath],
    agents: [],
  };
});

function spec(script: string, more: Partial<ConfinedSpec> = {}): ConfinedSpec {
  return {
    dir: join(place, 'turn'),
    name: 'agent',
    argv: ['/bin/sh', '-c', script],
    cwd: work,
    env: { PATH: process.env.PATH ?? '', MARK: place },
    limits: { wallMs: 30_000, outputBytes: 1_000_000 },
    confined: { role: 'agent', state: noState, variables: [] },
    ...more,
  };
}

async function run(script: string, more: Partial<ConfinedSpec> = {}) {
  const processes = supervisor({
    killGraceMs: 2_000,
    followMs: 20,
    confine: confineWith(settings),
  });
  const one = spec(script, more);
  const end = await processes.run(one);
  expect(processesWith(`MARK=${place}`)).toEqual([]);
  return { ...end, output: await processes.tail(one.dir, one.name, 10_000) };
}

describe.runIf(hasSandbox)('a child with listed hosts', () => {
  it('reaches those, by plain requests and through tunnels, and is told which it does not', async () => {
    const [yes, no] = [portOf(listed), portOf(other)];
    const { output, stragglers } = await run(
      `curl -sS -d x http://127.0.0.1:${yes}/plain
      curl -sS -p http://127.0.0.1:${yes}/tunnel
      curl -sS http://127.0.0.1:${no}/
      curl -s -p -o /dev/null -w '%{http_connect}\\n' http://127.0.0.1:${no}/
      curl -sS http://localhost:${yes}/ 2>&1 | grep -c 'connect'
      curl -sS --noproxy '' http://localhost:${yes}/
      curl --noproxy '*' -s http://127.0.0.1:${yes}/ || echo "no other way"`,
    );
    expect(output).toBe(
      `listed POST /plain
listed GET /tunnel
127.0.0.1:${no} is not in \`sandbox_hosts\`, so the sandbox blocks it.
403
1
localhost:${yes} is not in \`sandbox_hosts\`, so the sandbox blocks it.
no other way
${[no, yes].map((port, n) => `${n === 0 ? '127.0.0.1' : 'localhost'}:${port} is not in \`sandbox_hosts\`, so the sandbox blocks it.\n`).join('')}`,
    );
    expect(stragglers).toBe(0);
  });

  it('is told if a listed host does not answer', async () => {
    const closed = await serve('closed');
    const port = portOf(closed);
    await new Promise((done) => closed.close(done));
    settings = { ...settings, hosts: [`127.0.0.1:${port}`] };
    const { output } = await run(
      `curl -sS http://127.0.0.1:${port}/; curl -s -p -w '%{http_connect}\\n' http://127.0.0.1:${port}/`,
    );
    expect(output).toContain(`127.0.0.1:${port} could not be reached: connect ECONNREFUSED`);
    expect(output).toContain('502');
  });

  it.each([
    ['exit 0', { id: 'exited', code: 0 }],
    ['exit 127', { id: 'exited', code: 127 }],
    ['kill -9 $$', { id: 'signaled', signal: 'SIGKILL' }],
  ])('has the status of %s', async (script, how) => {
    expect((await run(script)).how).toEqual(how);
  });

  it('that the sandbox cannot start did not start', async () => {
    settings = { ...settings, home: '/proc/nothing' };
    expect((await run('true')).how).toMatchObject({
      id: 'not-started',
      cause: expect.stringContaining('bwrap: '),
    });
  });

  it('is asked to end by itself, and has time and network to do so', async () => {
    const url = `http://127.0.0.1:${portOf(listed)}/last`;
    const script = `trap 'sleep 0.3; curl -sS ${url} >saved; exit 0' TERM; echo up >up
      while :; do sleep 0.02; done`;
    const processes = supervisor({
      killGraceMs: 10_000,
      followMs: 20,
      confine: confineWith(settings),
    });
    const one = spec(script);
    const ended = processes.run(one);
    await untilFile(join(work, 'up'));
    processes.interrupt(one.dir);
    expect(await ended).toMatchObject({ how: { id: 'interrupted' }, stragglers: 0 });
    await untilFile(join(work, 'saved'));
    expect(processesWith(`MARK=${place}`)).toEqual([]);
  });

  it('passes its settings of Node.js to nothing outside', async () => {
    const planted = join(work, 'planted.cjs');
    const first = `require('fs').readFileSync('/proc/1/comm', 'utf8')`;
    writeFileSync(planted, `require('fs').appendFileSync('${work}/ran', ${first});`);
    const env = { ...spec('').env, NODE_OPTIONS: '--require ./planted.cjs' };
    expect((await run('node -e 0; cat ran', { env })).output).toBe('bwrap\nbwrap\n');
  });

  it('is an agent: gates have no network', async () => {
    const { output } = await run('echo "$HTTP_PROXY"; tail -n +3 /proc/net/dev | wc -l', {
      confined: { role: 'gate' },
    });
    expect(output).toBe('\n1\n');
  });
});
