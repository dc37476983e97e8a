import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ghForge } from '../../src/delivery/gh.ts';
import { limits } from '../../src/model/limits.ts';
import type { Forge } from '../../src/port/forge.ts';
import { forgeConformance } from '../conformance/forge.ts';
import { need } from '../conformance/git.ts';
import { tempFolder } from '../rig/temp-folder.ts';
import { StandInGh } from './stand-in-gh.ts';

/** What GitHub takes as the text of a pull request. */
const bodyCharsMax = 65_536;

function stage() {
  const base = tempFolder();
  const dir = join(base, 'repo');
  mkdirSync(dir);
  const gh = new StandInGh(join(base, 'bin'));
  const env = { PATH: gh.folder, GH_TOKEN: 'a-token', GH_FORCE_TTY: '80', GH_DEBUG: 'api' };
  const remove = () => rmSync(base, { recursive: true, force: true, maxRetries: 3 });
  return { base, dir, gh, env, forge: ghForge({ dir, env }), remove };
}

const rollups = {
  passed: [{ __typename: 'CheckRun', status: 'COMPLETED', conclusion: 'SUCCESS' }],
  failed: [
    { __typename: 'CheckRun', status: 'IN_PROGRESS', conclusion: '' },
    { __typename: 'StatusContext', state: 'ERROR' },
  ],
  pending: [
    { __typename: 'CheckRun', status: 'COMPLETED', conclusion: 'SKIPPED' },
    { __typename: 'CheckRun', status: 'QUEUED', conclusion: '' },
  ],
} as const;

forgeConformance('gh', () => {
  const { gh, forge, remove } = stage();
  return {
    forge,
    merge: (branch, commit) => gh.change(branch, { state: 'MERGED', mergeCommit: { oid: commit } }),
    close: (branch) => gh.change(branch, { state: 'CLOSED' }),
    check: (branch, checks) => gh.change(branch, { statusCheckRollup: rollups[checks] }),
    refuse: (cause) => gh.trouble({ exit: 1, stderr: `${cause}\n` }),
    calls: () => gh.calls.length,
    said: (branch) => {
      const pull = gh.pulls.find(({ headRefName }) => headRefName === branch);
      if (pull === undefined) return undefined;
      return { base: pull.baseRefName, title: pull.title, body: pull.body };
    },
    dispose: remove,
  };
});

