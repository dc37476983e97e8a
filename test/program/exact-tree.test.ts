// The gate judges the committed tree and nothing else, whatever earlier judgments, tests or the user's git settings left.
import { expect, test } from 'vitest';
import { waiting } from '../rig/project.ts';
import { remove, testProject, write } from '../rig.ts';

const ignores = { '.gitignore': 'dist/\ncache/\n' };

/** Copies every source into `dist/`, then needs what `needs` names to be there. */
const builds = `mkdir -p dist
for file in src/*; do test -e "$file" && cp "$file" dist/; done
for need in needs/*; do
  test -e "$need" || continue
  test -e "dist/$(basename "$need")" || { echo "dist/$(basename "$need") is missing"; exit 1; }
done
`;

test('what an earlier build left in an ignored folder is gone before the next gate run', async () => {
  const y = testProject({
    files: { ...ignores, 'gate.sh': builds, 'src/a': 'a\n', 'needs/a': '' },
    config: { retries: 0, gate: { commands: ['sh gate.sh'], reruns: 0 } },
    tasks: [{ id: 'first' }, { id: 'deletes', after: ['first'] }],
    script: { first: [[write('x.txt', 'x\n')]], deletes: [[remove('src/a')]] },
    leaves: waiting,
  });
  expect(await y.ym('run', y.plan)).toMatchObject({ code: 1 });
  expect(y.landings()).toEqual({ first: 1 });
  expect(y.reflogGreen().red).toEqual([]);
});
