// The commands that set a project up: init, config, doctor, and the flags that stand for keys of the config.
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { expect, test } from 'vitest';
import { expectRefusal, expectUntouched } from '../../rig/refusal.ts';
import { type TestProject, testProject, write } from '../../rig.ts';

/** What a command that must succeed prints as JSON. */
async function jsonOf(y: TestProject, ...args: string[]) {
  const done = await y.ym(...args, '--json');
  expect({ args, code: done.code, stderr: done.stderr }).toEqual({ args, code: 0, stderr: '' });
  return JSON.parse(done.stdout);
}

/** A PATH on which these coding agents are; each says its version and nothing else. */
function installed(y: TestProject, versions: Readonly<Record<string, string>>): { PATH: string } {
  const bin = join(y.base, 'bin');
  mkdirSync(bin);
  for (const [name, version] of Object.entries(versions)) {
    writeFileSync(join(bin, name), `#!/bin/sh\necho ${version}\n`);
    chmodSync(join(bin, name), 0o755);
  }
  return { PATH: [bin, process.env.PATH ?? ''].join(delimiter) };
}

test('`ym init` proposes commands that can be run here, and says which program is missing', async () => {
  const y = testProject({ files: { 'tox.ini': '[testenv]\ndeps = pytest\n' } });
  const bin = join(y.base, 'only');
  mkdirSync(bin);
  const [git = ''] = y.shell('command -v git').stdout.split('\n');
  symlinkSync(git, join(bin, 'git'));
  symlinkSync(process.execPath, join(bin, 'node'));
  const bare = await y.ymWith({ env: { PATH: bin } }, 'init', '--yes', '--force');
  expect(bare.stdout).toContain('gate    python -m pytest (not installed here: python)');
  expect(y.read('yardmaster.yaml')).toContain('# python is not installed here');
  writeFileSync(join(bin, 'python3'), '#!/bin/sh\n', { mode: 0o755 });
  const made = await y.ymWith({ env: { PATH: bin } }, 'init', '--yes', '--force');
  expect(made.stdout).toContain('gate    python3 -m pytest\n');
  expect(y.read('yardmaster.yaml')).not.toContain('not installed');
});

