// Commands that decide for a person do not work for processes that a run has started, even if they hide that.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { program } from '../../rig/child.ts';
import { shell } from '../../rig/project.ts';
import { testProject, waitFor, write } from '../../rig.ts';

const ym = `'${process.execPath}' '${program}' -C "$project"`;
const decisions = [
  'skip b',
  'cancel b',
  'retry b',
  'block b',
  'approve b',
  'reject b no',
  'answer b yes',
  'tell b hello',
  'stop --now',
  'resume',
  'run --scope ready --share',
  'edit b --title other',
  'rm b',
  'prune --apply',
  'config set gate none',
  'review',
];

test.each([
  ['without YARD_ variables, somewhere else', 'cd / && env -i PATH="$PATH" sh -c', decisions],
  ['in its folder, in a session of its own', 'setsid -w env -i PATH="$PATH" sh -c', ['skip b']],
])('an agent cannot decide %s', async (_how, start, tries) => {
  const lines = tries.map((line) => `${ym} ${line} >>"$out" 2>&1; echo "$? ${line}" >>"$out"`);
  const script = lines.join('\n').replaceAll('"$project"', '"$1"').replaceAll('"$out"', '"$2"');
  const y = testProject({
    tasks: [{ id: 'a' }, { id: 'b', after: ['a'] }],
    files: { 'decide.sh': script },
    script: {
      a: [
        [
          shell(
            `file="$PWD/decide.sh"; ${start} 'sh "$0" "$1" "$2"' "$file" "$YARD_PROJECT" "$YARD_SCRIPT_DIR/out"`,
          ),
          write('a.txt', 'a\n'),
        ],
      ],
      b: [[waitFor('script.json'), write('b.txt', 'b\n')]],
    },
  });
  expect(await y.ym('run', y.plan)).toMatchObject({ code: 0 });
  expect(y.landings()).toEqual({ a: 1, b: 1 });
  const printed = readFileSync(join(y.stage, 'out'), 'utf8');
  const statuses = printed.split('\n').filter((line) => /^\d+ /.test(line));
  expect(statuses).toEqual(tries.map((line) => `2 ${line}`));
  expect(printed.match(/only a person may/gi)).toHaveLength(tries.length);
});
