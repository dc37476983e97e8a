// The generic adapter, with the agents that speak its protocol by themselves.
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { acpAgent } from '../../../src/agent/acp.ts';
import { complete } from '../../agents/agent-pool.ts';
import { binaryOf, eachCli } from '../../agents/clis.ts';
import { key, type StageWishes, stage } from '../../agents/stage.ts';
import { until } from '../../rig/until.ts';

const program = fileURLToPath(new URL('../../../dist/acp-client.js', import.meta.url));
const words = { opencode: ['acp'], gemini: ['--acp', '--skip-trust', '-m', 'gemini-2.5-pro'] };
type Speaker = keyof typeof words;

const acp: StageWishes = {
  ownModel: true,
  agentFor: (name, { around, worktree, sandbox }) =>
    acpAgent({
      name,
      command: [binaryOf(name), ...words[name as Speaker]],
      program,
      args: [],
      sandbox,
      root: worktree,
      base: around.env,
    }),
};

eachCli('the Agent Client Protocol', ['opencode', 'gemini'], (name) => {
  it('lets it work, and hears its last word, its conversation and its tokens', async () => {
    const s = await stage(
      name,
      { turns: [[{ run: 'echo one > one.txt', say: 'I write it.' }, { say: complete }]] },
      acp,
    );
    const { result, out } = await s.play();
    expect(result, out).toMatchObject({ ok: true, signal: { id: 'complete' } });
    expect(result.session, out).toMatch(/./);
    expect(s.has('one.txt')).toBe(true);
    expect(result.usage?.output, out).toBeGreaterThan(0);
    expect(s.server.journal.requests(key)).toHaveLength(2);
    expect(s.alive()).toEqual([]);
  });

  it('is ended with its tool and all that this started', async () => {
    const tool = "echo begun > begun.txt; node -e 'setInterval(() => {}, 1000)'";
    const s = await stage(name, { turns: [[{ run: tool }, { say: complete }]] }, acp);
    const playing = s.play();
    await until(() => s.has('begun.txt'), 'the tool to begin', 60_000);
    s.processes.interruptAll();
    const { result, out } = await playing;
    expect(result, out).toMatchObject({ ok: false, failure: { kind: 'interrupted' } });
    expect(s.alive()).toEqual([]);
  });
});

eachCli('a provider that refuses the key of an agent behind the protocol', ['gemini'], (name) => {
  it('is understood', async () => {
    const s = await stage(name, { turns: [[{ fault: { id: 'auth' } }]] }, acp);
    const { result, out } = await s.play();
    expect(result, out).toMatchObject({ ok: false, failure: { kind: 'provider-auth' } });
  });
});
