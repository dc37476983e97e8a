import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';
import { cloneOf } from '../model/branch.ts';
import type { Confine, ConfinedSpec } from '../port/processes.ts';
import type { AgentState } from '../port/sandbox.ts';
import { removeAnyway } from '../process/remove-anyway.ts';
import {
  isWithin,
  type Mount,
  proxyFolder,
  proxyVariables,
  type SandboxFacts,
  sandboxArguments,
  strictEnvironment,
} from './arguments.ts';
import {
  createFolder,
  foreignState,
  hidden,
  placeOf,
  programFolders,
  readable,
  realOf,
  replaced,
  stateMounts,
  systemMounts,
  writable,
} from './places.ts';

/** Requests by which a process types into its terminal: whoever reads it next, such as the user's shell, obeys. */
const typing = [0x5412, 0x541c];
/** Numbers of the system call `ioctl` on the machines that agents run on, 32 bit programs included. */
const ioctls = [16, 29, 54, 0x40000202];

const [load, jumpIfEqual, end] = [0x20, 0x15, 0x06];
const [numberAt, requestAt] = [0, 24];
const [allowed, notPermitted] = [0x7fff0000, 0x00050001];

/**
 * Program for `bwrap --seccomp` that refuses these requests. A session of its own (`--new-session`) would refuse them
 * too, but without job control, Ctrl-C and changes of the window's size.
 */
function terminalFilter(): Uint8Array {
  const checks = typing.length + 1 + ioctls.length;
  const program = [
    [load, 0, 0, requestAt],
    // Each jump skips the given number of lines: to the next check, to the end, or nowhere.
    ...typing.map((request, n) => {
      const isLast = n === typing.length - 1;
      return [jumpIfEqual, typing.length - 1 - n, isLast ? checks - typing.length : 0, request];
    }),
    [load, 0, 0, numberAt],
    ...ioctls.map((number, n) => [jumpIfEqual, ioctls.length - n, 0, number]),
    [end, 0, 0, allowed],
    [end, 0, 0, notPermitted],
  ];
  const bytes = new DataView(new ArrayBuffer(program.length * 8));
  for (const [n, [code = 0, yes = 0, no = 0, value = 0]] of program.entries()) {
    bytes.setUint16(n * 8, code, true);
    bytes.setUint8(n * 8 + 2, yes);
    bytes.setUint8(n * 8 + 3, no);
    bytes.setUint32(n * 8 + 4, value, true);
  }
  return new Uint8Array(bytes.buffer);
}

export interface SandboxSettings {
  readonly mode: 'write' | 'strict';
  readonly bwrap: string;
  readonly home: string;
  /** Git folder of the project. Attempts borrow its objects. */
  readonly repository: string;
  /** Root of the user's checkout. */
  readonly root: string;
  /** Files and folders that no child in the sandbox may read. `~` is the home. */
  readonly hidden: readonly string[];
  /** Folders outside that every child in the sandbox may write, such as caches. `~` is the home. */
  readonly writable: readonly string[];
  /** Names of additional environment variables for `strict`. */
  readonly variables: readonly string[];
  readonly gateNetwork: boolean;
  /** Lets gates create user namespaces. */
  readonly gateUserns: boolean;
  /** Hosts that agents may reach in `strict`, see `hostRule`. */
  readonly hosts: readonly string[];
  /** Program and first arguments of the proxy to these hosts. */
  readonly proxy: readonly string[];
  /** Program files that every child in the sandbox calls: Node.js and this program. */
  readonly programs: readonly string[];
  /** State of all known agents. Each is hidden from every child except its own agent. */
  readonly agents: readonly AgentState[];
}

/** Creates the sandbox of each child, and the folders that it needs. */
export function confineWith(settings: SandboxSettings): Confine {
  return (spec) => {
    const { argv, cwd, confined, dir } = spec;
    const { bwrap, mode, gateNetwork, gateUserns, hosts } = settings;
    const work = realOf(cwd) ?? cwd;
    const temp = tempFor(work, dir);
    const isOpen = confined.role === 'gate' ? gateNetwork : true;
    const network = mode === 'write' ? isOpen : confined.role === 'setup';
    const mounts = mountsOf(settings, spec, work, temp);
    const whole = { ...spec.env, TMPDIR: '/tmp' };
    const names =
      confined.role === 'agent' ? [...confined.variables, ...confined.state.variables] : [];
    const env =
      mode === 'strict' ? strictEnvironment(whole, [...settings.variables, ...names]) : whole;
    const userns = confined.role === 'gate' && gateUserns;
    const filter = confined.role === 'agent' && confined.terminal ? filterIn(temp) : undefined;
    const facts = { bwrap, work, network, userns, filter };
    const isListed = mode === 'strict' && confined.role === 'agent' && hosts.length > 0;
    return isListed
      ? proxied(settings, { facts: { ...facts, mounts }, temp, spec, env })
      : { argv: [...sandboxArguments({ ...facts, mounts, variables: {} }), ...argv], env };
  };
}

