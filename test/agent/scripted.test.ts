import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { scriptedAgent } from '../../src/agent/command.ts';
import type { ProcessEnd } from '../../src/port/processes.ts';
import { supervisor } from '../../src/process/supervisor.ts';
import { parseImproved } from '../../src/review/critique.ts';
import { parseReview } from '../../src/review/verdict.ts';
import { agentConformance, type Deed } from '../conformance/agent.ts';
import { build, untilFile } from '../process/scratch.ts';
import { tempFolder } from '../rig/temp-folder.ts';

let programs: string;
let program: string;
beforeAll(async () => {
  programs = tempFolder();
  program = await build('src/agent/scripted/main.ts', programs);
});

const deeds: Record<Deed, object[]> = {
  edits: [{ write: { path: 'work.txt', text: 'done\n' } }],
  fails: [{ printError: { text: 'no luck' } }, { exit: { code: 3 } }],
  crashes: [{ crash: { signal: 'SIGKILL' } }],
  hangs: [{ hang: {} }],
  'hangs-midway': [{ print: { text: 'working' } }, { hang: {} }],
  lingers: [{ hang: {} }],
  prints: [{ print: { text: 'all good' } }],
  told: [{ env: { to: 'told.json' } }],
};

agentConformance('the scripted agent', {
  agent(deed, place) {
    const script = join(place, 'script.json');
    writeFileSync(
      script,
      JSON.stringify({ default: { turns: [deeds[deed]], reviews: [deeds[deed]] } }),
    );
    return scriptedAgent({ name: 'scripted', program, script });
  },
  missing: (place) =>
    scriptedAgent({ name: 'scripted', program, script: join(place, 'no-script.json') }),
  cannot: { lingers: 'plain text has no last word' },
});

const identity = {
  GIT_AUTHOR_NAME: 'A',
  GIT_AUTHOR_EMAIL: 'a@example.com',
  GIT_COMMITTER_NAME: 'A',
  GIT_COMMITTER_EMAIL: 'a@example.com',
};

