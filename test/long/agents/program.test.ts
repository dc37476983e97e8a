// The built program with real agents: what it says of them, and what becomes of them when it is killed.
import { expect, it } from 'vitest';
import { agentPool, complete, work } from '../../agents/agent-pool.ts';
import { cliNames, eachCli, withClis } from '../../agents/clis.ts';
import type { Step } from '../../model-server/script.ts';
import { until } from '../../rig.ts';

withClis('ym doctor', cliNames, () => {
  it('finds every agent with its version and its sign-in, and shows no key', async () => {
    const scripts = Object.fromEntries(cliNames.map((name) => [name, { turns: [] }]));
    const { project: y, server } = await agentPool({ scripts });
    const { stdout, code } = await y.ym('doctor');
    expect(code, stdout).toBe(0);
    for (const name of cliNames) {
      expect(stdout).toMatch(new RegExp(`✓ agent +${name}: .*, version [0-9.]+`));
    }
    expect(stdout).toMatch(/ANTHROPIC_API_KEY/);
    expect(stdout).not.toMatch(/scripted-key/);
    expect(server.journal.requests()).toEqual([]);
  });
});

eachCli('a program that is killed while its agent works', ['codex', 'claude'], (name) => {
  it('is resumed with that very agent, which is asked for nothing twice', async () => {
    const { project: y, server } = await agentPool({
      scripts: { [name]: { turns: [] } },
      tasks: [{ id: 'a' }],
    });
    const hold: Step = { run: `while ! test -e '${y.stage}/go'; do sleep 0.1; done; ${work}` };
    server.script(name, { turns: [[hold, { say: complete }]] });
    const running = y.start('run', y.plan);
    await until(() => server.journal.requests(name).length === 1, 'the agent at work', 60_000);
    running.signal('SIGKILL');
    await running.end();
    const resumed = y.start('resume');
    await y.untilStatus(({ run }) => run?.state === 'running', 'the run to be taken over');
    y.signal('go');
    const { code, stdout, stderr } = await resumed.end();
    expect(code, `${stdout}${stderr}`).toBe(0);
    expect(y.landed()).toEqual(['a']);
    expect(server.journal.requests(name)).toHaveLength(2);
    const { spend } = JSON.parse((await y.ym('summary', '--json')).stdout);
    expect(spend.totals).toMatchObject({ turns: 1, input: server.journal.usage(name).input });
  });
});
