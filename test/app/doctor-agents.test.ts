import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Finding } from '../../src/app/doctor.ts';
import { examineAgents } from '../../src/app/doctor.ts';
import { type Config, loadConfig } from '../../src/config/config.ts';
import { harnessNames } from '../../src/config/profile.ts';
import { agentsOf } from '../../src/wire/agents.ts';
import { whichOn } from '../../src/wire/project.ts';
import { need } from '../rig/need.ts';
import { tempFolder } from '../rig/temp-folder.ts';

let dir: string;
let bin: string;

beforeEach(() => {
  dir = tempFolder();
  bin = join(dir, 'bin');
  mkdirSync(bin);
  mkdirSync(join(dir, 'home'));
});

/** Puts a program on the PATH that text its version and nothing else. */
function install(name: string, version: string): void {
  writeFileSync(join(bin, name), `#!/bin/sh\necho '${version}'\n`);
  chmodSync(join(bin, name), 0o755);
}

function findings(text: string, env: Readonly<Record<string, string>> = {}) {
  const config = need(
    loadConfig({
      root: dir,
      env: {},
      flags: {},
      readFile: (path) => (path.endsWith('yardmaster.yaml') ? text : undefined),
    }),
  );
  const path = ['/usr/bin', '/bin'];
  const whole = { PATH: [bin, ...path].join(delimiter), HOME: join(dir, 'home'), ...env };
  const which = whichOn(whole.PATH, dir);
  const project = { which, agents: async (of: Config) => agentsOf(of, dir, whole) };
  return examineAgents(project, config);
}

/** The agent that could not be found. */
const missing = ({ trouble }: Finding): string | undefined =>
  trouble?.kind === 'agent-missing' ? trouble.agent : undefined;

const key = 'sk-ant-not-a-real-key-0123456789';

