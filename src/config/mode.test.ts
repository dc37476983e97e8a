import { describe, expect, it } from 'vitest';
import { need } from '../../test/rig/need.ts';
import { type Config, loadConfig, originOf } from './config.ts';
import { builtInModes } from './mode.ts';

interface Given {
  readonly project?: string;
  readonly user?: string;
  readonly judge?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly flags?: Readonly<Record<string, unknown>>;
}

const load = ({ project = '', user = '', judge, env = {}, flags = {} }: Given) =>
  loadConfig({
    root: '/repo',
    env: { YARDMASTER_USER_CONFIG: '/user.yaml', ...env },
    flags,
    readFile: (path) => (path === '/user.yaml' ? user : project),
    ...(judge === undefined ? {} : { judge: { text: judge, file: 'yardmaster.yaml at main' } }),
  });

function config(given: Given): Config {
  const loaded = need(load(given));
  return loaded;
}

function problems(given: Given): readonly string[] {
  const loaded = load(given);
  if (loaded.ok) return [];
  return loaded.failure.map((one) =>
    one.kind === 'config-invalid' ? `${one.file}: ${one.problem} → ${one.remedy}` : one.kind,
  );
}

describe('a mode', () => {
  it('sets exactly the keys that the documents list', () => {
    expect(builtInModes).toEqual({
      quick: {
        pipeline: { default: ['work', 'land'] },
        preflight: false,
        attempts: { best_of: 1 },
        retries: 1,
      },
      careful: {
        preflight: true,
        gate: { branch: 'always', reruns: 2 },
        rules: { tests: 'guard' },
        verify: { enabled: true, on_failure: 'bisect' },
      },
    });
    for (const mode of Object.keys(builtInModes)) expect(problems({ flags: { mode } })).toEqual([]);
  });

  it('replaces values of files, and variables and flags replace its own', () => {
    const project = 'preflight: false\ngate: { commands: [make], reruns: 0 }\njobs: 3\n';
    const plain = config({ project });
    expect(plain).toMatchObject({ preflight: false, gate: { reruns: 0, branch: 'auto' } });
    expect(plain.mode).toBeUndefined();
    const careful = config({ project, flags: { mode: 'careful' } });
    expect(careful).toMatchObject({
      mode: 'careful',
      preflight: true,
      jobs: 3,
      gate: { commands: ['make'], reruns: 2, branch: 'always' },
      verify: { enabled: true, onFailure: 'bisect' },
    });
    const over = config({
      project,
      env: { YARDMASTER_GATE__RERUNS: '3' },
      flags: { mode: 'careful', preflight: 'false' },
    });
    expect(over).toMatchObject({ preflight: false, gate: { reruns: 3, branch: 'always' } });
  });

  it('is shown as the origin of its values', () => {
    const careful = config({ project: 'mode: careful\n' });
    expect(originOf(careful, 'gate.branch')).toMatchObject({
      value: 'always',
      origin: 'mode',
      file: 'modes.careful',
    });
    expect(originOf(careful, 'mode')).toMatchObject({ origin: 'project file', line: 1 });
  });

  it('leaves out the stages that it does not name, and the pipelines of types stay', () => {
    const project = 'review: { agent: codex }\npipeline: { docs: [work, review, land] }\n';
    expect(config({ project }).pipelines.default).toEqual(['work', 'gate', 'review', 'land']);
    expect(config({ project, flags: { mode: 'quick' } }).pipelines).toEqual({
      default: ['work', 'land'],
      docs: ['work', 'review', 'land'],
    });
  });

  it('can be written in the config, also in place of a built-in one', () => {
    const project = [
      'modes:',
      '  night: { attempts: { best_of: 2 }, budget: { cost: 20USD }, review: { person: true } }',
      '  quick: { retries: 0 }',
    ].join('\n');
    expect(config({ project, flags: { mode: 'night' } })).toMatchObject({
      attempts: { best_of: 2 },
      budget: { costUsd: 20 },
      review: { person: true },
    });
    const quick = config({ project, flags: { mode: 'quick' } });
    expect(quick.retries).toBe(0);
    expect(quick.preflight).toBe(true);
    const mine = config({ user: 'modes: { mine: { jobs: 1 } }\nmode: mine\n', project });
    expect(mine.jobs).toBe(1);
  });

  it('is refused if it does not exist, sets what no mode may set, or has a wrong value', () => {
    expect(problems({ project: 'mode: quik\n' })).toEqual([
      'yardmaster.yaml: there is no mode "quik" → Modes are quick, careful.',
    ]);
    expect(problems({ project: 'modes: { a: { agents: {} } }\n' })[0]).toContain('A mode may set');
    expect(problems({ project: 'modes: { a: { gaet: {}, jobs: 1 } }\n' })[0]).toContain(
      'A mode cannot set "gaet".',
    );
    expect(problems({ project: 'modes: { a: { hooks: {} } }\n' })[0]).toContain('A mode may set');
    expect(problems({ project: 'modes: { a: 3 }\n' })[0]).toContain('Write a map of config keys');
    expect(problems({ project: 'modes: { a: { retries: many } }\n' })).toEqual([
      'modes.a: "retries" is "many" → Give a whole number from 0 to 100.',
    ]);
    expect(problems({ project: 'modes: { a: { gate: { rerun: 1 } } }\n' })[0]).toContain(
      'Did you mean "reruns"?',
    );
    expect(problems({ project: 'modes: { "a b": {} }\n' })[0]).toContain('Name modes with letters');
  });

  it('comes from the target, never from an uncommitted or branched file', () => {
    const evil = 'mode: evil\nmodes: { evil: { gate: none, review: { person: false } } }\n';
    const loaded = config({ project: evil, judge: 'review: { person: true }\n' });
    expect(loaded.mode).toBeUndefined();
    expect(loaded).toMatchObject({ gate: { kind: 'detect' }, review: { person: true } });
    expect(problems({ project: evil, judge: '', flags: { mode: 'evil' } })[0]).toContain(
      'there is no mode "evil"',
    );
  });
});
