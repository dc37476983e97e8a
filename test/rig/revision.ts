// An agent that gives up, and an architect that answers with a change of the plan.
import { type Action, print, type TestProject, write } from '../rig.ts';
import { program } from './child.ts';
import { oneShotProject } from './one-shots.ts';

const giveUp: Action = {
  run: { shell: `'${process.execPath}' '${program}' agent give-up -m "There is no field to show"` },
};
export const block = (...tasks: readonly object[]): Action =>
  print(`The field comes first.\n\n\`\`\`tasks\n${JSON.stringify(tasks)}\n\`\`\``);
export const field = { id: 'field', title: 'Add the field' };
export const page = { id: 'page', title: 'Show the field', after: ['field'] };

export function project(revise: 'propose' | 'apply', answer: Action): TestProject {
  return oneShotProject({
    tasks: [{ id: 'page', title: 'Show the field' }, { id: 'other' }],
    script: {
      page: { attempts: [[[giveUp]], [[write('page.txt', 'page\n')]]] },
      default: [[{ run: { shell: 'echo done > "$YARD_TASK.txt"' } }]],
    },
    oneShotAgents: { architect: { page: { revisions: [[write('scribble', 'x'), answer]] } } },
    config: { jobs: 1, agent: 'actor', plan: { agent: 'architect', revise } },
  });
}
