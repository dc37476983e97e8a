// Tasks that the daemon adds at certain times, and how the system starts the daemon.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { noState } from '../../../src/model/daemon.ts';
import { testProject, touch, until, write } from '../../rig.ts';

const HOUR_MS = 3_600_000;
const hourly = { cron: '0 * * * *', zone: 'UTC', task: { title: 'Update', labels: ['deps'] } };

test('a firing that was missed adds one task when the daemon starts, and a run works on it', async () => {
  // It fired last twelve hours ago, so that it does not fire again during the test.
  const last = new Date(Math.floor(Date.now() / HOUR_MS - 12) * HOUR_MS).toISOString();
  const cron = `0 ${Number(last.slice(11, 13))} * * *`;
  const y = testProject({ config: { schedules: { daily: { ...hourly, cron } } } });
  onTestFinished(async () => {
    await y.ym('daemon', 'stop', '--now');
  });
  const id = `daily-${last.slice(0, 10).replaceAll('-', '')}-${last.slice(11, 13)}00`;
  y.writeScript({ [id]: [[touch('updated'), write('updated', 'yes\n')]] });
  mkdirSync(join(y.state, 'daemon'), { recursive: true });
  // The daemon was off for three days.
  const fired = { [`${y.root} daily`]: Date.now() - 72 * HOUR_MS };
  const state = { ...noState, projects: [y.root], fired };
  writeFileSync(join(y.state, 'daemon/state.json'), JSON.stringify(state));
  const before = await y.ym('schedule');
  expect(before.code).toBe(0);
  expect(before.stderr).toContain('no daemon follows this project');
  await y.ym('daemon', 'start');
  await y.seen('updated');
  await y.untilStatus(({ counts }) => counts.landed === 1, 'the landing');
  expect(y.landings()).toEqual({ [id]: 1 });
  const listed = await y.ym('schedule', '--json');
  const { followed, schedules } = JSON.parse(listed.stdout);
  expect(followed).toBe(true);
  expect(schedules).toMatchObject([{ name: 'daily', cron, title: 'Update' }]);
  expect(schedules[0].next).toEqual(Array(3).fill(expect.stringMatching(/^\d{4}-.*:00:00\.000Z$/)));
  // Nothing is added again by the next daemon.
  await y.ym('daemon', 'stop');
  await y.ym('daemon', 'start');
  const log = (): string => readFileSync(join(y.state, 'daemon/daemon.log'), 'utf8');
  await until(() => log().split('the daemon has started').length === 3, 'the second start');
  expect(readFileSync(join(y.state, 'daemon/start.log'), 'utf8')).toBe('');
  expect((await y.status()).counts).toEqual({ landed: 1 });
});

test('a schedule with a value out of its range is refused when the config is read', async () => {
  const y = testProject({ config: { schedules: { odd: { ...hourly, cron: '61 * * * *' } } } });
  for (const words of [['schedule'], ['run', '--dry-run']]) {
    const refused = await y.ym(...words);
    expect(refused).toMatchObject({ code: 2, stdout: '' });
    expect(refused.stderr).toMatch(
      /^ym: yardmaster\.yaml:\d+: "schedules\.odd\.cron" is "61 \* \* \* \*"/,
    );
  }
});

test('install writes the file that starts the daemon at login, and uninstall removes it', async () => {
  const y = testProject({});
  const file = join(y.home, 'config/systemd/user/yardmaster.service');
  const printed = await y.ym('daemon', 'install', '--print');
  expect(printed).toMatchObject({ code: 0, stderr: '' });
  expect(existsSync(file)).toBe(false);
  const installed = await y.ym('daemon', 'install');
  expect(installed.stdout).toContain('systemctl --user enable --now yardmaster');
  expect(readFileSync(file, 'utf8')).toBe(printed.stdout);
  expect(readFileSync(file, 'utf8')).toContain(`YARDMASTER_STATE_DIR=${y.state}`);
  expect(await y.ym('daemon', 'uninstall')).toMatchObject({ code: 0, stderr: '' });
  expect(existsSync(file)).toBe(false);
  expect(await y.ym('daemon', 'uninstall')).toMatchObject({ code: 2, stdout: '' });
});