describe('gh', () => {
  let at: ReturnType<typeof stage>;
  beforeEach(() => {
    at = stage();
  });
  afterEach(() => at.remove());
  const wish = { branch: 'yard/r/a-1', base: 'main', title: 'Title', body: 'Body' };
  const causeOf = async (forge: Forge = at.forge): Promise<string> => {
    const done = await forge.open(wish);
    if (done.ok || done.failure.kind !== 'delivery-failed') throw new Error(JSON.stringify(done));
    expect(done.failure.how).toBe('pr');
    return done.failure.cause;
  };

  it('gets the text on its standard input and nowhere else', async () => {
    await need(at.forge.open({ ...wish, body: 'x'.repeat(bodyCharsMax) }));
    const [list, create, ...more] = at.gh.calls;
    expect(more).toEqual([]);
    expect(list?.args.slice(0, 2)).toEqual(['pr', 'list']);
    expect(create?.args.slice(0, 2)).toEqual(['pr', 'create']);
    expect(create?.args.join(' ').length).toBeLessThan(200);
    expect(create?.input.length).toBe(bodyCharsMax);
  });

  it('is run in the repository, with its sign-in, and never talks to a terminal', async () => {
    await need(at.forge.states(['a']));
    expect(at.gh.calls[0]?.cwd).toBe(at.dir);
    const env = at.gh.calls[0]?.env ?? {};
    expect(env).toMatchObject({ GH_TOKEN: 'a-token', GH_PROMPT_DISABLED: '1', NO_COLOR: '1' });
    expect(Object.keys(env)).not.toContain('GH_FORCE_TTY');
    expect(Object.keys(env)).not.toContain('GH_DEBUG');
  });

  it('asks for more pull requests where there are more branches, up to a bound', async () => {
    const limitOf = async (count: number): Promise<string | undefined> => {
      const branches = Array.from({ length: count }, (_, index) => `b${index}`);
      await need(at.forge.states(branches));
      return at.gh.calls.at(-1)?.args.find((arg) => arg.startsWith('--limit='));
    };
    expect(await limitOf(1)).toBe(`--limit=${limits.pullsListed}`);
    expect(await limitOf(80)).toBe('--limit=160');
    expect(await limitOf(5_000)).toBe(`--limit=${limits.pullsListedMax}`);
    expect(at.gh.calls.length).toBe(3);
  });

  it('is not fooled by the pull request of a fork whose branch has our name', async () => {
    at.gh.add(wish.branch, { isCrossRepository: true, state: 'MERGED', mergeCommit: { oid: 'e' } });
    expect(await need(at.forge.states([wish.branch]))).toEqual([]);
    expect((await need(at.forge.open(wish))).number).toBe(2);
    expect((await need(at.forge.states([wish.branch])))[0]).toMatchObject({ state: 'open' });
  });

  it('returns the one that somebody else opens at the same moment', async () => {
    at.gh.trouble({ exit: 1, verb: 'create', stderr: 'a pull request … already exists:\nurl' });
    const program = join(at.base, 'racing');
    // The list is empty until `create` was refused once.
    const lines = [
      `#!${process.execPath}`,
      `const { spawnSync } = require('node:child_process');`,
      `const { existsSync, writeFileSync } = require('node:fs');`,
      `const seen = ${JSON.stringify(join(at.base, 'seen'))};`,
      `if (process.argv[3] === 'list' && !existsSync(seen)) process.stdout.write('[]');`,
      `else {`,
      `  writeFileSync(seen, '');`,
      `  process.exitCode = spawnSync(${JSON.stringify(join(at.gh.folder, 'gh'))}, process.argv.slice(2), { stdio: 'inherit' }).status;`,
      `}`,
    ];
    writeFileSync(program, lines.join('\n'), { mode: 0o755 });
    at.gh.add(wish.branch);
    const forge = ghForge({ dir: at.dir, env: at.env, program });
    expect((await need(forge.open(wish))).number).toBe(1);
    expect(at.gh.calls.map(({ args }) => args[1])).toEqual(['create', 'list']);
    expect(at.gh.pulls.length).toBe(1);
  });

  it('that is not there is named', async () => {
    const nowhere = ghForge({ dir: at.dir, env: { PATH: at.dir } });
    expect(await causeOf(nowhere)).toBe('gh could not be started: gh is not on PATH');
  });

  it('that cannot be started is named', async () => {
    writeFileSync(join(at.gh.folder, 'gh'), '#!/no/such/program\n');
    expect(await causeOf()).toMatch(/^gh could not be started: .*ENOENT/);
  });

  const said: readonly (readonly [string, number, string, RegExp])[] = [
    [
      'without a sign-in',
      4,
      'To get started with GitHub CLI, please run:  gh auth login\n',
      /^gh is not signed in: To get started/,
    ],
    [
      'with a bad token',
      1,
      'HTTP 401: Bad credentials (https://api)',
      /^gh is not signed in: HTTP/,
    ],
    [
      'without a remote',
      1,
      'no git remotes found\n',
      /^gh found no GitHub repository .*: no git remotes/,
    ],
    [
      'with a remote elsewhere',
      1,
      'none of the git remotes configured for this repository point to a known GitHub host. To tell gh about a new GitHub host, please use `gh auth login`\n',
      /^gh found no GitHub repository for this one: none of/,
    ],
    [
      'whose wish is refused',
      1,
      'pull request create failed: GraphQL: No commits between main and yard/r/a-1\n',
      /^gh refused: pull request create failed: GraphQL: No commits between main and yard\/r\/a-1$/,
    ],
    ['that says nothing', 3, '', /^gh refused: it exited with status 3$/],
  ];
  for (const [when, exit, stderr, cause] of said) {
    it(`${when} fails in its own words`, async () => {
      at.gh.trouble({ exit, stderr });
      expect(await causeOf()).toMatch(cause);
    });
  }

  it('has its words cut to a bounded length', async () => {
    at.gh.trouble({ exit: 1, stderr: 'x'.repeat(limits.tailBytes * 3) });
    expect((await causeOf()).length).toBeLessThan(limits.tailBytes + 100);
  });

  it('that prints something else than a list is not believed', async () => {
    at.gh.trouble({ exit: 0, stdout: '<html>' });
    expect(await causeOf()).toBe('gh printed no list of pull requests: <html>');
    at.gh.trouble({ exit: 0, verb: 'create', stdout: 'ok' });
    expect(await causeOf()).toBe('gh printed no pull request address: ok');
  });
});
