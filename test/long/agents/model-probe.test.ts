// `ym doctor --models` with real agents: a model that answers, one that the service does not know, a refused key.
import { expect, it } from 'vitest';
import { agentPool } from '../../agents/agent-pool.ts';
import { binaryOf, type CliName, eachCli } from '../../agents/clis.ts';
import { models } from '../../agents/surroundings.ts';
import type { Script } from '../../model-server/script.ts';

interface Check {
  readonly name: string;
  readonly model?: { readonly agent: string; readonly usage?: { readonly output: number } };
  readonly failure?: { readonly what: string; readonly do: string };
}

async function probed(name: CliName, script: Script) {
  const profile = { use: name, binary: binaryOf(name) };
  const { project, server } = await agentPool({
    scripts: { [name]: script },
    config: {
      agent: 'good',
      agents: {
        good: { ...profile, model: models[name] },
        bad: { ...profile, model: 'scripted-gone' },
      },
      review: { agent: 'bad' },
    },
  });
  const { stdout, code } = await project.ym('doctor', '--models', '--json');
  const checks: readonly Check[] = JSON.parse(stdout).checks;
  const of = (agent: string) => checks.find(({ model }) => model?.agent === agent);
  return { code, of, asked: server.journal.requests(name), stdout };
}

eachCli('a model probe', ['claude', 'codex'], (name) => {
  it('tells a model that answers, with its usage, from one that nobody knows', async () => {
    const script = { turns: [[{ say: 'OK' }]], unknownModels: ['scripted-gone'] };
    const { code, of, asked, stdout } = await probed(name, script);
    expect(code, stdout).toBe(3);
    expect(of('good')?.failure, stdout).toBeUndefined();
    expect(of('good')?.model?.usage?.output).toBeGreaterThan(0);
    expect(of('bad')?.failure?.what).toContain('does not know the model "scripted-gone"');
    expect(of('bad')?.failure?.do).toContain('agents.bad.model');
    expect(asked.filter(({ model }) => model === models[name])).toHaveLength(1);
  });

  it('says how to sign in where the key is refused', async () => {
    const { code, of, stdout } = await probed(name, { turns: [[{ fault: { id: 'auth' } }]] });
    expect(code, stdout).toBe(3);
    expect(of('good')?.failure?.what).toContain('is not signed in, or its key was refused');
    expect(of('good')?.failure?.do).toMatch(/Sign in|log ?in/);
  });
});
