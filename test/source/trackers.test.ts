import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Failure } from '../../src/model/failure.ts';
import { limits } from '../../src/model/limits.ts';
import type { Task } from '../../src/model/task.ts';
import { explain } from '../../src/report/explain/explain.ts';
import { openAddress, originOf } from '../../src/source/address.ts';
import { need } from '../rig/need.ts';
import { tempFolder } from '../rig/temp-folder.ts';
import { type StandIn, standInTracker } from './stand-in-tracker.ts';

/** Limits that a test shortens; other files of the same worker see them too, so they come back after each test. */
const { forgeWallMs, forgeOutputBytes } = limits;

let dir = '';
beforeEach(() => {
  dir = tempFolder();
});
afterEach(() => {
  Object.assign(limits, { forgeWallMs, forgeOutputBytes });
});

const sites = {
  github: { program: 'gh', id: 'gh' },
  gitlab: { program: 'glab', id: 'gl' },
} as const;
type Site = keyof typeof sites;

interface Listed {
  readonly tasks: readonly Task[];
  readonly failures: readonly Failure[];
  readonly note: string | undefined;
}

async function list(address: string, env: Readonly<Record<string, string>>): Promise<Listed> {
  const places = { cwd: dir, readStdin: async () => '', env, mappings: {} };
  const source = openAddress(address, places);
  if (!source.ok) return { tasks: [], failures: [source.failure], note: undefined };
  const listed = await source.value.list();
  const note = source.value.note?.();
  return listed.ok
    ? { tasks: listed.value, failures: [], note }
    : { tasks: [], failures: listed.failure, note };
}

/** The sentences and the exit status of the only failure. */
async function refusal(address: string, env: Readonly<Record<string, string>>) {
  const { failures, tasks } = await list(address, env);
  expect(tasks).toEqual([]);
  expect(failures).toHaveLength(1);
  const failure = need(failures[0]);
  const { what, do: remedy, exit } = explain(failure);
  return { what, remedy, exit };
}

const standIn = (site: Site): StandIn => standInTracker(join(dir, 'bin'), sites[site].program);

