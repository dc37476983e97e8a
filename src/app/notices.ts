import { existsSync, realpathSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { projectFile } from '../config/keys.ts';
import type { RunSettings } from '../model/run.ts';
import { outcomeOf } from '../model/trouble.ts';
import type { Project } from './ports.ts';

type Ports = Pick<Project, 'git' | 'probe' | 'root'>;

/** One sentence for each thing that a run does not honor although the user may rely on it. `cwd` is where it was started. */
export async function notices(project: Ports, cwd: string): Promise<readonly string[]> {
  const found = await Promise.all([signing(project), replaced(project), unread(project, cwd)]);
  return found.flat();
}

/** Says which edits of the user may keep work from landing. Untracked files are left out: work rarely adds them. */
export async function editNotices(
  { git, probe }: Pick<Project, 'git' | 'probe'>,
  { target, delivery = 'land' }: Pick<RunSettings, 'target' | 'delivery'>,
): Promise<readonly string[]> {
  const checkout = delivery === 'land' ? await outcomeOf(git.checkoutOf(target)) : undefined;
  if (checkout?.ok !== true || checkout.value === undefined) return [];
  // The index is the user's: it is not refreshed.
  const status = ['git', '--no-optional-locks', 'status', '--porcelain', '-z', '--no-renames'];
  const asked = await probe([...status, '-uno', '--ignore-submodules=dirty'], checkout.value);
  const lines = asked.id === 'ended' ? asked.stdout.split('\0') : [];
  const files = lines.flatMap((line) => (line === '' ? [] : line.slice(3))).sort();
  if (files.length === 0) return [];
  const more = files.length > listed ? ` and ${files.length - listed} more` : '';
  const [these, them] = files.length === 1 ? ['this file', 'it'] : ['these files', 'them'];
  return [
    `${target} has uncommitted changes in your checkout: ${files.slice(0, listed).join(', ')}${more}. Work that changes ${these} lands only after you commit or stash ${them}.`,
  ];
}

async function signing({ probe, root }: Ports): Promise<readonly string[]> {
  const asked = await probe(['git', 'config', '--type=bool', '--get', 'commit.gpgSign'], root);
  if (asked.id !== 'ended' || asked.stdout.trim() !== 'true') return [];
  return [
    '`commit.gpgSign` is set, but commits that Yardmaster makes are not signed: your signature would vouch for work that you may not have read. If your remote requires signatures, sign what landed yourself.',
  ];
}

async function replaced({ git }: Ports): Promise<readonly string[]> {
  const refs = await outcomeOf(git.refs('refs/replace/'));
  if (!refs.ok || refs.value.length === 0) return [];
  return [
    `This repository replaces ${refs.value.length === 1 ? 'an object' : `${refs.value.length} objects`} (refs/replace). Yardmaster ignores replacements: it reads, tests and lands the original objects.`,
  ];
}

/** Config files that are not read: committed ones, and those between `cwd` and the root. */
async function unread({ probe, root }: Ports, cwd: string): Promise<readonly string[]> {
  const asked = await probe(['git', 'ls-files', '-z', '--', `:(glob)**/${projectFile}`], root);
  const tracked = asked.id === 'ended' ? asked.stdout.split('\0') : [];
  const files = new Set([...tracked, ...inFolders(root, cwd)].filter((file) => file.includes('/')));
  return [...files]
    .sort()
    .slice(0, listed)
    .map((file) => `${file} is not read: only ${projectFile} in the root of the repository is.`);
}

/** Most files that are named. */
const listed = 3;

function inFolders(root: string, cwd: string): readonly string[] {
  const files: string[] = [];
  for (let dir = realpathSync(cwd); dir.startsWith(`${root}/`); dir = dirname(dir)) {
    const file = join(dir, projectFile);
    if (existsSync(file)) files.push(relative(root, file));
  }
  return files;
}