test('`ym init` takes the first coding agent that is installed, and names the others', async () => {
  const y = testProject();
  const env = installed(y, { gemini: '0.61.0', codex: '0.166.0' });
  const made = await y.ymWith({ env }, 'init', '--yes', '--force');
  expect(made).toMatchObject({ code: 0, stderr: '' });
  expect(made.stdout).toMatch(/agent {3}codex \(also here: .*gemini/);
  expect(y.read('yardmaster.yaml')).toMatch(/^agent: codex$/m);
  expect(y.read('yardmaster.yaml')).not.toMatch(/^agents:/m);
});

test('`ym init` installs the dependencies by the lock file, and `ym doctor` warns where nothing does', async () => {
  const y = testProject({
    files: {
      'package.json': '{ "name": "x", "version": "1.0.0", "scripts": { "test": "sh gate.sh" } }',
      'package-lock.json':
        '{ "name": "x", "version": "1.0.0", "lockfileVersion": 3, "packages": {} }',
    },
  });
  const warned = await y.ym('doctor');
  expect(warned.code).toBe(0);
  expect(warned.stdout).toMatch(/^! set-up +Found package-lock\.json, but `worktree\.setup`/m);
  expect(warned.stdout).toContain('ym config set worktree.setup \'["npm ci ');
  const made = await y.ym('init', '--yes', '--force');
  expect(made).toMatchObject({ code: 0, stderr: '' });
  expect(made.stdout).toMatch(/set-up {2}npm ci .*\(npm, from package-lock\.json\)/);
  expect(made.stdout).toMatch(/^Next:\n.*git add.*ym verify.*ym run/ms);
  expect(y.read('yardmaster.yaml')).toMatch(
    /^# Installs .*package-lock\.json\)\.\nworktree:\n {2}setup:/m,
  );
  expect(y.commit('Set-up')).toBeDefined();
  expect((await y.ym('doctor')).stdout).toMatch(/^✓ set-up +npm ci/m);
  expect(await y.ym('verify')).toMatchObject({ code: 0 });
  await y.ym('config', 'set', 'worktree.setup', '[]');
  y.commit('No set-up');
  expect((await y.ym('doctor')).stdout).not.toContain('set-up');
});

test('`ym config` tells values with their origin, and sets them where people read them', async () => {
  const y = testProject();
  expect(await jsonOf(y, 'config', 'get', 'jobs')).toMatchObject({
    value: 2,
    origin: 'project file',
  });
  expect(await y.ym('config', 'set', 'jobs', '8')).toMatchObject({ code: 0, stdout: 'jobs = 8\n' });
  const judged = await y.ym('config', 'set', 'gate.timeout', '9m');
  expect(judged.stdout).toBe(
    'gate.timeout = 9m\nyardmaster.yaml in your checkout sets gate.timeout to 9m, but runs use the value on main (nothing). Commit your change to main to use it.\n',
  );
  y.commit('Longer gates');
  expect((await y.ym('config', 'set', 'gate.timeout', '9m')).stdout).toBe('gate.timeout = 9m\n');
  y.git('rm', '-q', '--cached', 'yardmaster.yaml');
  y.git('commit', '-qm', 'Not for everyone');
  expect((await y.ym('config', 'set', 'gate.timeout', '8m')).stdout).toBe('gate.timeout = 8m\n');
  expect((await y.ym('config', 'get', 'jobs')).stdout).toBe('8\n');
  const env = { YARDMASTER_JOBS: '3' };
  const listed = await y.ymWith({ env }, 'config', 'list', '--json');
  const rows: { key: string }[] = JSON.parse(listed.stdout).keys;
  expect(rows.find(({ key }) => key === 'jobs')).toMatchObject({ value: 3, origin: 'environment' });
  const list = (await y.ymWith({ env }, 'config', 'list')).stdout;
  expect(list).toMatch(/gate\.commands\s+\["sh gate\.sh"\]/);
  expect(list).not.toMatch(/^(gate|agents) /m);
  expect(list).toMatch(/worktree\.pool\s+auto \(8 for 3 jobs\)/);
  expect((await y.ym('config', 'get', 'gate')).stdout).toContain('sh gate.sh');
});

test('`ym config set` says what is wrong with what was typed, and clears a key', async () => {
  const y = testProject();
  const before = y.read('yardmaster.yaml');
  const much = await y.ym('config', 'set', 'jobs', '99');
  expect(much).toMatchObject({ code: 2, stdout: '' });
  expect(much.stderr).toContain('"jobs" is 99');
  expect(much.stderr).not.toContain('yardmaster.yaml:');
  const nothing = await y.ym('config', 'set', 'jobs');
  expect(nothing.stderr).toContain('No value was given for "jobs"');
  expect(y.read('yardmaster.yaml')).toBe(before);
  expect(await y.ym('config', 'set', 'jobs', '')).toMatchObject({ code: 0, stderr: '' });
  expect(await jsonOf(y, 'config', 'get', 'jobs')).toMatchObject({ origin: 'default' });
});

test('`ym doctor` only notes an agent that is broken and not chosen, and knows a script without its permission', async () => {
  const y = testProject();
  y.write('agent.sh', '#!/bin/sh\n');
  await y.ym('config', 'set', 'agents.spare', '{"use":"command","command":["./agent.sh"]}');
  const spare = await y.ym('doctor');
  expect(spare).toMatchObject({ code: 0 });
  expect(spare.stdout).toMatch(/^! agent .*is not executable/m);
  expect(spare.stdout).toContain('chmod +x ./agent.sh');
  await y.ym('config', 'set', 'agent', 'spare');
  expect((await y.ym('doctor')).code).toBe(3);
});

test('`ym doctor` tells of each coding agent where it is, its version and its sign-in', async () => {
  const y = testProject({ config: { agent: 'claude', agents: undefined } });
  const key = 'sk-ant-0123456789-not-a-real-one';
  const env = { ...installed(y, { claude: '2.1.325', codex: '0.166.0' }), ANTHROPIC_API_KEY: key };
  const well = await y.ymWith({ env }, 'doctor');
  expect(well).toMatchObject({ code: 0, stderr: '' });
  expect(well.stdout).toMatch(
    /^✓ agent +claude: .*claude, version 2\.1\.325 \(supported: .*\), signed in \(ANTHROPIC_API_KEY\)$/m,
  );
  expect(well.stdout).toMatch(/^✓ agent +codex: .*version 0\.166\.0/m);
  expect(well.stdout).toMatch(/^· agent +not installed: .*opencode/m);
  const out = await y.ymWith({ env: { ...env, ANTHROPIC_API_KEY: '' } }, 'doctor', '--json');
  expect(out.code).toBe(3);
  const { checks } = JSON.parse(out.stdout);
  const claude = checks.find(
    (check: { agent?: { name: string } }) => check.agent?.name === 'claude',
  );
  expect(claude).toMatchObject({
    agent: { version: '2.1.325', fits: true, signedIn: 'no' },
    failure: { kind: 'provider-auth', do: expect.stringMatching(/\w/) },
  });
  expect(well.stdout + out.stdout).not.toContain(key);
});

test('`ym doctor` says which prompt file is wrong, and where', async () => {
  const y = testProject({
    config: { prompts: ['rules.md'] },
    files: { 'rules.md': 'Hi\n{{nothing}}\n' },
  });
  const ill = await y.ym('doctor');
  expect(ill.code).toBe(2);
  expect(ill.stdout).toMatch(/^✗ prompts +rules\.md:2: .*nothing/m);
});

test('`ym config set` takes several keys at once, all or none, and keeps what is written around them', async () => {
  const y = testProject();
  y.write('yardmaster.yaml', '# Ours.\njobs: 2 # for now\ngate: none\nagent: claude\n');
  const before = y.read('yardmaster.yaml');
  const wrong = await y.ym('config', 'set', 'jobs=4,model.by_priority.P9=opus,retries=x');
  expectRefusal(wrong, 2, 'model.by_priority.P9', 'P0 to P4');
  expect(y.read('yardmaster.yaml')).toBe(before);
  const several = 'jobs=4,model.by_priority.0=opus,model.by_type.docs=codex:gpt-5:low,agent=';
  expect(await y.ym('config', 'set', several)).toMatchObject({ code: 0, stderr: '' });
  const after = y.read('yardmaster.yaml');
  expect(after).toContain('# Ours.\njobs: 4 # for now\n');
  expect(after).toContain('P0: opus');
  expect(after).not.toContain('agent:');
  expect((await y.ym('config', 'get', 'model.by_priority.P0')).stdout).toBe('opus\n');
  expect(
    (await y.ym('config', 'get', 'jobs', 'model.by_priority.P1', 'model.by_type')).stdout,
  ).toBe('jobs = 4\nmodel.by_priority.P1 = none\nmodel.by_type = {"docs":"codex:gpt-5:low"}\n');
  expect(await jsonOf(y, 'config', 'get', 'jobs', 'agent')).toMatchObject({
    schema: 1,
    keys: [
      { key: 'jobs', value: 4, origin: 'project file' },
      { key: 'agent', origin: 'default' },
    ],
  });
  expectRefusal(await y.ym('config', 'set', 'gate.commands', 'npm', 'test'), 2, 'Quote');
});

test('`ym config` shows no value that is configured for an agent as its own', async () => {
  const y = testProject();
  const secret = 'plain-looking-but-secret';
  const profile = JSON.stringify({ use: 'codex', env: { LOGIN: secret } });
  const shown = [
    await y.ym('config', 'set', 'agents.coder', profile),
    await y.ym('config', 'list'),
    await y.ym('config', 'get', 'agents.coder', '--json'),
    await y.ym('config', 'get', 'agents.coder.env.LOGIN'),
  ];
  for (const { code, stdout, stderr } of shown) {
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).not.toContain(secret);
  }
  expect((await y.ym('config', 'get', 'agents.coder.use')).stdout).toBe('codex\n');
  expect(y.read('yardmaster.yaml')).toContain(secret);
});

