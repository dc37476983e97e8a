import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { harnesses } from '../agent/harnesses.ts';
import type { Project } from '../app/ports.ts';
import type { Config } from '../config/config.ts';
import { userFile } from '../config/user-file.ts';
import { checkWritable } from '../files/state-file.ts';
import { tried } from '../model/trouble.ts';
import type { Sandbox } from '../port/processes.ts';
import { stateDir as userStateDir } from '../process/stored-machine.ts';
import { probeSandbox } from '../sandbox/probe.ts';
import { confineWith, type SandboxSettings } from '../sandbox/sandbox.ts';
import { builtProgram } from './built-program.ts';
import { presetStates } from './preset-state.ts';
import { webToken, webTokenFile } from './web-token.ts';

type Input = Pick<Project, 'env' | 'childEnv' | 'root' | 'commonDir' | 'dir' | 'stateDir'>;

/** Agents must not reach the socket of the daemon: they could hand runs to it. */
const daemonFolder = ({ stateDir }: Pick<Input, 'stateDir'>): string => join(stateDir, 'daemon');

/** The sandbox that the config asks for, after a probe. */
export async function sandboxOf(
  project: Input,
  config: Config,
  { thorough }: { readonly thorough: boolean },
): Promise<Sandbox> {
  const { sandbox } = config;
  if (sandbox === 'none') return { id: 'off' };
  const mode = sandbox === 'strict' ? 'strict' : 'write';
  // Only what exists can be hidden.
  webToken(project.dir);
  tried(() => checkWritable(daemonFolder(project)));
  const settings = settingsOf(project, config, mode);
  const probed = await probeSandbox({ settings, env: project.childEnv, thorough });
  if (!probed.ok) return { id: 'missing', ...probed.failure };
  const { bwrap, ms, hiddenPath } = probed.value;
  return { id: 'on', mode, ms, hiddenPath, confine: confineWith({ ...settings, bwrap }) };
}

function settingsOf(
  { env, root, commonDir, dir, stateDir }: Input,
  config: Config,
  mode: SandboxSettings['mode'],
): Omit<SandboxSettings, 'bwrap'> {
  return {
    mode,
    home: env.HOME ?? '/nonexistent',
    repository: commonDir,
    root,
    hidden: [
      ...config.sandboxHidden.flatMap((place) => inConfig(place, env)),
      join(dir, 'secret'),
      webTokenFile(dir),
      daemonFolder({ stateDir }),
      ...ofUser(env),
    ],
    writable: config.sandboxWritable,
    variables: config.sandboxEnv,
    gateNetwork: config.gate.network,
    gateUserns: config.gate.userns,
    hosts: config.sandboxHosts,
    proxy: [process.execPath, builtProgram('sandbox-proxy.js')],
    programs: [process.execPath, ownProgram],
    agents: [
      ...Object.values(harnesses).map((harness) => harness.state(env)),
      ...presetStates(env),
    ],
  };
}

/** The user's own config, which may hold a password, and the daemon of a user whose worker has another state folder. */
function ofUser(env: Input['env']): readonly string[] {
  const file = userFile(env)?.file;
  const state = tried(() => userStateDir(process.env));
  return [
    ...(file === undefined ? [] : [file]),
    ...(state.ok ? [daemonFolder({ stateDir: state.value })] : []),
  ];
}

/** A place of `~/.config` is also looked for where `XDG_CONFIG_HOME` says. */
function inConfig(place: string, { XDG_CONFIG_HOME: config }: Input['env']): readonly string[] {
  const start = '~/.config/';
  return config && place.startsWith(start)
    ? [place, join(config, place.slice(start.length))]
    : [place];
}

const ownProgram = join(dirname(fileURLToPath(import.meta.url)), 'main.js');
