// Tasks that the daemon adds at certain times, and how the system starts the daemon.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { testProject } from '../../rig.ts';

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
