// Real coding agents that drive `ym mcp`: the model calls a tool, and reads what it returned.
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import { binaryOf, type CliName, eachCli } from '../../agents/clis.ts';
import { models, surroundings } from '../../agents/surroundings.ts';
import type { Step } from '../../model-server/script.ts';
import { startModelServer } from '../../model-server/server.ts';
import { program } from '../../rig/child.ts';
import { type TestProject, testProject, write } from '../../rig.ts';

const steps: readonly Step[] = [
  { use: 'add', args: { title: 'Hello', paths: ['hello.txt'] } },
  { use: 'run', args: { only: ['hello'] } },
  { use: 'status', args: { wait_seconds: 30, all: true } },
  { say: 'The task has landed.' },
];

/** Arguments of each agent for one prompt, with the server as its only source of tools beside its own. */
const argumentsOf: Readonly<Partial<Record<CliName, (y: TestProject) => readonly string[]>>> = {
  claude(y) {
    const config = join(y.base, 'mcp.json');
    const server = { command: process.execPath, args: [program, 'mcp'] };
    writeFileSync(config, JSON.stringify({ mcpServers: { yardmaster: server } }));
    return [
      ...['-p', 'Greet the user', '--model', models.claude, '--strict-mcp-config'],
      ...['--mcp-config', config, '--allowedTools', 'mcp__yardmaster'],
    ];
  },
  codex: () => [
    ...['exec', '--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox'],
    ...['-c', `mcp_servers.yardmaster.command="${process.execPath}"`],
    ...['-c', `mcp_servers.yardmaster.args=["${program}", "mcp"]`],
    ...['-c', 'mcp_servers.yardmaster.env_vars=["YARDMASTER_STATE_DIR","YM_TEST_TAG"]'],
    'Greet the user',
  ],
};

eachCli('ym mcp', ['claude', 'codex'], (name) => {
  it('is driven by a real agent: its model plans, runs and lands a task', async () => {
    const y = testProject({ script: { hello: [[write('hello.txt', 'hello\n')]] } });
    const server = await startModelServer({ scripts: { play: { turns: [steps] } } });
    const around = surroundings({ bases: { [name]: server.base('play', name) } });
    onTestFinished(async () => {
      await server.close();
      around.remove();
    });
    // Claude Code would let its model search for tools first.
    const env = { ...y.env(), ...around.env, ENABLE_TOOL_SEARCH: 'false' };
    const options = { cwd: y.root, env, timeout: 90_000 };
    const asked = promisify(execFile)(binaryOf(name), argumentsOf[name]?.(y) ?? [], options);
    asked.child.stdin?.end();
    const { stdout } = await asked;
    expect(stdout).toContain('The task has landed.');
    expect(y.landed()).toEqual(['hello']);
    const results = server.journal.requests(name).map(({ lastResult }) => lastResult);
    expect(results.some((text) => text.includes('hello.txt'))).toBe(true);
    expect(results.at(-1)).toContain('landed');
    const added = (await y.events()).find(({ type }) => type === 'task-added');
    expect(added).toMatchObject({ actor: { name: expect.stringContaining(name), through: 'mcp' } });
  });
});
