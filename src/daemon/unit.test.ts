import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { tempFolder } from '../../test/rig/temp-folder.ts';
import { type Unit, unitFor, unitNotes } from './unit.ts';

const env = { HOME: '/ada', PATH: '/usr/bin:/opt/agents', SECRET: 'x' };

function unit(platform: string, more: Readonly<Record<string, string>> = {}): Unit {
  const program = ['/usr/bin/node', '/opt/ym 1/main.js'];
  return unitFor({ platform, program, env: { ...env, ...more }, drainMs: 600_000 });
}

describe('the unit of the daemon', () => {
  test('is a user unit of systemd', () => {
    expect(unit('linux')).toMatchInlineSnapshot(`
      {
        "disable": "systemctl --user disable --now yardmaster",
        "enable": "systemctl --user enable --now yardmaster",
        "file": "/ada/.config/systemd/user/yardmaster.service",
        "text": "[Unit]
      Description=Yardmaster: runs coding agents in the background

      [Service]
      ExecStart="/usr/bin/node" "/opt/ym 1/main.js" "daemon" "serve"
      ExecReload=/bin/kill -HUP $MAINPID
      Restart=on-failure
      RestartSec=5
      KillMode=process
      TimeoutStopSec=690
      Environment="PATH=/usr/bin:/opt/agents"

      [Install]
      WantedBy=default.target
      ",
      }
    `);
  });

  test('is an agent of launchd on macOS', () => {
    expect(unit('darwin')).toMatchInlineSnapshot(`
      {
        "disable": "launchctl unload -w /ada/Library/LaunchAgents/io.github.yardmaster.daemon.plist",
        "enable": "launchctl load -w /ada/Library/LaunchAgents/io.github.yardmaster.daemon.plist",
        "file": "/ada/Library/LaunchAgents/io.github.yardmaster.daemon.plist",
        "text": "<?xml version="1.0" encoding="UTF-8"?>
      <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
      <plist version="1.0">
      <dict>
        <key>Label</key>
        <string>io.github.yardmaster.daemon</string>
        <key>ProgramArguments</key>
        <array>
          <string>/usr/bin/node</string>
          <string>/opt/ym 1/main.js</string>
          <string>daemon</string>
          <string>serve</string>
        </array>
        <key>EnvironmentVariables</key>
        <dict>
          <key>PATH</key>
          <string>/usr/bin:/opt/agents</string>
        </dict>
        <key>RunAtLoad</key>
        <true/>
        <key>KeepAlive</key>
        <dict>
          <key>SuccessfulExit</key>
          <false/>
        </dict>
        <key>AbandonProcessGroup</key>
        <true/>
        <key>ExitTimeOut</key>
        <integer>690</integer>
      </dict>
      </plist>
      ",
      }
    `);
  });

  test('is where the user keeps config', () => {
    expect(unit('linux', { XDG_CONFIG_HOME: '/conf' }).file).toBe(
      '/conf/systemd/user/yardmaster.service',
    );
  });

  test('keeps the state folder of the shell, and no secrets', () => {
    const { text } = unit('linux', { YARDMASTER_STATE_DIR: '/state' });
    expect(text).toContain('Environment="YARDMASTER_STATE_DIR=/state"');
    expect(text).not.toContain('SECRET');
  });

  test('escapes what the systems would replace', () => {
    const odd = { PATH: '/a b:/100%:/$HOME:/"q"\\:/<x>&' };
    expect(unit('linux', odd).text).toContain(
      'Environment="PATH=/a b:/100%%:/$$HOME:/\\"q\\"\\\\:/<x>&"',
    );
    expect(unit('darwin', odd).text).toContain('/$HOME:/"q"\\:/&lt;x&gt;&amp;');
  });

  test('is accepted by systemd, if it is installed', ({ skip }) => {
    const program = ['/bin/sh', '/bin/true'];
    const { text } = unitFor({ platform: 'linux', program, env, drainMs: 1_000 });
    const dir = tempFolder();
    const file = join(dir, 'yardmaster.service');
    writeFileSync(file, text);
    const checked = spawnSync('systemd-analyze', ['verify', '--user', file], { encoding: 'utf8' });
    if (checked.error !== undefined) skip('systemd-analyze is not installed');
    const problems = checked.stderr.split('\n').filter((line) => line.includes('yardmaster'));
    expect(problems).toEqual([]);
  });

  test('means the same to a reader of plists, if Python is installed', ({ skip }) => {
    const odd = { PATH: `/a b:/"q":/<x>&amp;:/it's:/ü`, XDG_STATE_HOME: ']]>' };
    const read =
      'import json, plistlib, sys; print(json.dumps(plistlib.loads(sys.stdin.buffer.read())))';
    const input = unit('darwin', odd).text;
    const parsed = spawnSync('python3', ['-c', read], { encoding: 'utf8', input });
    if (parsed.error !== undefined) skip('python3 is not installed');
    expect(parsed.stderr).toBe('');
    expect(JSON.parse(parsed.stdout)).toEqual({
      Label: 'io.github.yardmaster.daemon',
      ProgramArguments: ['/usr/bin/node', '/opt/ym 1/main.js', 'daemon', 'serve'],
      EnvironmentVariables: odd,
      RunAtLoad: true,
      KeepAlive: { SuccessfulExit: false },
      AbandonProcessGroup: true,
      ExitTimeOut: 690,
    });
  });

  test('is accepted by plutil, if it is installed', ({ skip }) => {
    const dir = tempFolder();
    const file = join(dir, 'agent.plist');
    writeFileSync(file, unit('darwin').text);
    const checked = spawnSync('plutil', ['-lint', file], { encoding: 'utf8' });
    if (checked.error !== undefined) skip('plutil is not installed');
    expect(checked.status).toBe(0);
  });
});

test('the address of the store is in no unit, and a message names the config file instead', () => {
  const store = { YARDMASTER_STORE: 'postgres://ada:secret@db.example/yard' };
  for (const platform of ['linux', 'darwin']) {
    expect(unit(platform, store).text).toBe(unit(platform).text);
  }
  expect(unitNotes({ ...env, ...store })).toEqual([
    'the daemon does not get YARDMASTER_STORE, which may hold a password, and refuses runs from shells that set it. Write the address to `store` in your own config file (~/.config/yardmaster/config.yaml), and unset the variable.',
  ]);
  expect(unitNotes(env)).toEqual([]);
});
