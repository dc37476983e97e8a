import { createHmac } from 'node:crypto';
import { appendFileSync } from 'node:fs';
import { connectionCause } from '../model/connection-cause.ts';
import { desktopProgram, type HookMessage, isHookPoint } from '../model/hook.ts';
import { limits } from '../model/limits.ts';
import type { HookSender, HookSent } from '../port/hook.ts';
import { exec } from '../process/exec.ts';

const sent: HookSent = { ok: true };
const refused = (cause: string, again: boolean): HookSent => ({ ok: false, cause, again });

interface CommandOptions {
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly ms: number;
}

/** Starts a command with the message on its standard input. What it leaves in the background ends with it. */
export function commandSender({ argv, cwd, env, ms }: CommandOptions): HookSender {
  return {
    async send(message, until) {
      const point = { YARDMASTER_HOOK: message.hook, YARDMASTER_POINT: message.point };
      let pid: number | undefined;
      const done = await exec(argv, {
        cwd,
        env: { ...env, ...point },
        input: `${JSON.stringify(message)}\n`,
        wallMs: ms,
        outputBytes: limits.hookOutputBytes,
        signal: until,
        onStart: (started) => {
          pid = started;
        },
      });
      if (done.id === 'not-started') return refused(`it did not start: ${done.cause}`, false);
      endGroup(pid);
      if (until.aborted) return refused('the run ended first', true);
      if (done.over === 'wall') return refused(`it ran longer than ${ms / 1000} s`, true);
      if (done.over === 'output') return refused('it printed too much', false);
      if (done.exit === 0) return sent;
      const status = done.signal ?? `exit status ${done.exit}`;
      const [line = ''] = done.stderr.trim().split('\n').slice(-1);
      return refused(line === '' ? status : `${status}: ${line}`, true);
    },
  };
}

function endGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
  }
}

interface WebhookOptions {
  /** Undefined if its variable is not set. */
  readonly url: string | undefined;
  /** Absent if messages are not signed; empty if its variable is not set. */
  readonly secret?: string;
  readonly ms: number;
  now(): number;
}

/** Posts messages with the headers of the Standard Webhooks specification. */
export function webhookSender({ url, secret, ms, now }: WebhookOptions): HookSender {
  return {
    async send(message, until) {
      if (url === undefined) return refused('the variable of url_env is not set', false);
      if (secret === '') return refused('the variable of secret_env is not set', false);
      const body = JSON.stringify(message);
      const late = AbortSignal.timeout(ms);
      try {
        const response = await fetch(url, {
          method: 'POST',
          headers: {
            'content-type': 'application/json',
            ...signature(message, body, Math.floor(now() / 1000), secret),
          },
          body,
          // The signed message would go along to the other address.
          redirect: 'error',
          signal: AbortSignal.any([late, until]),
        });
        await response.body?.cancel();
        if (response.ok) return sent;
        const { status } = response;
        const again = status >= 500 || status === 429 || status === 408;
        return refused(`it answered with status ${status}`, again);
      } catch (error) {
        if (until.aborted) return refused('the run ended first', true);
        return refused(late.aborted ? 'it did not answer in time' : connectionCause(error), true);
      }
    },
  };
}

/** The secret is used as it is, or decoded if it has the form `whsec_BASE64`. */
function signature(
  { id }: HookMessage,
  body: string,
  seconds: number,
  secret: string | undefined,
): Readonly<Record<string, string>> {
  const head = { 'webhook-id': id, 'webhook-timestamp': String(seconds) };
  if (secret === undefined) return head;
  const key = secret.startsWith('whsec_') ? Buffer.from(secret.slice(6), 'base64') : secret;
  const sign = createHmac('sha256', key).update(`${id}.${seconds}.${body}`).digest('base64');
  return { ...head, 'webhook-signature': `v1,${sign}` };
}

interface DesktopOptions extends Omit<CommandOptions, 'argv'> {
  readonly platform: string;
  /** Absolute path of a program, or undefined if there is none of this name. */
  which(program: string): string | undefined;
}

const appleScript = [
  'on run argv',
  'display notification (item 2 of argv) with title (item 1 of argv)',
  'end run',
].flatMap((line) => ['-e', line]);

/** Shows messages on the desktop with the program of the system. */
export function desktopSender({ platform, which, ...options }: DesktopOptions): HookSender {
  const name = desktopProgram(platform);
  return {
    async send(message, until) {
      const program = which(name);
      if (program === undefined) return refused(`${name} is not installed`, false);
      const title = `${message.project}: ${message.point.replaceAll('-', ' ')}`;
      const urgent = isHookPoint(message.point) && /wanted|asked|red$/.test(message.point);
      const argv =
        platform === 'darwin'
          ? [program, ...appleScript, title, message.text]
          : [
              program,
              '--app-name=Yardmaster',
              `--urgency=${urgent ? 'critical' : 'normal'}`,
              '--',
              title,
              message.text,
            ];
      return commandSender({ ...options, argv }).send(message, until);
    },
  };
}

/** Rings the bell of the terminal that the program was started from; undefined if there is none. */
export function bellSender(terminal = '/dev/tty'): HookSender | undefined {
  const write = (text: string): HookSent => {
    try {
      appendFileSync(terminal, text);
      return sent;
    } catch (error) {
      if (!(error instanceof Error && 'code' in error)) throw error;
      return refused('there is no terminal', false);
    }
  };
  return write('').ok ? { send: async () => write('\x07') } : undefined;
}
