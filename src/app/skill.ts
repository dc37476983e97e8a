import { existsSync, mkdirSync, readFileSync, realpathSync, rmdirSync, rmSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { type Failure, fail, ok, type Result, usage } from '../model/failure.ts';
import { editedSection, hasSection, withoutSection, withSection } from '../report/skill/section.ts';
import { skillHead, skillText } from '../report/skill/text.ts';
import type { Project } from './ports.ts';

/** A place that agents read: the skills folder of Claude Code, or the AGENTS.md that most others read. */
export type SkillPlace = 'claude' | 'agents';

const files: Readonly<Record<SkillPlace, string>> = {
  claude: '.claude/skills/yardmaster/SKILL.md',
  agents: 'AGENTS.md',
};

/** Text before our section in a new file. */
const heads: Readonly<Record<SkillPlace, string>> = { claude: skillHead, agents: '' };

interface SkillFile {
  /** Path relative to the project. */
  readonly file: string;
  readonly effect: 'written' | 'unchanged' | 'removed' | 'absent';
}

export const skillFileText = (place: SkillPlace): string => withSection(heads[place], skillText);

type Ports = Pick<Project, 'root' | 'writeFile'>;

/** Installs or removes the instructions in all places, or in none if one of them refuses. */
export async function changeSkill(
  ports: Ports,
  change: 'install' | 'uninstall',
  places: readonly SkillPlace[],
): Promise<Result<readonly SkillFile[], readonly Failure[]>> {
  const found = places.map((place) => fileOf(ports, place, change));
  const refused = found.flatMap((one) => (one.ok ? [] : [one.failure]));
  if (refused.length > 0) return fail(refused);
  const done: SkillFile[] = [];
  for (const one of found) {
    if (!one.ok) continue;
    const { value } = one;
    done.push(await (change === 'install' ? install(ports, value) : uninstall(ports, value)));
  }
  return ok(done);
}

/** Writes our section into a file. Text of a person is never changed. */
async function install(ports: Ports, { path, name, text, place }: Found): Promise<SkillFile> {
  const wanted = withSection(text ?? heads[place], skillText);
  if (wanted === text) return { file: name, effect: 'unchanged' };
  mkdirSync(dirname(path), { recursive: true });
  await ports.writeFile(path, wanted);
  return { file: name, effect: 'written' };
}

/** Takes our section out of a file. A file that holds nothing else is deleted. */
async function uninstall(ports: Ports, { path, name, text, place }: Found): Promise<SkillFile> {
  if (text === undefined || !hasSection(text)) return { file: name, effect: 'absent' };
  const left = withoutSection(text);
  if (left.trim() !== '' && left.trim() !== heads[place].trim()) {
    await ports.writeFile(path, left);
    return { file: name, effect: 'removed' };
  }
  rmSync(path);
  removeEmpty(dirname(path), ports.root);
  return { file: name, effect: 'removed' };
}

interface Found {
  readonly place: SkillPlace;
  readonly path: string;
  readonly name: string;
  readonly text: string | undefined;
}

/**
 * The file of a place, unless it must not be changed. A link is followed, so that it stays one; it must not lead out of
 * the project.
 */
function fileOf(
  { root }: Ports,
  place: SkillPlace,
  change: 'install' | 'uninstall',
): Result<Found> {
  const name = files[place];
  const named = join(root, name);
  if (!existsSync(named)) return ok({ place, path: named, name, text: undefined });
  const path = realpathSync(named);
  if (relative(realpathSync(root), path).startsWith('..')) {
    return usage(
      `${name} is a link to ${path}, outside of the project`,
      'Write that file yourself.',
    );
  }
  const text = readFileSync(path, 'utf8');
  if (change === 'install' && place === 'claude' && !hasSection(text)) {
    return usage(`${name} already exists, and Yardmaster did not write it`, 'Rename it first.');
  }
  if (!editedSection(text)) return ok({ place, path, name, text });
  return usage(
    `the section of Yardmaster in ${name} was changed by hand`,
    'Move your text out of the section, or delete the section with its marks; then try again.',
  );
}

function removeEmpty(dir: string, root: string): void {
  for (let at = dir; at !== root && at.startsWith(root); at = dirname(at)) {
    try {
      rmdirSync(at);
    } catch (error) {
      // It holds something else.
      if (error instanceof Error && 'code' in error) return;
      throw error;
    }
  }
}
