// The built program with `sandbox: strict` and a list of hosts: agents reach those and no other.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { shell } from '../../rig/project.ts';
import { hasSandbox, inSandbox } from '../../rig/sandbox.ts';
import {
  commit,
  type TestProject,
  type TestProjectOptions,
  testProject,
  touch,
  waitFor,
} from '../../rig.ts';

async function serve(text: string): Promise<{ readonly server: Server; readonly url: string }> {
  const server = createServer((_request, response) => response.end(`${text}\n`));
  await new Promise<void>((done) => {
    server.listen(0, '127.0.0.1', done);
  });
  onTestFinished(() => void server.close());
  return { server, url: `127.0.0.1:${(server.address() as AddressInfo).port}` };
}

function strict(
  hosts: readonly string[],
  script: TestProjectOptions['script'],
  more: Readonly<Record<string, unknown>> = {},
): TestProject {
  return testProject({
    tasks: [{ id: 'a' }],
    config: { ...inSandbox, sandbox: 'strict', sandbox_hosts: hosts, ...more },
    script,
  });
}

describe.runIf(hasSandbox)('strict with listed hosts', () => {
  test('lets an agent reach a listed host, and names the key for any other', async () => {
    const [yes, no] = [await serve('yes'), await serve('no')];
    const ask = (url: string) => `curl -sS http://${url}/; curl -sSp http://${url}/ 2>&1`;
    const y = strict([yes.url], {
      a: [[shell(`{ ${ask(yes.url)}; ${ask(no.url)}; true; } >a.txt`), commit('a')]],
    });
    expect(await y.ym('run', y.plan)).toMatchObject({ code: 0, stderr: '' });
    expect(y.show('a.txt')).toMatch(
      new RegExp(
        `^yes\nyes\n${no.url} is not in \`sandbox_hosts\`, so the sandbox blocks it\\.\n.*403.*\n$`,
      ),
    );
    expect((await y.ym('log', 'a')).stdout).toContain(`${no.url} is not in \`sandbox_hosts\``);
  });

  test('starts an agent that needs a service, which strict without hosts refuses', async () => {
    const agents = { brain: { use: 'claude', binary: 'true' } };
    const offline = strict([], undefined, { agent: 'brain', agents });
    const refused = await offline.ym('run', offline.plan);
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain('brain cannot work without its service');
    expect(refused.stderr).toContain('List the hosts of its service in `sandbox_hosts`');
    const listed = strict(['api.example.com'], undefined, { agent: 'brain', agents });
    expect(await listed.ym('run', '--dry-run', listed.plan)).toMatchObject({ code: 0, stderr: '' });
  });

  test('keeps the proxy of an agent whose engine was killed', async () => {
    const { url } = await serve('yes');
    const y = strict([url], {
      a: [[touch('up'), waitFor('killed'), shell(`curl -sS http://${url}/ >a.txt`), commit('a')]],
    });
    const first = y.start('run', y.plan);
    await y.seen('up');
    first.signal('SIGKILL');
    await first.end();
    y.signal('killed');
    expect(await y.ym('resume')).toMatchObject({ code: 0 });
    expect(y.show('a.txt')).toBe('yes\n');
    expect((await y.task('a')).attempts).toBe(1);
  });

  test('refuses a host that is written as an address of a page', async () => {
    const y = strict(['https://example.com/'], {});
    const run = await y.ym('run', y.plan);
    expect(run.code).toBe(2);
    expect(run.stderr).toContain('without https://');
  });
});
