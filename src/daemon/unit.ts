import { homedir } from 'node:os';
import { join } from 'node:path';
import { storeVariable } from './environment.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** A file that lets the system start the daemon when the user logs in. */
export interface Unit {
  readonly file: string;
  readonly text: string;
  /** Commands for the user: to start the daemon now and at each login, and to undo that. */
  readonly enable: string;
  readonly disable: string;
}

interface UnitOptions {
  readonly platform: string;
  readonly program: readonly string[];
  readonly env: Environment;
  readonly drainMs: number;
}

const name = 'yardmaster';
const label = 'io.github.yardmaster.daemon';

/** A systemd user unit, or a launchd agent on macOS. */
export function unitFor(options: UnitOptions): Unit {
  const home = options.env.HOME || homedir();
  if (options.platform === 'darwin') {
    const file = join(home, 'Library/LaunchAgents', `${label}.plist`);
    return {
      file,
      text: launchdText(options),
      enable: `launchctl load -w ${file}`,
      disable: `launchctl unload -w ${file}`,
    };
  }
  const config = options.env.XDG_CONFIG_HOME || join(home, '.config');
  return {
    file: join(config, 'systemd/user', `${name}.service`),
    text: systemdText(options),
    enable: `systemctl --user enable --now ${name}`,
    disable: `systemctl --user disable --now ${name}`,
  };
}

/** Variables that the daemon needs: to find agents, and its state and config where this shell has them. */
function keptVariables(env: Environment): readonly (readonly [string, string])[] {
  const names = ['PATH', 'YARDMASTER_STATE_DIR', 'XDG_STATE_HOME', 'XDG_CONFIG_HOME'];
  return names.flatMap((one) => {
    const value = env[one];
    return value ? [[one, value] as const] : [];
  });
}

/** Messages about what the daemon of the unit lacks: an address of the store may hold a password, so no file gets it. */
export function unitNotes(env: Environment): readonly string[] {
  if (!env[storeVariable]) return [];
  return [
    `the daemon does not get ${storeVariable}, which may hold a password, and refuses runs from shells that set it. Write the address to \`store\` in your own config file (~/.config/yardmaster/config.yaml), and unset the variable.`,
  ];
}

/** The main process drains; its runs are left alone if it is killed, and the next daemon adopts them. */
function systemdText({ program, env, drainMs }: UnitOptions): string {
  const seconds = Math.ceil(drainMs / 1_000) + 90;
  return `[Unit]
Description=Yardmaster: runs coding agents in the background

[Service]
ExecStart=${[...program, 'daemon', 'serve'].map(quoted).join(' ')}
ExecReload=/bin/kill -HUP $MAINPID
Restart=on-failure
RestartSec=5
KillMode=process
TimeoutStopSec=${seconds}
${keptVariables(env)
  .map(([key, value]) => `Environment=${quoted(`${key}=${value}`)}\n`)
  .join('')}
[Install]
WantedBy=default.target
`;
}

/** systemd replaces % and $, and ends a word at a space. */
function quoted(word: string): string {
  const text = word.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('%', '%%');
  return `"${text.replaceAll('$', '$$$$')}"`;
}

function launchdText({ program, env, drainMs }: UnitOptions): string {
  const words = [...program, 'daemon', 'serve'];
  const seconds = Math.ceil(drainMs / 1_000) + 90;
  return `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  <key>Label</key>
  <string>${label}</string>
  <key>ProgramArguments</key>
  <array>
${words.map((word) => `    <string>${escaped(word)}</string>\n`).join('')}  </array>
  <key>EnvironmentVariables</key>
  <dict>
${keptVariables(env)
  .map(([key, value]) => `    <key>${key}</key>\n    <string>${escaped(value)}</string>\n`)
  .join('')}  </dict>
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
  <integer>${seconds}</integer>
</dict>
</plist>
`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