describe('the scripted agent', () => {
  let place: string;
  let repo: string;
  let script: string;
  beforeEach(() => {
    place = tempFolder();
    repo = join(place, 'repo');
    script = join(place, 'script.json');
    git('init', '--quiet', '--initial-branch=main', repo);
    git('-C', repo, 'commit', '--quiet', '--allow-empty', '--message=Start');
  });

  const git = (...args: string[]): string =>
    execFileSync('git', args, { encoding: 'utf8', env: { ...process.env, ...identity } }).trim();
  const inRepo = (...args: string[]): string => git('-C', repo, ...args);
  const file = (path: string): string => readFileSync(join(repo, path), 'utf8');
  const put = (path: string, text: string): void => {
    mkdirSync(dirname(join(repo, path)), { recursive: true });
    writeFileSync(join(repo, path), text);
  };

  interface Played {
    readonly code: number | null;
    readonly signal: string | null;
    readonly out: string;
    readonly err: string;
  }

  async function start(
    env: Record<string, string> = {},
    args = ['--script', script],
  ): Promise<Played> {
    const child = spawn(process.execPath, [program, ...args], {
      cwd: repo,
      env: { ...process.env, ...identity, YARD_TASK: 'T-1', ...env },
    });
    child.stdin.end('the prompt');
    let out = '';
    let err = '';
    child.stdout.on('data', (data: Buffer) => {
      out += data.toString();
    });
    child.stderr.on('data', (data: Buffer) => {
      err += data.toString();
    });
    await once(child, 'close');
    return { code: child.exitCode, signal: child.signalCode, out, err };
  }

  const playScript = (whole: unknown, env: Record<string, string> = {}): Promise<Played> => {
    writeFileSync(script, typeof whole === 'string' ? whole : JSON.stringify(whole));
    return start(env);
  };
  const play = (...actions: object[]): Promise<Played> =>
    playScript({ tasks: { 'T-1': { turns: [actions] } } });

  it('edits files: writes, appends, replaces and deletes', async () => {
    put('old.txt', 'old');
    put('text.txt', 'one two two');
    const { code } = await play(
      { write: { path: 'deep/new.txt', text: 'a\n' } },
      { append: { path: 'deep/new.txt', text: 'b\n' } },
      { replace: { path: 'text.txt', from: 'two', to: '$& $1' } },
      { delete: { path: 'old.txt' } },
    );
    expect(code).toBe(0);
    expect(file('deep/new.txt')).toBe('a\nb\n');
    expect(file('text.txt')).toBe('one $& $1 two');
    expect(existsSync(join(repo, 'old.txt'))).toBe(false);
  });

  it('fails with a sentence when there is nothing to replace', async () => {
    put('text.txt', 'one');
    const played = await play({ replace: { path: 'text.txt', from: 'two', to: '' } });
    expect(played.code).toBe(1);
    expect(played.err).toBe('replace: text.txt does not contain "two".\n');
  });

  it('commits, or leaves its work uncommitted', async () => {
    await play(
      { write: { path: 'a.txt', text: 'a' } },
      { commit: { message: 'Add a' } },
      { write: { path: 'b.txt', text: 'b' } },
    );
    expect(inRepo('log', '--format=%s', '-1')).toBe('Add a');
    expect(inRepo('status', '--porcelain')).toBe('?? b.txt');
  });

  it('runs commands, and fails with theirs unless told to ignore that', async () => {
    const fine = await play(
      { run: { argv: ['sh', '-c', 'echo "$0"; exit 9', '$HOME'], ignore: true } },
      { run: { shell: 'echo here >ran.txt' } },
    );
    expect([fine.code, fine.out, file('ran.txt')]).toEqual([0, '$HOME\n', 'here\n']);
    const failed = await play({ run: { shell: 'exit 9' } }, { print: { text: 'not reached' } });
    expect([failed.code, failed.out]).toEqual([9, '']);
    const missing = await play({ run: { argv: ['no-such-command'] } });
    expect(missing.code).toBe(127);
  });

  it('prints on both streams, protocol lines and usage included', async () => {
    const played = await play(
      { print: { text: 'out' } },
      { printError: { text: 'err' } },
      { usage: { input: 3, output: 4, costUsd: 0.1 } },
      { signal: { line: 'COMPLETE_AND_READY_FOR_MERGE' } },
    );
    expect(played.out).toBe(
      'out\n{"type":"usage","input":3,"output":4,"costUsd":0.1}\nCOMPLETE_AND_READY_FOR_MERGE\n',
    );
    expect(played.err).toBe('err\n');
  });

  it('floods exactly as much as it is told, also through a pipe', async () => {
    const played = await play({ flood: { bytes: 1_000_001, line: 'noise' } });
    expect(played.out.length).toBe(1_000_001);
    expect(played.out.startsWith('noise\nnoise\n')).toBe(true);
    expect((await play({ flood: { bytes: 10, to: 'err' } })).err.length).toBe(10);
  });

  it('crashes and exits as it is told', async () => {
    expect((await play({ crash: { signal: 'SIGSEGV' } })).signal).toBe('SIGSEGV');
    expect((await play({ exit: { code: 42 } }, { print: { text: 'no' } })).code).toBe(42);
  });

  it('sleeps at least as long as it is told', async () => {
    const before = performance.now();
    await play({ sleep: { ms: 150 } });
    expect(performance.now() - before).toBeGreaterThanOrEqual(150);
  });

  it('breaks a file on purpose', async () => {
    put('gate.json', '{}');
    await play({ break: { path: 'gate.json' } });
    expect(() => JSON.parse(file('gate.json')) as unknown).toThrow();
  });

  it('meets others at files outside of the worktree', async () => {
    const running = play(
      { touch: { file: 'arrived' } },
      { waitFor: { file: 'go', ms: 20_000 } },
      { print: { text: 'went' } },
    );
    await untilFile(join(place, 'arrived'));
    writeFileSync(join(place, 'go'), '');
    expect((await running).out).toBe('went\n');
    const late = await play({ waitFor: { file: 'never', ms: 50 } });
    expect(late.code).toBe(1);
    expect(late.err).toMatch(/did not appear within 50 ms/);
  });

  it('is ended by nothing but the last signal once it ignores the polite one', async () => {
    writeFileSync(
      script,
      JSON.stringify({
        default: { turns: [[{ ignoreTerm: {} }, { print: { text: 'up' } }, { hang: {} }]] },
      }),
    );
    const end = await supervised();
    expect(end.how).toMatchObject({ id: 'limit', limit: 'wall' });
    expect(readFileSync(join(place, 'turn', 'agent.out'), 'utf8')).toBe('up\n');
    expect(existsSync(join(place, 'turn', 'agent.status'))).toBe(false);
  });

  it.each([{}, { detach: true }, { detach: true, ignoreTerm: true }])(
    'forks a grandchild that outlives it, %j',
    async (how) => {
      writeFileSync(
        script,
        JSON.stringify({
          default: { turns: [[{ fork: { seconds: 60, ...how } }, { exit: { code: 6 } }]] },
        }),
      );
      const end = await supervised();
      expect(end.how).toEqual({ id: 'exited', code: 6 });
      expect(end.stragglers).toBeGreaterThanOrEqual(1);
    },
  );

  function supervised(): Promise<ProcessEnd> {
    return supervisor({ killGraceMs: 300, followMs: 50 }).run({
      dir: join(place, 'turn'),
      name: 'agent',
      argv: [process.execPath, program, '--script', script],
      cwd: repo,
      env: { PATH: process.env.PATH ?? '', YARD_TASK: 'T-1' },
      limits: { wallMs: 1_500, outputBytes: 1_000_000 },
    });
  }

  describe('merging the target', () => {
    beforeEach(() => {
      put('list.txt', 'start\n');
      inRepo('add', '-A');
      inRepo('commit', '--quiet', '--message=List');
      inRepo('switch', '--quiet', '--create', 'mine');
      put('list.txt', 'start\nmine\n');
      inRepo('commit', '--quiet', '--all', '--message=Mine');
      inRepo('switch', '--quiet', 'main');
      put('list.txt', 'start\ntheirs\n');
      inRepo('commit', '--quiet', '--all', '--message=Theirs');
      inRepo('switch', '--quiet', 'mine');
    });

    it.each([
      ['ours', 'start\nmine\n'],
      ['theirs', 'start\ntheirs\n'],
      ['union', 'start\nmine\ntheirs\n'],
    ])('resolves conflicts by %s', async (resolve, text) => {
      const { code, err } = await play({ mergeTarget: { branch: 'main', resolve } });
      expect([code, err]).toEqual([0, '']);
      expect(file('list.txt')).toBe(text);
      expect(inRepo('rev-list', '--count', 'HEAD..main')).toBe('0');
      expect(inRepo('status', '--porcelain')).toBe('');
    });

    it('fails on a conflict without a way to resolve it', async () => {
      expect((await play({ mergeTarget: { branch: 'main' } })).code).toBe(1);
      expect((await play({ mergeTarget: { branch: 'main', resolve: 'magic' } })).code).toBe(2);
    });
  });

  it('plays the list of its turn and attempt; the last ones repeat', async () => {
    const say = (text: string): object[] => [{ print: { text } }];
    const whole = {
      tasks: {
        'T-1': { turns: [say('first'), say('second')] },
        'T-2': { attempts: [{ turns: [say('a1')] }, { turns: [say('a2t1'), say('a2t2')] }] },
      },
      default: { turns: [say('anybody')] },
    };
    const said = async (task: string, attempt: number, turn: number): Promise<string> => {
      const env = { YARD_TASK: task, YARD_ATTEMPT: String(attempt), YARD_TURN: String(turn) };
      return (await playScript(whole, env)).out.trim();
    };
    expect(await said('T-1', 1, 1)).toBe('first');
    expect(await said('T-1', 3, 2)).toBe('second');
    expect(await said('T-1', 1, 9)).toBe('second');
    expect(await said('T-2', 1, 2)).toBe('a1');
    expect(await said('T-2', 7, 2)).toBe('a2t2');
    expect(await said('T-9', 1, 1)).toBe('anybody');
  });

  describe('as a reviewer', () => {
    const say = (text: string): object[] => [{ print: { text } }];
    const whole = {
      default: {
        turns: [say('work')],
        reviews: [say('first look'), { tries: [say('second look'), say('asked again')] }],
        critiques: [say('critique')],
        improvements: [say('improvement')],
      },
    };
    const said = async (env: Record<string, string>): Promise<string> =>
      (await playScript(whole, { YARD_PURPOSE: 'review', ...env })).out.trim();

    it('plays the list of its round, and of how often it was asked in it; the last ones repeat', async () => {
      expect(await said({})).toBe('first look');
      expect(await said({ YARD_ROUND: '1', YARD_AGAIN: '9' })).toBe('first look');
      expect(await said({ YARD_ROUND: '2' })).toBe('second look');
      expect(await said({ YARD_ROUND: '2', YARD_AGAIN: '2' })).toBe('asked again');
      expect(await said({ YARD_ROUND: '7', YARD_AGAIN: '7' })).toBe('asked again');
    });

    it('looks at tasks, and puts them in better words', async () => {
      expect(await said({ YARD_STEP: 'critique' })).toBe('critique');
      expect(await said({ YARD_STEP: 'improve', YARD_ROUND: '3' })).toBe('improvement');
      expect(await said({ YARD_PURPOSE: '' })).toBe('work');
    });

    it('has lists of its own for each attempt', async () => {
      const attempts = [{ reviews: [say('one')] }, { reviews: [say('two')] }];
      const env = { YARD_PURPOSE: 'review', YARD_ATTEMPT: '2' };
      expect((await playScript({ default: { attempts } }, env)).out).toBe('two\n');
    });

    it('repeats its prompt where it is told to', async () => {
      const echo = { default: { reviews: [[{ echo: {} }]] } };
      expect((await playScript(echo, { YARD_PURPOSE: 'review' })).out).toBe('the prompt');
    });

    it.each([
      [{ turns: [[]] }, /reviews must be a list/],
      [{ reviews: [] }, /reviews must not be empty/],
      [{ reviews: ['x'] }, /round 1 of reviews must be an object/],
      [{ reviews: [{ tries: [] }] }, /tries must not be empty/],
      [{ reviews: [{ trys: [[]] }] }, /unknown key "trys"/],
      [{ reviews: [[{ jump: {} }]] }, /unknown verb "jump"/],
    ])('refuses the entry %j in one sentence', async (entry, message) => {
      const played = await playScript({ default: entry }, { YARD_PURPOSE: 'review' });
      expect(played.code).toBe(2);
      expect(played.err).toMatch(message);
      expect(played.err.trim().split('\n')).toHaveLength(1);
    });

    it('can be played from the example on its page', async () => {
      const page = readFileSync(new URL('../../docs/scripted-agent.md', import.meta.url), 'utf8');
      const [, example = ''] = [...page.matchAll(/```json\n([\s\S]*?)```\n\n/g)].map(
        ([, text]) => text,
      );
      const answer = async (env: Record<string, string>): Promise<string> =>
        (await playScript(example, { YARD_PURPOSE: 'review', ...env })).out;
      expect(parseReview(await answer({}))).toMatchObject({ verdict: 'needs-changes' });
      const second = { YARD_ROUND: '2', YARD_AGAIN: '2' };
      expect(parseReview(await answer(second))).toMatchObject({ verdict: 'approved' });
      expect(parseReview(await answer({ YARD_STEP: 'critique' }))).toMatchObject({ ok: true });
      expect(parseImproved(await answer({ YARD_STEP: 'improve' }))).toMatchObject({ ok: true });
    });
  });

  it('takes the file of its task from a folder of scripts, or the default', async () => {
    const folder = join(place, 'scripts');
    mkdirSync(folder);
    const say = (text: string): string => JSON.stringify({ turns: [[{ print: { text } }]] });
    writeFileSync(join(folder, 'T-1.json'), say('own'));
    const played = async (task: string): Promise<Played> =>
      start({ YARD_TASK: task, YARD_SCRIPT: folder }, []);
    expect((await played('T-1')).out).toBe('own\n');
    expect((await played('T-2')).err).toMatch(/neither T-2.json nor default.json/);
    writeFileSync(join(folder, 'default.json'), say('default'));
    expect((await played('T-2')).out).toBe('default\n');
  });

  it.each([
    ['{"tasks":', /is not JSON/],
    ['[]', /must be an object/],
    [{ tasks: {} }, /no entry for task T-1 and no default/],
    [{ task: {} }, /unknown key "task"/],
    [{ default: { turns: [] } }, /turns must not be empty/],
    [{ default: {} }, /turns must be a list/],
    [
      { default: { turns: [[{ jump: {} }]] } },
      /action 1 has the unknown verb "jump"; known verbs are write/,
    ],
    [{ default: { turns: [[{ print: { text: 'a' }, exit: { code: 1 } }]] } }, /exactly one verb/],
    [{ default: { turns: [[{ write: { path: 'a' } }]] } }, /\(write\) needs "text" to be a string/],
    [{ default: { turns: [[{ hang: { ms: 1 } }]] } }, /\(hang\) has the unknown key "ms"/],
    [{ default: { turns: [[{ run: { argv: 'ls' } }]] } }, /"argv" to be a list of strings/],
    [{ default: { turns: [[{ run: {} }]] } }, /must be a string/],
  ])('refuses the script %j in one sentence', async (whole, message) => {
    const played = await playScript(whole);
    expect(played.code).toBe(2);
    expect(played.err).toMatch(message);
    expect(played.err.trim().split('\n')).toHaveLength(1);
  });

  it('does nothing of a script whose later action is wrong', async () => {
    await play({ write: { path: 'a.txt', text: 'a' } }, { jump: {} });
    expect(existsSync(join(repo, 'a.txt'))).toBe(false);
  });

  it('says what it lacks: a script, a task, the right arguments', async () => {
    expect((await start({}, [])).err).toMatch(/No script/);
    expect((await start({}, ['--scrip', 'x'])).err).toMatch(/Usage/);
    expect((await start({ YARD_TASK: '' })).err).toMatch(/YARD_TASK is not set/);
    expect((await start()).err).toMatch(/does not exist/);
  });

  it('has every action on its page', () => {
    const page = readFileSync(new URL('../../docs/scripted-agent.md', import.meta.url), 'utf8');
    const source = readFileSync(
      new URL('../../src/agent/scripted/script.ts', import.meta.url),
      'utf8',
    );
    const grammar = source.slice(
      source.indexOf('const grammar'),
      source.indexOf('as const satisfies'),
    );
    const verbs = [...grammar.matchAll(/^ {2}(\w+): \{/gm)].map(([, verb]) => verb);
    expect(verbs.length).toBeGreaterThan(20);
    for (const verb of verbs) expect(page).toContain(`| \`${verb}\` |`);
  });

  it('can be played from the example on its page', async () => {
    const page = readFileSync(new URL('../../docs/scripted-agent.md', import.meta.url), 'utf8');
    const example = /```json\n([\s\S]*?)```/.exec(page)?.[1] ?? '';
    const tasks = Object.keys((JSON.parse(example) as { tasks: object }).tasks);
    expect(tasks.length).toBeGreaterThan(1);
    for (const task of tasks) {
      const { code, err } = await playScript(example, { YARD_TASK: task, YARD_ATTEMPT: '2' });
      expect([code, err]).toEqual([0, '']);
    }
  });
});