describe('what is found out about an agent', () => {
  it('is also that it has no setting for the reasoning effort it is asked for', async () => {
    const notes = async (text: string) =>
      (await findings(text)).map(({ text }) => text).filter((text) => text.includes('reasoning'));
    const note = 'gemini has no setting for the reasoning effort; "high" is not passed to it';
    expect(await notes('agent: gemini\nmodel: { default: pro:high }')).toEqual([note]);
    expect(await notes('agent: gemini\nmodel: { by_type: { docs: gemini:pro:high } }')).toEqual([
      note,
    ]);
    expect(await notes('agent: gemini\nmodel: { default: pro }')).toEqual([]);
    expect(await notes('agent: codex\nmodel: { default: gpt-5:high }')).toEqual([]);
  });

  it('is its place, its version and its sign-in, and never the key', async () => {
    install('claude', '2.1.325 (Claude Code)');
    const found = await findings('agent: claude', { ANTHROPIC_API_KEY: key });
    expect(found[0]).toEqual({
      name: 'agent',
      text: `claude: ${join(bin, 'claude')}, version 2.1.325 (supported: 2.1.0 or newer, below 2.2.0), signed in (ANTHROPIC_API_KEY)`,
      agent: expect.objectContaining({
        name: 'claude',
        binary: join(bin, 'claude'),
        version: '2.1.325',
        fits: true,
        signedIn: 'yes',
      }),
    });
    expect(JSON.stringify(found)).not.toContain(key);
  });

  it('is a warning where the version was never tried', async () => {
    install('claude', '9.0.0 (Claude Code)');
    const [found] = await findings('agent: claude', { ANTHROPIC_API_KEY: key });
    expect(found).toMatchObject({
      trouble: { kind: 'agent-version', agent: 'claude', found: '9.0.0' },
      harmless: true,
    });
    expect(found?.text).toContain('(supported: 2.');
  });

  it('is trouble with its fix where an agent that is used is not signed in', async () => {
    install('claude', '2.1.325 (Claude Code)');
    install('codex', 'codex-cli 0.166.0');
    const [claude, codex] = await findings('agent: claude');
    expect(claude).toMatchObject({ trouble: { kind: 'provider-auth', agent: 'claude' } });
    expect(claude?.harmless).toBeUndefined();
    expect(claude?.remedy).toMatch(/\w/);
    expect(claude?.text).toContain('not signed in');
    // Nobody uses this one, so it is told how it is and nothing more.
    expect(codex?.trouble).toBeUndefined();
    expect(codex?.text).toContain('below 0.170.0), not signed in');
  });

  it('is trouble where an agent that is used is missing, and harmless where it is a spare', async () => {
    const spare = 'agents: { spare: { use: command, command: [./spare.sh] } }';
    const found = await findings(`agent: claude\nfallback: { agent: gemini }\n${spare}`);
    const of = (name: string) => found.find((finding) => missing(finding) === name);
    expect(of('claude')?.trouble).toMatchObject({ kind: 'agent-missing', binary: 'claude' });
    expect(of('claude')?.harmless).toBeUndefined();
    expect(of('gemini')?.harmless).toBeUndefined();
    expect(of('spare')).toMatchObject({ trouble: { kind: 'agent-missing' }, harmless: true });
    expect(found.at(-1)).toEqual({
      name: 'agent',
      text: 'not installed: codex, opencode, qwen, goose, copilot, cursor, amp, aider',
      harmless: true,
    });
  });

  it('counts those as used that a model or a agent pool asks for', async () => {
    const found = await findings(
      'agent: claude\nmodel: { by_type: { docs: "codex:gpt-5" } }\nagents: { web: { use: gemini, labels: [web] } }',
    );
    const serious = found.filter(({ trouble, harmless }) => trouble !== undefined && !harmless);
    expect(serious.map(missing)).toEqual(['web', 'claude', 'codex']);
  });

  it('is a wish for a name where the config names none, with what is installed', async () => {
    install('gemini', '0.61.0');
    const [first] = await findings('jobs: 2');
    expect(first).toMatchObject({
      trouble: { kind: 'agent-unknown', agent: '', known: ['gemini'] },
    });
  });

  it('takes the program of a profile for the usual one', async () => {
    install('other-claude', '2.1.400');
    const [found] = await findings(
      'agent: mine\nagents: { mine: { use: claude, binary: ./bin/other-claude, env: { ANTHROPIC_API_KEY: abcdef } } }',
    );
    expect(found?.agent).toMatchObject({ binary: join(bin, 'other-claude'), signedIn: 'yes' });
    expect(found?.trouble).toBeUndefined();
  });

  it('is asked of all at once', async () => {
    // Each waits until all have begun, and text another version where it had to give that up.
    const meet = `touch ${join(dir, 'begun')}-$(basename $0)
tries=0
while [ "$(ls ${dir} | grep -c begun)" -lt ${harnessNames.length} ] && [ $tries -lt 40 ]; do
  sleep 0.05; tries=$((tries + 1))
done
[ $tries -lt 40 ] && echo 1.2.3 || echo 0.0.1`;
    for (const name of harnessNames) {
      writeFileSync(join(bin, name), `#!/bin/sh\n${meet}\n`);
      chmodSync(join(bin, name), 0o755);
    }
    const found = await findings('agent: claude');
    expect(found.flatMap(({ agent }) => agent?.version ?? [])).toEqual(
      harnessNames.map(() => '1.2.3'),
    );
  });

  it('is the version of an agent of a preset too, by its own program', async () => {
    install('aider', 'aider 0.86.2');
    install('cursor-agent', 'speaks no protocol');
    const found = await findings('agent: aider\nfallback: { agent: cursor }');
    const texts = found.map(({ text }) => text);
    expect(texts).toContain(`aider: ${join(bin, 'aider')}, version 0.86.2`);
    expect(texts).toContain(
      `cursor: ${join(bin, 'cursor-agent')}, version unknown (supported: version 1 of the Agent Client Protocol)`,
    );
  });
});
