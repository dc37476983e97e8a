import { existsSync, mkdirSync, readFileSync, realpathSync, rmdirSync, rmSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { ok, type Result, usage } from '../model/failure.ts';
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

export interface SkillFile {
  /** Path relative to the project. */
  readonly file: string;
  readonly effect: 'written' | 'unchanged' | 'removed' | 'absent';
}

/** The text of a new file. */
export const skillFileText = (place: SkillPlace): string => withSection(heads[place], skillText);

type Ports = Pick<Project, 'root' | 'writeFile'>;

/** Writes our section into the file of a place. Text of a person is never changed. */
export async function installSkill(ports: Ports, place: SkillPlace): Promise<Result<SkillFile>> {
  const found = fileOf(ports, place);
  if (!found.ok) return found;
  const { path, name, text } = found.value;
  const isForeign = place === 'claude' && text !== undefined && !hasSection(text);
  if (isForeign) {
    return usage(`${name} is there already, and Yardmaster has not written it`, 'Rename it first.');
  }
  const wanted = withSection(text ?? heads[place], skillText);
  if (wanted === text) return ok({ file: name, effect: 'unchanged' });
  mkdirSync(dirname(path), { recursive: true });
  const written = await ports.writeFile(path, wanted);
  return written.ok ? ok({ file: name, effect: 'written' }) : written;
}

/** Takes our section out of the file of a place. A file that holds nothing else is deleted. */
export async function uninstallSkill(ports: Ports, place: SkillPlace): Promise<Result<SkillFile>> {
  const found = fileOf(ports, place);
  if (!found.ok) return found;
  const { path, name, text } = found.value;
  if (text === undefined || !hasSection(text)) return ok({ file: name, effect: 'absent' });
  const left = withoutSection(text);
  if (left.trim() !== '' && left.trim() !== heads[place].trim()) {
    const written = await ports.writeFile(path, left);
    return written.ok ? ok({ file: name, effect: 'removed' }) : written;
  }
  rmSync(path);
  removeEmpty(dirname(path), ports.root);
  return ok({ file: name, effect: 'removed' });
}

/** A link is followed, so that it stays one; it must not lead out of the project. */
function fileOf(
  { root }: Ports,
  place: SkillPlace,
): Result<{ readonly path: string; readonly name: string; readonly text: string | undefined }> {
  const name = files[place];
  const named = join(root, name);
  if (!existsSync(named)) return ok({ path: named, name, text: undefined });
  const path = realpathSync(named);
  if (relative(realpathSync(root), path).startsWith('..')) {
    return usage(
      `${name} is a link to ${path}, outside of the project`,
      'Write that file yourself.',
    );
  }
  const text = readFileSync(path, 'utf8');
  if (!editedSection(text)) return ok({ path, name, text });
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
