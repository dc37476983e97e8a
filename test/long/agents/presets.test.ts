// Agents of presets, which are too large to install for every test run. `YARDMASTER_TEST_PRESETS` names a folder with
// their programs; those that are there work on a task against the scripted server.
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { PresetName } from '../../../src/config/preset.ts';
import { complete, work } from '../../agents/agent-pool.ts';
import { surroundings } from '../../agents/surroundings.ts';
import type { Script } from '../../model-server/script.ts';
import { type ModelServer, startModelServer } from '../../model-server/server.ts';
import { type TestProject, testProject } from '../../rig.ts';

const folder = process.env.YARDMASTER_TEST_PRESETS ?? '';
const model = 'scripted-model';
type Tested = Extract<PresetName, 'qwen' | 'goose' | 'copilot'>;

/** Variables that lead an agent to the server, and to no other. */
function environment(name: Tested, home: string, base: string): Readonly<Record<string, string>> {
  const { origin, pathname } = new URL(base);
  switch (name) {
    case 'qwen': {
      mkdirSync(join(home, '.qwen'));
      const settings = {
        security: { auth: { selectedType: 'openai' } },
        privacy: { usageStatisticsEnabled: false },
        general: { enableAutoUpdate: false },
      };
      writeFileSync(join(home, '.qwen', 'settings.json'), JSON.stringify(settings));
      const key = { OPENAI_API_KEY: 'scripted-key', OPENAI_MODEL: model };
      return { ...key, OPENAI_BASE_URL: `${base}/v1` };
    }
    case 'goose':
      return {
        GOOSE_PROVIDER: 'openai',
        GOOSE_MODEL: model,
        GOOSE_DISABLE_KEYRING: '1',
        OPENAI_API_KEY: 'scripted-key',
        OPENAI_HOST: origin,
        OPENAI_BASE_PATH: `${pathname.slice(1)}/v1/chat/completions`,
      };
    case 'copilot':
      return {
        COPILOT_OFFLINE: 'true',
        COPILOT_PROVIDER_BASE_URL: `${base}/v1`,
        COPILOT_PROVIDER_API_KEY: 'scripted-key',
        COPILOT_MODEL: model,
      };
  }
}

async function project(
  name: Tested,
  script: Script,
  config: Readonly<Record<string, unknown>> = {},
): Promise<{ readonly y: TestProject; readonly server: ModelServer }> {
  const server = await startModelServer({ scripts: { [name]: script } });
  const around = surroundings({ bases: {} });
  onTestFinished(async () => {
    await server.close();
    around.remove();
  });
  const home = around.env.HOME ?? '';
  const env = { ...around.env, ...environment(name, home, server.base(name, name)) };
  const y = testProject({
    tasks: [{ id: 'a' }],
    env,
    config: {
      agent: 'mine',
      agents: { mine: { use: name, binary: join(folder, name) } },
      limits: { agent_idle: '60s', agent_wall: '100s' },
      ...config,
    },
  });
  return { y, server };
}

const sandbox = { sandbox: 'write', sandbox_writable: [folder] };

for (const name of ['qwen', 'goose', 'copilot'] as const) {
  const isThere = folder !== '' && existsSync(join(folder, name));
  // reason: the program is in no package that the tests install
  const describing = isThere ? describe : describe.skip;
  describing(`the preset ${name}`, () => {
    it('works on a task in the sandbox, and continues its conversation', async () => {
      const { y, server } = await project(
        name,
        { turns: [[{ run: work, say: 'I write it.' }, { say: 'Half.' }], [{ say: complete }]] },
        sandbox,
      );
      const run = await y.ym('run', y.plan);
      expect(run.code, `${run.stdout}${run.stderr}`).toBe(0);
      expect(y.landed()).toEqual(['a']);
      const last = server.journal.requests(name).findLast(({ side }) => !side);
      expect(last?.prompts.length).toBeGreaterThan(1);
      const { spend } = JSON.parse((await y.ym('summary', '--json')).stdout);
      expect(spend.totals.output).toBeGreaterThan(0);
    });

    it('answers a model probe, and passes the model on', async () => {
      const { y, server } = await project(name, { turns: [[{ say: 'OK' }]] });
      const { stdout, code } = await y.ym('doctor', '--models');
      expect(code, stdout).toBe(0);
      expect(stdout).toMatch(/version [0-9.]+ .*Agent Client Protocol/);
      expect(server.journal.requests(name).map((request) => request.model)).toContain(model);
    });

    it.each([
      ['auth', 'is not signed in, or its key was refused'],
      ['model', 'does not know the model'],
    ] as const)('reports the error of its service: %s', async (id, text) => {
      const { y } = await project(name, { turns: [[{ fault: { id } }]] });
      const { stdout, code } = await y.ym('doctor', '--models');
      expect(code, stdout).toBe(3);
      expect(stdout).toContain(text);
    });

    it('writes nothing where it only answers a question', async () => {
      const script = { turns: [[{ run: 'touch "$HOME/evil"' }, { say: 'OK' }]] };
      const { y } = await project(name, script);
      await y.ym('doctor', '--models');
      expect(existsSync(join(y.env().HOME ?? '', 'evil'))).toBe(false);
    });
  });
}