/** Writes the filter for a child on the user's terminal. */
function filterIn({ copies }: TempFolders): string {
  const file = join(copies, 'terminal-filter');
  writeFileSync(file, terminalFilter());
  return file;
}

interface ProxyFacts {
  readonly facts: Omit<SandboxFacts, 'variables'>;
  readonly temp: TempFolders;
  readonly spec: ConfinedSpec;
  readonly env: Readonly<Record<string, string>>;
}

/**
 * The sandbox with a proxy outside of it and a relay in it. Settings of Node.js reach the child only: the proxy must
 * not load code that an agent can write.
 */
function proxied(
  { proxy, hosts }: SandboxSettings,
  { facts, temp, spec: { argv, name }, env }: ProxyFacts,
): Pick<ConfinedSpec, 'argv' | 'env'> {
  const folder = join(temp.proxies, name);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const isNode = ([variable]: readonly [string, string]) => variable.startsWith('NODE_');
  const variables = Object.entries(env);
  const sandbox = sandboxArguments({
    ...facts,
    mounts: [...facts.mounts, { id: 'read', from: folder, at: proxyFolder }],
    variables: { ...Object.fromEntries(variables.filter(isNode)), ...proxyVariables(hosts) },
  });
  return {
    argv: [
      ...proxy,
      'outside',
      folder,
      ...hosts,
      '--',
      ...sandbox,
      ...proxy,
      'inside',
      '--',
      ...argv,
    ],
    env: Object.fromEntries(variables.filter((one) => !isNode(one))),
  };
}

/** Later mounts lie on top: a secret in a cache stays hidden, and an agent keeps its own state. */
function mountsOf(
  settings: SandboxSettings,
  { argv, confined, dir }: ConfinedSpec,
  work: string,
  temp: TempFolders,
): readonly Mount[] {
  const { mode, home, repository, root } = settings;
  const isStrict = mode === 'strict';
  const at = (place: string): string => placeOf(home, place);
  const own = confined.role === 'agent' ? confined.state : undefined;
  const called = [...settings.programs, ...settings.proxy, ...argv];
  const programs = called.filter(isAbsolute).flatMap(programFolders);
  const readables = [
    ...programs,
    repository,
    dir,
    ...(isStrict ? ['~/.gitconfig', '~/.config/git'].map(at) : [root, home, dirname(work)]),
  ];
  const hides = [...settings.hidden.map(at), ...foreignState(settings.agents, own)];
  const writables = settings.writable.map(at);
  for (const path of writables) if (dirname(path) === home) createFolder(path);
  // Of a hidden home only what is mounted again is there.
  const isGone = (path: string) =>
    isWithin(path, home) && ![...readables, ...writables].some((one) => isWithin(path, one));
  const mailbox = confined.role === 'agent' ? confined.mailbox : undefined;
  return [
    ...(isStrict ? systemMounts() : ([{ id: 'read', from: '/', at: '/' }] as const)),
    ...machineMounts(temp.tmp),
    ...(isStrict ? ([{ id: 'private', at: home }] as const) : []),
    ...readables.filter((path) => isStrict || isCovered(path)).flatMap(readable),
    ...writables.flatMap(writable),
    ...hides.filter((path) => !isStrict || !isGone(path)).flatMap(hidden),
    ...(own === undefined ? [] : stateMounts(own, temp.copies)),
    { id: 'write', from: work, at: work },
    // The git of an attempt lies next to its folder.
    ...writable(cloneOf(work)),
    ...(mailbox === undefined ? [] : writable(mailbox)),
  ];
}

const isCovered = (path: string): boolean => replaced.some((folder) => isWithin(path, folder));

/** Parts of `/run` that the child can read: name resolution, and programs of NixOS. */
const keptOfRun = ['/run/systemd/resolve', '/run/current-system', '/run/wrappers'];

function machineMounts(tmp: string): readonly Mount[] {
  return [
    { id: 'devices' },
    { id: 'processes' },
    { id: 'private', at: '/run' },
    ...keptOfRun.flatMap(readable),
    { id: 'write', from: tmp, at: '/tmp' },
    ...(existsSync('/var/tmp') ? ([{ id: 'write', from: tmp, at: '/var/tmp' }] as const) : []),
  ];
}

interface TempFolders {
  readonly tmp: string;
  readonly copies: string;
  /** Parent of the folders with the sockets of proxies. */
  readonly proxies: string;
}

/**
 * Private temporary folders next to the working folder. All children of one attempt or gate run share them: those have
 * the same `dir`. What an earlier attempt in this working folder left is removed.
 */
function tempFor(work: string, dir: string): TempFolders {
  const folder = `${work}.tmp`;
  const name = createHash('sha256').update(dir).digest('hex').slice(0, 16);
  for (const other of existsSync(folder) ? readdirSync(folder) : []) {
    if (other !== name) removeAnyway(join(folder, other));
  }
  const [tmp, copies] = [join(folder, name, 'tmp'), join(folder, name, 'copies')];
  for (const one of [tmp, copies]) mkdirSync(one, { recursive: true, mode: 0o700 });
  return { tmp, copies, proxies: join(folder, name, 'proxies') };
}
