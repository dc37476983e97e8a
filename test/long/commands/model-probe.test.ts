// One tiny question to every agent and model that is used: by `ym doctor --models`, and before a run that wants it.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { hang, type TestProject, type TestProjectOptions, testProject, touch } from '../../rig.ts';

/** Notes what it was asked as, answers and reports its usage. It does not know the model `gone`. */
const agentScript = `echo "$YARD_AGENT $YARD_STEP:$YARD_MODEL" >> "$HOME/asked"
test "$YARD_MODEL" != gone || { echo 'The model gone does not exist' >&2; exit 1; }
test "$YARD_PURPOSE" = review || echo done > "$YARD_TASK.txt"
echo '{"type":"usage","input":1200,"output":4,"costUsd":0.02}'
echo OK
`;

const agent = (name: string, more: Readonly<Record<string, unknown>> = {}) => ({
  [name]: { use: 'command', command: ['sh', 'agent.sh'], env: { YARD_AGENT: name }, ...more },
});

function project(config: TestProjectOptions['config'], more: TestProjectOptions = {}): TestProject {
  const files = { 'agent.sh': agentScript };
  return testProject({ files, config: { agent: 'mine', ...config }, ...more });
}

function asked(y: TestProject): readonly string[] {
  const file = join(y.home, 'asked');
  return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n').sort() : [];
}

test('ym doctor --models asks each agent with each of its models once, and shows time and cost', async () => {
  const y = project({
    agents: { ...agent('mine', { model: 'large' }), ...agent('critic'), ...agent('spare') },
    model: { by_type: { docs: 'small', test: 'large' } },
    review: { agent: 'critic' },
  });
  await y.ym('add', 'Something', '--label', 'model:huge');
  const { stdout, code } = await y.ym('doctor', '--models');
  expect(code, stdout).toBe(0);
  expect(asked(y)).toEqual([
    'critic probe:',
    'mine probe:huge',
    'mine probe:large',
    'mine probe:small',
  ]);
  expect(stdout).toMatch(/✓ model +mine:huge answered in [\d.]+ m?s \(1,204 tokens, \$0\.02\)/);
  expect(stdout).toMatch(/✓ model +critic answered/);
});

test('a model that does not answer is trouble with its reason and what to do', async () => {
  const missing = { use: 'command', command: ['no-such-program'] };
  const y = project({
    agents: { ...agent('mine', { model: 'gone' }), missing },
    review: { agent: 'missing' },
  });
  const { stdout, code } = await y.ym('doctor', '--models', '--json');
  expect(code).toBe(3);
  const models = JSON.parse(stdout).checks.filter(({ name }: { name: string }) => name === 'model');
  expect(models).toEqual([
    {
      name: 'model',
      text: '',
      model: { agent: 'mine', model: 'gone', ms: expect.any(Number) },
      failure: expect.objectContaining({
        kind: 'probe-failed',
        what: expect.stringContaining('mine:gone'),
        why: expect.stringContaining('The model gone does not exist'),
        do: expect.stringContaining('ym doctor --models'),
        exit: 3,
      }),
    },
    expect.objectContaining({
      failure: expect.objectContaining({ what: expect.stringContaining('no-such-program') }),
    }),
  ]);
});

test('a run that probes its models is refused before a task starts, and starts when all answer', async () => {
  const y = project(
    { agents: agent('mine'), probe_models: true },
    { tasks: [{ id: 'a' }, { id: 'b', labels: ['model:gone'] }] },
  );
  const refused = await y.ym('run', y.plan);
  expect(refused.code, refused.stderr).toBe(3);
  expect(refused.stderr).toContain('Asking before the run: mine, mine:gone.');
  expect(refused.stderr).toContain('The model probe of mine:gone failed.');
  expect(asked(y)).toEqual(['mine probe:', 'mine probe:gone']);
  expect((await y.ym('tasks', '--json')).stdout).not.toContain('"id":"a"');

  const run = await y.ym('run', y.plan, '--only', 'a');
  expect(run.code, run.stderr).toBe(0);
  expect(run.stderr).toMatch(/mine answered in .* \(1,204 tokens, \$0\.02\)/);
  expect(y.landed()).toEqual(['a']);
  expect((await y.ym('run', '--dry-run', '--scope', 'ready')).stderr).not.toContain('Asking');
});

test('Ctrl-C ends a probe with all that it started', async () => {
  const y = testProject({ script: { probe: { probes: [[touch('asked'), hang]] } } });
  const doctor = y.start('doctor', '--models');
  await y.seen('asked');
  doctor.signal('SIGINT');
  expect((await doctor.end()).code).toBe(4);
});