describe.each(['github', 'gitlab'] as const)('%s', (site) => {
  const { program, id } = sites[site];

  it('passes the query on, and the repository of the checkout is the default', async () => {
    const tracker = standIn(site);
    tracker.hold([
      { number: 1, title: 'One', labels: ['agent', 'good first issue'], milestone: 'v2' },
      { number: 2, title: 'Two', labels: ['agent'] },
    ]);
    const query = '?label=agent&label=good%20first%20issue&milestone=v2&limit=50';
    const found = await list(`${site}:owner/name${query}`, tracker.env);
    expect(found.tasks.map((task) => task.id)).toEqual([`${id}-1`]);
    expect(found.tasks[0]).toMatchObject({
      labels: ['agent', 'good first issue', 'milestone:v2'],
      link: expect.stringMatching(/^https:\/\/.*\/issues\/1$/),
    });
    const [call = []] = tracker.calls();
    expect(call).toContain('--repo=owner/name');
    expect(call).toContain('--label=good first issue');
    expect((await list(`${site}:`, tracker.env)).tasks).toHaveLength(2);
    expect(
      tracker
        .calls()
        .at(-2)
        ?.some((arg) => arg.startsWith('--repo')),
    ).toBe(false);
  });

  it('reads several hundred issues, and refuses more than were asked for', async () => {
    const tracker = standIn(site);
    tracker.hold(Array.from({ length: 230 }, (_, at) => ({ number: at + 1, title: `T ${at}` })));
    expect((await list(`${site}:`, tracker.env)).tasks).toHaveLength(230);
    expect((await list(`${site}:?limit=230`, tracker.env)).tasks).toHaveLength(230);
    expect(await refusal(`${site}:?limit=200`, tracker.env)).toMatchObject({
      what: `${site}:?limit=200: it has more than 200 issues.`,
      exit: 2,
    });
  });

  it('reads what issues wait for, from relations and from texts', async () => {
    const tracker = standIn(site);
    tracker.hold([
      { number: 1, title: 'Closed', state: 'closed' },
      { number: 2, title: 'Open' },
      { number: 3, title: 'By relation', blockedBy: [1, 2] },
      { number: 4, title: 'By text', body: 'Depends on #1, #3\n\nMore.' },
    ]);
    const { tasks, note } = await list(`${site}:`, tracker.env);
    expect(tasks.map(({ after }) => after)).toEqual([[], [`${id}-2`], [`${id}-3`]]);
    expect(note).toBeUndefined();
  });

  it('refuses a dependency on an open issue that the query leaves out', async () => {
    const tracker = standIn(site);
    tracker.hold([
      { number: 1, title: 'Other' },
      { number: 2, title: 'Mine', labels: ['agent'], blockedBy: [1] },
      { number: 3, title: 'Mine too', labels: ['agent'], body: 'Blocked by #77' },
    ]);
    const { failures } = await list(`${site}:?label=agent`, tracker.env);
    expect(failures.map((one) => explain(one).what)).toEqual([
      `${site}:?label=agent: #2 (Mine) waits for #1, which is open but not among the issues that were asked for.`,
      `${site}:?label=agent: #3 (Mine too) waits for #77, which does not exist.`,
    ]);
    expect(failures.map((one) => explain(one).exit)).toEqual([2, 2]);
  });

  it('reads only the texts where the server knows no relations, and says so', async () => {
    const tracker = standIn(site);
    tracker.hold([
      { number: 1, title: 'One' },
      { number: 2, title: 'Two', body: 'Depends on #1', blockedBy: [1] },
    ]);
    const stdout =
      '{"errors":[{"message":"Field \'blockedBy\' doesn\'t exist on type \'Issue\'"}]}';
    tracker.fails({ on: 'api', having: 'blockedBy', exit: 1, stdout });
    const { tasks, note } = await list(`${site}:`, tracker.env);
    expect(tasks.map(({ after }) => after)).toEqual([[], [`${id}-1`]]);
    expect(note).toContain('gives neither parents nor dependencies');
  });

  it('is empty without an issue, and needs no further question then', async () => {
    const tracker = standIn(site);
    expect(await list(`${site}:`, tracker.env)).toEqual({
      tasks: [],
      failures: [],
      note: undefined,
    });
    expect(tracker.calls()).toHaveLength(1);
  });

  it('says that the program is missing, and where to get it', async () => {
    const missing = await refusal(`${site}:`, { PATH: dir });
    expect(missing.what).toContain(`is read with ${program}`.replace('is read', 'are read'));
    expect(missing.remedy).toContain(`\`${program} auth login\``);
    expect(missing.exit).toBe(3);
  });

  it('says that nobody is signed in', async () => {
    const tracker = standIn(site);
    const stderr = `To get started with this program, please run:  ${program} auth login\n`;
    tracker.fails({ on: 'all', exit: program === 'gh' ? 4 : 1, stderr });
    const refused = await refusal(`${site}:`, tracker.env);
    expect(refused.what).toContain(`${program} is not signed in`);
    expect(refused.remedy).toBe(`Type \`${program} auth login\`, then repeat the command.`);
    expect(refused.exit).toBe(3);
  });

  it('says that the repository is not there', async () => {
    const tracker = standIn(site);
    const stderr =
      program === 'gh'
        ? "GraphQL: Could not resolve to a Repository with the name 'o/none'. (repository)\n"
        : 'ERROR 404 Not Found: {message: 404 Project Not Found}\n';
    tracker.fails({ on: 'all', exit: 1, stderr });
    expect(await refusal(`${site}:o/none`, tracker.env)).toMatchObject({
      what: expect.stringContaining('does not have "o/none", or you may not read it.'),
      exit: 2,
    });
  });

  it('says that the checkout has no remote there', async () => {
    const tracker = standIn(site);
    tracker.fails({ on: 'all', exit: 1, stderr: 'no git remotes found\n' });
    expect(await refusal(`${site}:`, tracker.env)).toMatchObject({
      remedy: `Name the repository, such as "${site}:OWNER/REPO".`,
      exit: 2,
    });
  });

  it('passes other refusals on', async () => {
    const tracker = standIn(site);
    tracker.fails({ on: 'all', exit: 1, stderr: 'HTTP 502: Bad Gateway\n' });
    const refused = await refusal(`${site}:`, tracker.env);
    expect(refused).toMatchObject({
      what: `${program} could not list the issues: HTTP 502: Bad Gateway.`,
      exit: 3,
    });
  });

  it.each([
    ['list', 'not JSON'],
    ['list', '{"message":"no list"}'],
    ['list', '[{"title":"without a number"}]'],
    ['list', ''],
    ['api', 'not JSON'],
    ['api', '{"data":{}}'],
  ] as const)('refuses a malformed answer to %s: %j', async (on, stdout) => {
    const tracker = standIn(site);
    tracker.hold([{ number: 1, title: 'One' }]);
    tracker.fails({ on, exit: 0, stdout });
    const refused = await refusal(`${site}:`, tracker.env);
    expect(refused.what).toContain(`${program} gave no list of issues that can be read`);
    expect(refused.exit).toBe(3);
  });

  it('ends a program that does not answer or prints too much', async () => {
    const tracker = standIn(site);
    Object.assign(limits, { forgeWallMs: 300 });
    tracker.fails({ on: 'all', exit: 0, hangs: true });
    expect(await refusal(`${site}:`, tracker.env)).toMatchObject({
      what: `${program} did not answer within 300ms.`,
      exit: 3,
    });
    Object.assign(limits, { forgeWallMs, forgeOutputBytes: 1000 });
    tracker.fails({ on: 'all', exit: 0, stdout: ' '.repeat(5000) });
    expect(await refusal(`${site}:`, tracker.env)).toMatchObject({
      what: `${program} printed more than 1000 bytes.`,
      exit: 3,
    });
  });

  it.each([
    ['?labels=x', '"labels" is not a known filter'],
    ['?limit=0', 'the limit is "0"'],
    ['?limit=many', 'the limit is "many"'],
    ['?state=done', 'the state is "done"'],
    ['name', '"name" is not the name of a repository'],
    ['o/n;rm', '"o/n;rm" is not the name of a repository'],
  ])('refuses %s before the program starts', async (rest, problem) => {
    expect(await refusal(`${site}:${rest}`, { PATH: dir })).toMatchObject({
      what: `${site}:${rest}: ${problem}.`,
      exit: 2,
    });
  });
});

