// Three tasks of which a person decides some while an agent is at work.
import { type TestProject, testProject, touch, waitFor, write } from '../rig.ts';

/** `busy` is at work, `idle` waits for its slot, `child` for `idle`. */
export function threeTasks(): TestProject {
  return testProject({
    config: { jobs: 1 },
    tasks: [{ id: 'busy', priority: 0 }, { id: 'idle' }, { id: 'child', after: ['idle'] }],
    script: {
      busy: [[write('half.txt', 'half\n'), touch('busy'), waitFor('go')]],
      idle: [[write('idle.txt', 'idle\n')]],
      child: [[write('child.txt', 'child\n')]],
    },
    leaves: ['branches'],
  });
}
