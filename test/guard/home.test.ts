import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { harnesses } from '../../src/agent/harnesses.ts';
import { homeMarks, homePlaces } from '../../src/guard/home.ts';
import { type HomeEffect, homeEffects } from '../../src/model/violation.ts';
import { tempFolder } from '../rig/temp-folder.ts';

let home: string;
beforeEach(() => {
  home = tempFolder();
});

const put = (path: string, text = 'x\n'): string => {
  const file = join(home, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
};

/** Names that differ after an action, with their effect. */
async function seen(deed: () => void, env: Record<string, string> = {}): Promise<string[]> {
  const all = { HOME: home, ...env };
  const states = Object.values(harnesses).map((harness) => harness.state(all));
  const look = homeMarks(homePlaces(all, states));
  const before = await look();
  deed();
  const after = await look();
  return homeEffects.flatMap((effect: HomeEffect) => {
    const [old, now] = [before[effect].marks, after[effect].marks];
    const names = [...new Set([...Object.keys(old), ...Object.keys(now)])];
    return names.filter((name) => old[name] !== now[name]).map((name) => `${effect} ${name}`);
  });
}

describe('the watched home', () => {
  it.each([
    ['.gitconfig', 'gate'],
    ['.config/git/config', 'gate'],
    ['.npmrc', 'gate'],
    ['.ssh/authorized_keys', 'access'],
    ['.ssh/config', 'access'],
    ['.bashrc', 'session'],
    ['.zshenv', 'session'],
    ['.config/fish/config.fish', 'session'],
    ['.config/autostart/evil.desktop', 'session'],
    ['.claude/settings.json', 'session'],
    ['.claude/hooks/pre.sh', 'session'],
    ['.codex/config.toml', 'session'],
    ['.gemini/settings.json', 'session'],
    ['.config/opencode/opencode.json', 'session'],
  ])('names %s when it is made, changed and removed', async (path, effect) => {
    const named = [`${effect} ~/${path}`];
    expect(await seen(() => put(path))).toEqual(named);
    expect(await seen(() => appendFileSync(join(home, path), 'more\n'))).toEqual(named);
    expect(await seen(() => rmSync(join(home, path)))).toEqual(named);
  });

  it('follows the folders that variables name', async () => {
    const env = { XDG_CONFIG_HOME: join(home, 'settings'), CODEX_HOME: join(home, 'codex') };
    const deed = () => {
      put('settings/git/config');
      put('codex/config.toml');
      put('.config/git/config');
    };
    expect(await seen(deed, env)).toEqual([
      'gate ~/settings/git/config',
      'session ~/codex/config.toml',
    ]);
  });

  it('leaves out what programs write by themselves', async () => {
    const deed = () => {
      for (const path of ['.claude.json', '.claude/projects/a.jsonl', '.codex/auth.json'])
        put(path);
      for (const path of ['.ssh/known_hosts', '.claude/plugins/list.json', 'notes']) put(path);
    };
    expect(await seen(deed)).toEqual([]);
  });

  it('ignores a file that was written again with the same content', async () => {
    const file = put('.bashrc');
    const again = () => {
      rmSync(file);
      put('.bashrc');
      utimesSync(file, 1, 1);
    };
    expect(await seen(again)).toEqual([]);
  });

  it('sees a change behind a link, of the same size and with the old time', async () => {
    const real = put('dotfiles/gitconfig', 'one\n');
    symlinkSync(real, join(home, '.gitconfig'));
    const hide = () => {
      const { atime, mtime } = statSync(real);
      writeFileSync(real, 'two\n');
      utimesSync(real, atime, mtime);
    };
    expect(await seen(hide)).toEqual(['gate ~/.gitconfig']);
  });

  it('sees keys that were replaced or moved away, and never reads one', async () => {
    const key = put('.ssh/id', 'key\n');
    utimesSync(key, 1, 2);
    const replace = () => {
      writeFileSync(`${key}.new`, 'yek\n');
      renameSync(`${key}.new`, key);
    };
    expect(await seen(replace)).toEqual(['access ~/.ssh/id']);
    utimesSync(key, 1, 2);
    expect(await seen(() => {})).toEqual([]);
    expect(statSync(key).atimeMs).toBe(1000);
    const away = () => renameSync(join(home, '.ssh'), join(home, '.ssh2'));
    expect(await seen(away)).toEqual(['access ~/.ssh/id']);
  });

  it('sees a mode that lets others write', async () => {
    const file = put('.profile');
    expect(await seen(() => chmodSync(file, 0o666))).toEqual(['session ~/.profile']);
    expect(readFileSync(file, 'utf8')).toBe('x\n');
  });

  it('is nothing without a home', () => {
    expect(homePlaces({}, [])).toEqual([]);
  });
});