describe('github', () => {
  it('takes sub-issues as tasks of an epic, and blockers of other repositories by their names', async () => {
    const tracker = standIn('github');
    const url = 'https://github.invalid/owner/other/issues/9';
    tracker.hold([
      { number: 1, title: 'Epic', labels: ['agent'] },
      { number: 2, title: 'Part', labels: ['agent'], parent: 1 },
    ]);
    expect((await list('github:?label=agent', tracker.env)).tasks).toMatchObject([
      { id: 'gh-1', type: 'epic' },
      { id: 'gh-2', parent: 'gh-1' },
    ]);
    tracker.hold([
      { number: 2, title: 'Part', labels: ['agent'], blockedBy: [9] },
      { number: 9, title: 'Far away', url },
    ]);
    expect((await refusal('github:?label=agent', tracker.env)).what).toContain('owner/other#9');
  });
});

describe('an address', () => {
  const places = { cwd: '/', readStdin: async () => '', env: {}, mappings: {} };

  it('of a tracker is the name that its tasks remember', () => {
    expect(originOf('github:o/n?label=x', '/', places)).toBe('github:o/n?label=x');
    expect(originOf('-', '/', places)).toBeUndefined();
  });

  it('with an unknown word before the colon is refused, with a suggestion', () => {
    const source = openAddress('gihub:o/n', places);
    expect(source.ok ? '' : explain(source.failure)).toMatchObject({
      what: 'gihub:o/n: "gihub:" is not a known kind of source.',
      do: 'Did you mean "github"? Known: github, gitlab, beads, jira, linear. Describe others under "sources" in the config.',
      exit: 2,
    });
  });

  it('of an export names a CSV or JSON file', () => {
    const source = openAddress('jira:export.xlsx', places);
    expect(source.ok ? '' : explain(source.failure).do).toContain('"jira:export.csv"');
  });
});
