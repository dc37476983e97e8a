import { basename } from 'node:path';
import { type Preset, presets } from '../config/preset.ts';
import type { AgentState } from '../port/sandbox.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** The state of an agent of a preset. All of its folders are shared, because only its vendor knows what is in them. */
export function presetState({ folders, variables }: Preset, env: Environment): AgentState {
  return {
    folders: folders.map((place) => ({ use: 'shared', dir: folderOf(place, env) })),
    files: [],
    variables,
  };
}

export function presetStates(env: Environment): readonly AgentState[] {
  return Object.values(presets).map((preset) => presetState(preset, env));
}

/** The state of the preset whose program this command starts; undefined if there is none. */
export function presetIn(
  [program = '']: readonly string[],
  env: Environment,
): AgentState | undefined {
  const found = Object.values(presets).find(({ binary }) => binary === basename(program));
  return found && presetState(found, env);
}

const xdg: Readonly<Record<string, string>> = {
  '~/.config': 'XDG_CONFIG_HOME',
  '~/.local/share': 'XDG_DATA_HOME',
  '~/.local/state': 'XDG_STATE_HOME',
  '~/.cache': 'XDG_CACHE_HOME',
};

function folderOf(place: string, env: Environment): string {
  for (const [start, variable] of Object.entries(xdg)) {
    const moved = env[variable];
    if (moved && place.startsWith(`${start}/`)) return `${moved}${place.slice(start.length)}`;
  }
  return place.replace('~', () => env.HOME ?? '');
}