test('flags of a run are read as the keys they stand for', async () => {
  const y = testProject({ tasks: [{ id: 'a' }], config: { agent: undefined, agents: undefined } });
  const env = installed(y, { claude: '2.1.325', codex: '0.166.0' });
  const dry = await y.ymWith({ env }, 'run', y.plan, '--agent', 'claude', '--dry-run');
  expect(dry).toMatchObject({ code: 0, stderr: '' });
  expect(dry.stdout).toContain('(claude)');
  const model = await y.ymWith(
    { env },
    'run',
    y.plan,
    '--agent=claude',
    '--model=codex:gpt-5',
    '-n',
  );
  expect(model.stdout).toContain('(codex)');
  const refusals: readonly [readonly string[], readonly string[]][] = [
    [
      ['--agent', 'cluade'],
      ['cluade', 'claude'],
    ],
    [['--agent', 'claude', '--fallback', 'claude'], ['fallback']],
    [
      ['--agent', 'claude', '--budget-tokens', '2MB'],
      ['budget.tokens', '500k'],
    ],
    [
      ['--agent', 'claude', '--budget-cost', '20EUR'],
      ['budget.cost', '20USD'],
    ],
    [
      ['--agent', 'codex', '--budget-cost', '20USD'],
      ['codex', 'prices'],
    ],
    [[], ['agent', 'claude']],
  ];
  for (const [flags, says] of refusals) {
    await expectUntouched(y, async () => {
      const refused = await y.ymWith({ env }, 'run', y.plan, ...flags);
      expectRefusal(refused, 2, ...says);
    });
  }
});

