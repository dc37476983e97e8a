// Hosts for tests: network namespaces with addresses and machine ids of their own, whose links can be cut. They share
// files and processes with this machine, and meet only at the hub, which has the database and the shared repository.

import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { need } from './need.ts';
import { until } from './until.ts';

const HUB = '10.77.0.1';
const GIT_PORT = '9418';
const BRIDGE = 'yard';

const tryIp = (...args: string[]): boolean => spawnSync('ip', args).status === 0;
const ip = (...args: string[]): void => void execFileSync('ip', args, { stdio: 'pipe' });

/** Undefined if namespaces can be made here, else the reason. */
export function lackOfHosts(): string | undefined {
  if (process.getuid?.() !== 0) return 'only root may create network namespaces';
  const name = `ym${process.pid}-probe`;
  const bridge = ['-n', name, 'link', 'add', BRIDGE, 'type', 'bridge'];
  const isPossible = tryIp('netns', 'add', name) && tryIp(...bridge);
  tryIp('netns', 'del', name);
  return isPossible ? undefined : 'iproute2 is missing, or this system has no network namespaces';
}

/** Ends what still runs in the namespaces and removes them, also if the process that made them was killed. */
const CARETAKER = `
  read -r _
  for name; do
    ip netns pids "$name" | xargs -r kill -9
    ip netns del "$name"
  done
`;

/** Runs a command with another id of the machine and of its boot, which only this command and its children see. */
const AS_MACHINE = `
  mount --bind "$1" /proc/sys/kernel/random/boot_id || exit
  [ ! -e /etc/machine-id ] || mount --bind "$1" /etc/machine-id || exit
  shift
  exec "$@"
`;

let made = 0;

export class Hosts {
  /** Address of the hub, which only the hosts reach. */
  readonly address = HUB;
  readonly #hub: string;
  readonly #names: ReadonlyMap<string, string>;
  readonly #caretaker: ChildProcess;
  /** Folder with the machine id of each host. */
  readonly #ids = mkdtempSync(join(tmpdir(), 'ym-hosts-'));

  constructor(hosts: readonly string[]) {
    made += 1;
    const name = (host: string): string => `ym${process.pid}-${made}-${host}`;
    this.#hub = name('hub');
    this.#names = new Map(hosts.map((host) => [host, name(host)]));
    const all = [this.#hub, ...this.#names.values()];
    this.#caretaker = spawn('sh', ['-c', CARETAKER, 'sh', ...all], {
      stdio: ['pipe', 'ignore', 'ignore'],
      detached: true,
    });
    this.#caretaker.unref();
    for (const one of all) {
      ip('netns', 'add', one);
      ip('-n', one, 'link', 'set', 'lo', 'up');
    }
    ip('-n', this.#hub, 'link', 'add', BRIDGE, 'type', 'bridge');
    ip('-n', this.#hub, 'address', 'add', `${HUB}/16`, 'dev', BRIDGE);
    ip('-n', this.#hub, 'link', 'set', BRIDGE, 'up');
    hosts.forEach((host, at) => {
      writeFileSync(join(this.#ids, host), `${randomUUID()}\n`);
      this.#connect(host, `10.77.1.${at + 1}/16`);
    });
  }

  #connect(host: string, address: string): void {
    const there = this.#nameOf(host);
    const peer = ['peer', 'name', 'eth0', 'netns', there];
    ip('-n', this.#hub, 'link', 'add', host, 'type', 'veth', ...peer);
    ip('-n', this.#hub, 'link', 'set', host, 'master', BRIDGE, 'up');
    ip('-n', there, 'address', 'add', address, 'dev', 'eth0');
    ip('-n', there, 'link', 'set', 'eth0', 'up');
  }

  #nameOf(host: string): string {
    const name = need(this.#names.get(host));
    return name;
  }

  /** Command that runs another one on a host; see `under` of a child. */
  on(host: string): readonly string[] {
    const exec = ['ip', 'netns', 'exec', this.#nameOf(host)];
    return [...exec, 'sh', '-c', AS_MACHINE, 'sh', join(this.#ids, host)];
  }

  onHub(): readonly string[] {
    return ['ip', 'netns', 'exec', this.#hub];
  }

  /** From now on, what a host sends and what is sent to it gets lost without a trace. */
  cut(host: string): void {
    ip('-n', this.#hub, 'link', 'set', host, 'down');
  }

  restore(host: string): void {
    ip('-n', this.#hub, 'link', 'set', host, 'up');
  }

  /** Serves the repositories in a folder, for reading and writing. Returns the address of the folder. */
  async serveGit(folder: string): Promise<string> {
    const daemon = join(
      execFileSync('git', ['--exec-path'], { encoding: 'utf8' }).trim(),
      'git-daemon',
    );
    const options = [
      '--reuseaddr',
      '--enable=receive-pack',
      '--export-all',
      `--base-path=${folder}`,
    ];
    const [file = '', ...rest] = [...this.onHub(), daemon, ...options, `--port=${GIT_PORT}`];
    spawn(file, rest, { stdio: 'ignore' }).unref();
    const [probe = '', ...args] = [...this.onHub(), 'bash', '-c', `: </dev/tcp/${HUB}/${GIT_PORT}`];
    await until(() => spawnSync(probe, args).status === 0, 'the git server to start');
    return `git://${HUB}`;
  }

  /** Ends everything on the hosts and removes them. */
  async end(): Promise<void> {
    const ended = new Promise<void>((resolve) => this.#caretaker.once('close', () => resolve()));
    this.#caretaker.stdin?.end();
    await ended;
    rmSync(this.#ids, { recursive: true });
  }
}
