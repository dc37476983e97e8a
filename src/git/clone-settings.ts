import { copyFileSync, existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { presentNow, removeLeft } from './admin.ts';
import { nulSeparated, succeed } from './command.ts';
import type { Place, Repo } from './repo.ts';

interface Settings {
  /** State of the config file when it was read. */
  readonly seen: string;
  /** Config file of a clone. */
  readonly text: string;
  /**
   * Variables with the settings that the user's own config includes, often only for folders such as the project's, so
   * that git would not find them from elsewhere.
   */
  readonly env: Readonly<Record<string, string>>;
}

const settingsBefore = new WeakMap<Repo, Settings>();

/** Shown by git if an agent tries to push: attempts hand in their work by committing it. */
const PUSH_REFUSED = 'attempts-do-not-push';

/** Settings that git has in the repository. Includes are resolved; one git process when the config has changed. */
export async function settingsFor(repo: Repo, place: Place): Promise<Settings> {
  const file = join(place.commonDir, 'config');
  const found = presentNow(() => statSync(file));
  const seen = found === undefined ? '' : `${found.ino} ${found.size} ${found.mtimeMs}`;
  const before = settingsBefore.get(repo);
  if (before?.seen === seen) return before;
  const args = ['config', '--list', '--show-scope', '--show-origin', '-z'];
  const listed = await succeed(repo.run, { cwd: place.root, args });
  const fields = nulSeparated(listed.stdout);
  const entries: string[] = [];
  const included: string[] = [];
  for (let at = 0; at + 2 < fields.length; at += 3) {
    const [scope = '', origin = '', entry = ''] = fields.slice(at, at + 3);
    if (scope === 'local') entries.push(entry);
    else if ((scope === 'global' || scope === 'system') && !STANDARD.test(origin)) {
      included.push(entry);
    }
  }
  const text = configText([...included, ...entries], place.root, userHooks(place.commonDir));
  const settings = { seen, text, env: variablesOf(included) };
  settingsBefore.set(repo, settings);
  return settings;
}

/** Files of a clone with settings that the repository has too. */
export const SETTINGS = ['config', 'info/exclude', 'info/attributes'] as const;

/** Folder with the settings that a clone was made with. The agent cannot write it. */
export const madeIn = ({ view }: { readonly view: string }): string => join(view, 'made');

/** Writes the settings for a new clone. */
export async function makeSettings(
  repo: Repo,
  own: { readonly view: string; readonly place: Place },
): Promise<void> {
  const settings = await settingsFor(repo, own.place);
  const made = madeIn(own);
  await removeLeft(made);
  mkdirSync(join(made, 'info'), { recursive: true });
  for (const name of SETTINGS) {
    const [from, to] = [join(own.place.commonDir, name), join(made, name)];
    if (name === 'config') writeFileSync(to, settings.text, { mode: 0o600 });
    else presentNow(() => copyFileSync(from, to));
  }
}

/** Files that git reads wherever it runs; all others are included by one of them. */
const STANDARD = /^file:.*(?:\/\.gitconfig|\/git\/config|\/etc\/gitconfig)$/;

function variablesOf(entries: readonly string[]): Readonly<Record<string, string>> {
  const pairs = entries.map((entry) => {
    const end = entry.indexOf('\n');
    return end === -1 ? [entry, 'true'] : [entry.slice(0, end), entry.slice(end + 1)];
  });
  const named = pairs.flatMap(([key = '', value = ''], n) => [
    [`GIT_CONFIG_KEY_${n}`, key],
    [`GIT_CONFIG_VALUE_${n}`, value],
  ]);
  return pairs.length === 0
    ? {}
    : { GIT_CONFIG_COUNT: String(pairs.length), ...Object.fromEntries(named) };
}

/** Settings that describe the user's own checkout, or would not hold in a clone. */
const DROPPED =
  /^(?:core\.(?:bare|worktree|repositoryformatversion|sparsecheckout\w*)|extensions\.(?:worktreeconfig|refstorage)|index\.sparse|branch\..*|include(?:if)?\..*|remote\..*\.(?:pushurl|push|mirror)|remote\.pushdefault)$/i;

/** Config file from `name\nvalue` entries of a repository at `root`, as `git config --list -z` prints them. */
export function configText(
  entries: readonly string[],
  root: string,
  hooks: string | undefined,
): string {
  const lines = ['[core]', '\tbare = false', '\trepositoryformatversion = 1'];
  if (hooks !== undefined) lines.push(`\thooksPath = ${valueText(hooks)}`);
  const remotes = new Set<string>();
  for (const entry of entries) {
    const end = entry.indexOf('\n');
    const name = end === -1 ? entry : entry.slice(0, end);
    if (DROPPED.test(name)) continue;
    const [section = '', key = ''] = [
      name.slice(0, name.lastIndexOf('.')),
      name.slice(name.lastIndexOf('.') + 1),
    ];
    lines.push(headerOf(section));
    const isRemote = section.startsWith('remote.');
    const value = entry.slice(end + 1);
    const from =
      isRemote && key === 'url' && /^\.{1,2}\//.test(value) ? resolve(root, value) : value;
    lines.push(end === -1 ? `\t${key}` : `\t${key} = ${valueText(from)}`);
    if (isRemote) remotes.add(section);
  }
  for (const remote of remotes) lines.push(headerOf(remote), `\tpushurl = ${PUSH_REFUSED}`);
  return `${lines.join('\n')}\n`;
}

function headerOf(section: string): string {
  const dot = section.indexOf('.');
  if (dot === -1) return `[${section}]`;
  return `[${section.slice(0, dot)} "${section.slice(dot + 1).replaceAll(/[\\"]/g, '\\$&')}"]`;
}

const valueText = (value: string): string =>
  `"${value.replaceAll(/[\\"]/g, '\\$&').replaceAll('\n', '\\n').replaceAll('\t', '\\t')}"`;

/** Folder with hooks that the user has installed; they also run on commits of an agent. */
function userHooks(commonDir: string): string | undefined {
  const folder = join(commonDir, 'hooks');
  const names = existsSync(folder) ? readdirSync(folder) : [];
  return names.some((name) => !name.endsWith('.sample')) ? folder : undefined;
}
