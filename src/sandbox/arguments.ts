import { hostRule } from '../model/host-rule.ts';

/** One mount. `from` is a real path; `at` is where the child finds it. */
export type Mount =
  | { readonly id: 'write' | 'read'; readonly from: string; readonly at: string }
  /** An empty private folder, which the child may write until it is sealed by `closed`. */
  | { readonly id: 'private' | 'closed'; readonly at: string }
  /** An empty file that cannot be written. */
  | { readonly id: 'masked'; readonly at: string }
  | { readonly id: 'link'; readonly to: string; readonly at: string }
  /** New `/dev` and `/proc`. */
  | { readonly id: 'devices' | 'processes' };

export interface SandboxFacts {
  readonly bwrap: string;
  /** Real path of the working folder. */
  readonly work: string;
  /** Later ones lie on top of earlier ones. */
  readonly mounts: readonly Mount[];
  readonly network: boolean;
  /** Lets the child create user namespaces in its own. */
  readonly userns: boolean;
  /** File with a program for system calls, see `terminalFilter`. */
  readonly filter?: string;
  /** Variables that the child gets, but not bubblewrap. */
  readonly variables: Readonly<Record<string, string>>;
}

/** Port of the proxy in a sandbox without network. */
export const proxyPort = 3128;
/** Folder in the sandbox with the socket of the proxy, and the socket. */
export const proxyFolder = '/run/yardmaster';
export const proxySocket = `${proxyFolder}/proxy`;

/**
 * Command line of bubblewrap, up to the program that it starts. It keeps the process group, which ends the child, and
 * inherits the environment.
 */
export function sandboxArguments({
  bwrap,
  work,
  mounts,
  network,
  userns,
  filter,
  variables,
}: SandboxFacts): readonly string[] {
  return [
    ...(filter === undefined ? [] : ['/bin/sh', '-c', 'exec "$@" 3<"$0"', filter]),
    bwrap,
    ...(filter === undefined ? [] : ['--seccomp', '3']),
    ...mounts.flatMap(argumentsOf),
    '--unshare-user',
    ...(userns ? [] : ['--disable-userns']),
    '--unshare-pid',
    '--unshare-ipc',
    '--unshare-uts',
    '--unshare-cgroup-try',
    ...(network ? [] : ['--unshare-net']),
    ...Object.entries(variables).flatMap(([name, value]) => ['--setenv', name, value]),
    '--die-with-parent',
    '--chdir',
    work,
    '--',
  ];
}

function argumentsOf(mount: Mount): readonly string[] {
  switch (mount.id) {
    case 'write':
      return ['--bind', mount.from, mount.at];
    case 'read':
      return ['--ro-bind', mount.from, mount.at];
    case 'private':
      return ['--tmpfs', mount.at];
    case 'closed':
      return ['--tmpfs', mount.at, '--remount-ro', mount.at];
    case 'masked':
      return ['--ro-bind', '/dev/null', mount.at];
    case 'link':
      return ['--symlink', mount.to, mount.at];
    case 'devices':
      return ['--dev', '/dev'];
    case 'processes':
      return ['--proc', '/proc'];
  }
}

/**
 * Variables that send a child's requests to the proxy. Names of loopback that are not among the hosts lead to the child's
 * own servers.
 */
export function proxyVariables(hosts: readonly string[]): Readonly<Record<string, string>> {
  const proxy = `http://127.0.0.1:${proxyPort}`;
  const listed = new Set(hosts.map((host) => hostRule(host)?.name));
  const direct = ['localhost', '127.0.0.1', '::1'].filter((name) => !listed.has(name)).join(',');
  return {
    HTTP_PROXY: proxy,
    http_proxy: proxy,
    HTTPS_PROXY: proxy,
    https_proxy: proxy,
    ALL_PROXY: proxy,
    all_proxy: proxy,
    NO_PROXY: direct,
    no_proxy: direct,
    NODE_USE_ENV_PROXY: '1',
  };
}

/** True if `path` is `folder` or lies below it. */
export function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith('/') ? folder : `${folder}/`);
}

/** Variables that a child of `strict` gets. The user's own names are added. */
const allowed = new RegExp(
  `^(?:${[
    'PATH|HOME|USER|LOGNAME|SHELL|TERM|COLORTERM|NO_COLOR|FORCE_COLOR|CI|TZ|LANG|LANGUAGE|LC_\\w+',
    'TMPDIR|XDG_\\w+|YARD_\\w+|NODE_EXTRA_CA_CERTS|SSL_CERT_(?:FILE|DIR)|CURL_CA_BUNDLE',
    'REQUESTS_CA_BUNDLE|GIT_SSL_CAINFO|GIT_CONFIG_(?:GLOBAL|SYSTEM|NOSYSTEM)|IS_SANDBOX',
  ].join('|')})$`,
);

/** The environment of a child in `strict`: an allow-list. */
export function strictEnvironment(
  env: Readonly<Record<string, string>>,
  further: readonly string[],
): Record<string, string> {
  const more = new Set(further);
  return Object.fromEntries(
    Object.entries(env).filter(([name]) => allowed.test(name) || more.has(name)),
  );
}
