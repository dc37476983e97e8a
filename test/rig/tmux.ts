// A terminal whose screen a test can read: a tmux of its own, which shows what a person would see.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { program } from './child.ts';
import { until } from './until.ts';

export const hasTmux = spawnSync('tmux', ['-V'], { encoding: 'utf8' }).status === 0;
if (!hasTmux)
  console.warn('Tests of the dashboard on a terminal are skipped: tmux is not installed');

export interface TmuxOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly columns: number;
  readonly lines: number;
}

/** An interactive shell in a window of tmux. */
export class Tmux {
  readonly #dir = mkdtempSync(join(tmpdir(), 'ym-tmux-'));
  readonly #env: Readonly<Record<string, string>>;

  constructor({ cwd, env, columns, lines }: TmuxOptions) {
    this.#env = { ...env, PS1: '$ ' };
    const size = ['-x', String(columns), '-y', String(lines)];
    onTestFinished(() => this.end());
    this.#tmux('-u', '-f', '/dev/null', 'new-session', '-d', ...size, '-c', cwd, shell);
    this.run(`${ym}; clear`);
  }

  /** Types text as it is. */
  type(text: string): void {
    this.#tmux('send-keys', '-l', '--', text);
  }

  /** Presses keys by their names in tmux, such as `Enter` or `C-c`. */
  press(...keys: readonly string[]): void {
    this.#tmux('send-keys', ...keys);
  }

  /** Runs a line of shell; `ym` is the built program. */
  run(line: string): void {
    this.type(line);
    this.press('Enter');
  }

  resize(columns: number, lines: number): void {
    this.#tmux('resize-window', '-x', String(columns), '-y', String(lines));
  }

  screen(): string {
    return this.#tmux('capture-pane', '-p');
  }

  /** A fact about the terminal by its name in tmux, such as `alternate_on`. */
  fact(name: string): string {
    return this.#tmux('display-message', '-p', `#{${name}}`).trim();
  }

  /** Waits until a text is on the screen, or is gone from it. */
  async shows(text: string, isThere = true): Promise<void> {
    await until(
      () => this.screen().includes(text) === isThere,
      () => `${isThere ? '' : 'no '}"${text}" on\n${this.screen()}`,
    );
  }

  end(): void {
    const ask = (...words: string[]): string =>
      spawnSync('tmux', ['-S', this.#socket, ...words], { env: this.#env, encoding: 'utf8' })
        .stdout;
    const pids = ask('display', '-p', '#{pid} #{pane_pid}').trim().split(' ');
    ask('kill-server');
    // The server answers before it and its shell have ended.
    const waits =
      'for pid; do for i in $(seq 100); do kill -0 "$pid" && sleep 0.05 || break; done; done';
    spawnSync('sh', ['-c', waits, 'sh', ...pids.filter(Boolean)]);
    rmSync(this.#dir, { recursive: true, force: true });
  }

  get #socket(): string {
    return join(this.#dir, 'socket');
  }

  #tmux(...args: readonly string[]): string {
    const all = ['-S', this.#socket, ...args];
    return execFileSync('tmux', all, { env: this.#env, encoding: 'utf8' });
  }
}

const ym = `ym() { '${process.execPath}' '${program}' "$@"; }`;
const shell = 'exec bash --noprofile --norc -i';
