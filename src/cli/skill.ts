import { changeSkill, type SkillPlace, skillFileText } from '../app/skill.ts';
import { openProject } from '../wire/project.ts';
import { folderOf } from './open.ts';
import { printText } from './output.ts';
import type { Call } from './parse.ts';
import { complain, confirm } from './screen.ts';

const effects = {
  written: 'Wrote',
  unchanged: 'Already up to date:',
  removed: 'Removed from',
  absent: 'Nothing of Yardmaster in',
} as const;

/** Installs or removes instructions for coding agents. */
export async function run(call: Call): Promise<number> {
  const places = placesOf(call);
  if (call.options.flag('print')) {
    for (const place of places) printText(skillFileText(place));
    return 0;
  }
  const project = await openProject(folderOf(call));
  if (!project.ok) return complain([project.failure]);
  try {
    const change = call.args[0] === 'install' ? 'install' : 'uninstall';
    const done = await changeSkill(project.value, change, places);
    if (!done.ok) return complain(done.failure);
    confirm(
      call,
      done.value.map(({ effect, file }) => `${effects[effect]} ${file}`),
    );
    return 0;
  } finally {
    await project.value.git.close();
  }
}

/** Both places unless the call names one. */
function placesOf({ options }: Call): readonly SkillPlace[] {
  const named = (['claude', 'agents'] as const).filter((place) => options.flag(place));
  return named.length > 0 ? named : ['claude', 'agents'];
}