test('a run that is resumed takes a new budget, and keeps its own where none is given', async () => {
  const ids = ['a', 'b', 'c', 'd'];
  const y = testProject({
    tasks: ids.map((id) => ({ id })),
    script: Object.fromEntries(ids.map((id) => [id, [[write(`${id}.txt`, `${id}\n`)]]])),
  });
  expect((await y.ym('run', y.plan, '--jobs', '1', '--max-attempts', '1')).code).toBe(4);
  expect(y.landed()).toHaveLength(1);
  expect((await y.ym('resume')).code).toBe(4);
  expect(y.landed()).toHaveLength(2);
  expectRefusal(await y.ym('resume', '--budget-tokens', 'lots'), 2, 'budget.tokens', '500k');
  expect((await y.ym('resume', '--max-attempts', '2', '--budget-tokens', '1M')).code).toBe(0);
  expect([...y.landed()].sort()).toEqual(ids);
  const resumed = (await y.events()).filter((event) => event.type === 'run-resumed');
  expect(resumed.map(({ budget }) => budget)).toEqual([
    { maxAttempts: 1 },
    { maxAttempts: 2, tokens: 1_000_000 },
  ]);
});

test('an agent that only a finished task names keeps nothing from running', async () => {
  const y = testProject({ tasks: [{ id: 'a' }], script: { a: [[write('a.txt', 'a\n')]] } });
  const added = await y.ym('add', 'Wrong agent', '--id', 'g', '--agent', 'gemnii');
  expect(added).toMatchObject({ code: 0 });
  expect(added.stderr).toContain('"gemnii"');
  const refused = await y.ym('run', '--scope', 'ready');
  expect(refused.code).toBe(2);
  expect(refused.stderr).toContain('which the task g asks for');
  expect(refused.stderr).toContain('ym cancel g');
  expect((await y.ym('cancel', 'g')).code).toBe(0);
  await y.ym('run', y.plan);
  expect(y.landings()).toEqual({ a: 1 });
});
