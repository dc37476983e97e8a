import { describe, expect, it } from 'vitest';
import { need } from '../../test/rig/need.ts';
import type { Failure } from '../model/failure.ts';
import { type Config, loadConfig, originOf } from './config.ts';

interface World {
  readonly project?: string;
  readonly user?: string;
  readonly env?: Readonly<Record<string, string>>;
}

function loaded({ project, user, env }: World): ReturnType<typeof loadConfig> {
  const files: Readonly<Record<string, string | undefined>> = {
    '/repo/yardmaster.yaml': project,
    '/conf/yardmaster/config.yaml': user,
  };
  return loadConfig({
    root: '/repo',
    env: { XDG_CONFIG_HOME: '/conf', ...env },
    flags: {},
    readFile: (path) => files[path],
  });
}

function daemonOf(world: World): Config['daemon'] {
  const config = need(loaded(world));
  return config.daemon;
}

const problemOf = (failure: Failure | undefined): string =>
  failure?.kind === 'config-invalid' ? `${failure.problem} → ${failure.remedy}` : 'none';

function refused(project: string): string {
  const config = loaded({ project });
  return config.ok ? 'accepted' : problemOf(config.failure[0]);
}

describe('the config of the daemon', () => {
  it('has a default for everything', () => {
    expect(daemonOf({})).toEqual({
      jobs: 8,
      spawnsPerTick: 4,
      drainMs: 600_000,
      priority: 'normal',
    });
  });

  it("is read from the user's file and the environment", () => {
    const user = 'daemon: { jobs: 12, spawns_per_tick: 1, drain: 90s }\n';
    expect(daemonOf({ user })).toMatchObject({ jobs: 12, spawnsPerTick: 1, drainMs: 90_000 });
    const env = { YARDMASTER_DAEMON__JOBS: '3', YARDMASTER_DAEMON__DRAIN: '1m' };
    expect(daemonOf({ user, env })).toMatchObject({ jobs: 3, spawnsPerTick: 1, drainMs: 60_000 });
  });

  it('lets a project choose its priority', () => {
    const user = 'daemon: { priority: low }\n';
    expect(daemonOf({ user }).priority).toBe('low');
    expect(daemonOf({ user, project: 'daemon: { priority: high }\n' }).priority).toBe('high');
  });

  it('knows where a value is from', () => {
    const config = need(loaded({ user: 'daemon:\n  jobs: 2\n' }));
    expect(originOf(config, 'daemon.jobs')).toMatchObject({
      value: 2,
      origin: 'user file',
      line: 2,
    });
    expect(originOf(config, 'daemon.drain')).toMatchObject({ origin: 'default' });
  });

  it.each([
    ['daemon: { jobs: 0 }', '"daemon.jobs" is 0 → Give a whole number from 1 to 64.'],
    ['daemon: { jobs: many }', '"daemon.jobs" is "many" → Give a whole number from 1 to 64.'],
    [
      'daemon: { spawns_per_tick: 65 }',
      '"daemon.spawns_per_tick" is 65 → Give a whole number from 1 to 64.',
    ],
    [
      'daemon: { drain: 10 }',
      '"daemon.drain" is 10 → Give a time with its unit, such as 90s, 10m or 1h30m.',
    ],
    ['daemon: { priority: urgent }', '"daemon.priority" is "urgent" → Write high, normal or low.'],
    [
      'daemon: { job: 3 }',
      '"daemon.job" is not a known key → Did you mean "jobs"? Known here: jobs, spawns_per_tick, drain, priority.',
    ],
  ])('is refused: %s', (project, sentence) => {
    expect(refused(project)).toBe(sentence);
  });
});

describe('schedules', () => {
  const task = 'task: { title: Update }';

  it('have a cron expression, a time zone and a task', () => {
    const project = `
schedules:
  nightly: { cron: "0 2 * * 1-5", zone: Europe/Berlin, task: { title: Update, labels: [deps] } }
  daily: { cron: "@daily", ${task} }
`;
    const config = loaded({ project });
    expect(config.ok && config.value.schedules).toEqual({
      nightly: {
        cron: '0 2 * * 1-5',
        zone: 'Europe/Berlin',
        task: { title: 'Update', labels: ['deps'] },
      },
      daily: { cron: '@daily', task: { title: 'Update' } },
    });
  });

  it.each([
    [`cron: daily, ${task}`, '"schedules.x.cron" is "daily" → Give five fields'],
    [`cron: "0 2 * *", ${task}`, '"schedules.x.cron" is "0 2 * *" → Give five fields'],
    [`cron: "70 2 * * *", ${task}`, '"schedules.x.cron" is "70 2 * * *" → Give five fields'],
    [task, '"schedules.x.cron" is missing'],
    ['cron: "@daily"', '"schedules.x.task" is missing → Give the task as a map'],
    ['cron: "@daily", task: {}', '"schedules.x.task.title" is missing'],
    [
      `cron: "@daily", zone: Berlin, ${task}`,
      '"schedules.x.zone" is "Berlin" → Give a time zone, such as Europe/Berlin or UTC.',
    ],
    [`cron: "@daily", tsak: 1, ${task}`, '"schedules.x.tsak" is not a known key'],
  ])('are refused: { %s }', (text, sentence) => {
    expect(refused(`schedules: { x: { ${text} } }`)).toContain(sentence);
  });

  it('have names that fit into the ids of tasks', () => {
    expect(refused(`schedules: { "A b": { cron: "@daily", ${task} } }`)).toContain(
      'Name schedules with lower-case letters',
    );
  });
});

describe('the shared repository of workers', () => {
  const withRemote = (remote: string) => loaded({ project: `workers: { remote: "${remote}" }\n` });

  it.each(['../hub.git', 'ssh://git@git.example/yard.git', 'git@git.example:yard.git'])(
    'may be %s',
    (remote) =>
      expect(withRemote(remote)).toMatchObject({ ok: true, value: { workers: { remote } } }),
  );

  it('may not hold a password', () => {
    const refused = withRemote('https://ada:sesame@git.example/yard.git');
    expect(refused).toMatchObject({ ok: false });
    expect(JSON.stringify(refused)).toContain('Leave the password out');
    expect(JSON.stringify(refused)).not.toContain('sesame');
  });
});
