// A project whose records are in Postgres.
import {
  env,
  type TestProject,
  type TestProjectOptions,
  testProject,
  touch,
  waitFor,
  write,
} from '../rig.ts';

export const twoTasks = {
  tasks: [{ id: 'a' }, { id: 'b', after: ['a'] }],
  script: {
    a: [[touch('a'), env('a.env'), waitFor('go'), write('a.txt', 'a\n')]],
    b: [[write('b.txt', 'b\n')]],
  },
};

/** The project, and the address of its records. */
export function inPostgres(
  url: string,
  more: TestProjectOptions = {},
): TestProject & { readonly url: string } {
  const y = testProject({ ...twoTasks, ...more, env: { YARDMASTER_STORE: url } });
  return Object.assign(y, { url });
}
