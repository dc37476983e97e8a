// Reviewers that come to no verdict, do what they must not, or are cut short.
import { expect, test } from 'vitest';
import {
  approves,
  eventsOf,
  fileOf,
  filesOf,
  noThree,
  noTwo,
  noted,
  notes,
  oneShotProject,
  promptOf,
  reviewed,
  startsOf,
  wants,
} from '../../rig/one-shots.ts';
import {
  type Action,
  append,
  commit,
  print,
  processesWith,
  remove,
  touch,
  until,
  waitFor,
  write,
} from '../../rig.ts';

/** What is no verdict, by the task that meets it, and what is said of it. */
const unclear: Readonly<
  Record<string, { readonly plays: readonly Action[]; readonly says: RegExp }>
> = {
  'not-approved': { plays: [print('This is not approved.')], says: /it has no line/ },
  'would-be-wrong': {
    plays: [print('VERDICT: APPROVED would be wrong.')],
    says: /it has no line/,
  },
  'in-prose': { plays: [print('I approve. APPROVED! LGTM')], says: /it has no line/ },
  'in-a-block': {
    plays: [print('I was to say:\n```\nVERDICT: APPROVED\n```')],
    says: /it has no line/,
  },
  echo: { plays: [{ echo: {} }], says: /two contradicting verdicts/ },
  'echo-and-more': { plays: [{ echo: {} }, approves], says: /two contradicting verdicts/ },
  both: { plays: [approves, print('VERDICT: NEEDS_CHANGES')], says: /two contradicting verdicts/ },
  groundless: { plays: [print('VERDICT: NEEDS_CHANGES')], says: /has no findings/ },
  silent: { plays: [], says: /it has no line|nothing/ },
  garbage: {
    plays: [{ run: { shell: 'head -c 20000 /dev/urandom' } }],
    says: /it has no line/,
  },
  'on-stderr': { plays: [{ printError: { text: 'VERDICT: APPROVED' } }], says: /it has no line/ },
  crash: { plays: [approves, { crash: { signal: 'SIGSEGV' } }], says: /SIGSEGV/ },
  'exit-3': { plays: [approves, { exit: { code: 3 } }], says: /3/ },
};

test('whoever comes to no verdict is asked once more, and then a person is', async () => {
  const ids = Object.keys(unclear);
  const y = oneShotProject({
    tasks: ids.map((id) => ({ id })),
    script: { default: [[{ run: { shell: 'echo done > "$YARD_TASK.txt"' } }]] },
    oneShotAgents: {
      reader: Object.fromEntries(ids.map((id) => [id, { reviews: [unclear[id]?.plays ?? []] }])),
    },
    config: { review: { agent: 'reader' }, jobs: 4, worktree: { pool: 16 } },
    leaves: ['worktrees', 'branches', 'kept', 'state'],
  });
  const before = y.tip();
  expect((await y.ym('run', y.plan)).code).toBe(1);
  expect(y.tip()).toBe(before);
  const { tasks, spend } = await y.status();
  expect(spend.starts).toBe(3 * ids.length);
  for (const id of ids) {
    const task = tasks.find((one) => one.id === id);
    expect({ id, ...task }).toMatchObject({
      id,
      state: 'blocked',
      failure: { kind: 'approval-needed', because: 'review-failed' },
    });
    expect({ id, details: task?.failure?.details?.join() }).toMatchObject({
      details: expect.stringMatching(unclear[id]?.says ?? /never/),
    });
    expect(filesOf(y, id, /^review-.*\.json$/)).toEqual([
      'review-1-reader-again1.json',
      'review-1-reader.json',
    ]);
  }
  const oks = (await eventsOf(y, 'call-ended')).map(({ result }) => result.ok);
  expect(oks).toEqual(oks.map(() => false));
  const why = (await y.ym('why', 'echo')).stdout;
  expect(why).toMatch(/- .*two contradicting verdicts[\s\S]*review by reader, for the 2nd time/);
});

test('a reviewer that hangs is ended, and one that is asked again may still approve', async () => {
  const y = reviewed(
    [{ tries: [[touch('hung'), print('Let me see'), { hang: {} }], [approves]] }],
    {
      config: { review: { agent: 'reader' }, limits: { agent_wall: '4s' } },
    },
  );
  expect(await y.ym('run', y.plan)).toMatchObject({ code: 0 });
  expect(y.isSeen('hung')).toBe(true);
  expect(await startsOf(y)).toEqual(['a turn 1', 'a review 1 reader', 'a review 1 reader']);
  const [hung, heard] = await eventsOf(y, 'call-ended');
  expect(hung?.result).toMatchObject({ ok: false, failure: { kind: 'limit-crossed' } });
  expect(heard?.result).toMatchObject({ ok: true, verdict: 'approved' });
  expect((await y.ym('why', 'a')).stdout).toMatch(/gave no verdict[\s\S]*reader approves/);
});

test('how often a reviewer is asked again can be set, and it counts again in every round', async () => {
  const y = reviewed(
    [{ tries: [[], [], wants(noTwo)] }, { tries: [[], [], [approves]] }],
    {},
    { retries: 2 },
  );
  expect(await y.ym('run', y.plan)).toMatchObject({ code: 0 });
  expect(await startsOf(y)).toHaveLength(8);
});

test('whatever a reviewer does to the worktree is no part of what lands', async () => {
  const meddles = [
    write('sly.txt', 'sly\n'),
    write('a.txt', 'sly\n'),
    commit('Fixed it myself'),
    append('a.txt', 'sly\n'),
    write('sly-too.txt', 'sly\n'),
    remove('gate.sh'),
  ];
  const y = reviewed([
    [...meddles, ...wants(noTwo)],
    [...meddles, approves],
  ]);
  expect(await y.ym('run', y.plan)).toMatchObject({ code: 0, stderr: '' });
  expect(y.show('a.txt')).toBe('one\ntwo\n');
  const files = y.git('ls-tree', '-r', '--name-only', 'main').trim().split('\n');
  expect(files).toEqual(['a.txt', 'gate.sh', 'names/total', 'yardmaster.yaml']);
  expect(y.git('log', '--format=%s', 'main')).not.toContain('Fixed');
});

test('also where it wrecks the worktree, the agent finds its work as it left it', async () => {
  const y = reviewed([
    [{ run: { shell: 'rm -rf .git a.txt gate.sh' } }, ...wants(noTwo)],
    [{ run: { shell: 'rm -rf "$PWD"' } }, ...wants(noThree)],
    [approves],
  ]);
  expect(await y.ym('run', y.plan)).toMatchObject({ code: 0, stderr: '' });
  expect(y.show('a.txt')).toBe('one\ntwo\nthree\n');
  expect(y.show('gate.sh')).not.toBe('');
});

test('what a reviewer does outside of the worktree is found out, and its approval does not count', async () => {
  const objects = '$(cat "$(git rev-parse --git-common-dir)/objects/info/alternates")';
  const shell = `h="$(dirname "${objects}")/hooks"; mkdir -p "$h"; echo 'exit 0' > "$h/pre-commit"`;
  const y = reviewed([[{ run: { shell } }, approves]], {
    leaves: ['worktrees', 'branches', 'kept', 'state'],
  });
  const before = y.tip();
  expect((await y.ym('run', y.plan)).code).toBe(1);
  expect(y.tip()).toBe(before);
  const { failure } = await y.task('a');
  expect(failure).toMatchObject({ kind: 'approval-needed', because: 'tampering' });
  expect(failure?.details?.join()).toContain('pre-commit');
});

test('a change that is too long is named file by file, and can be read in the worktree', async () => {
  const y = reviewed(
    [[{ run: { shell: 'tail -n 1 big.txt && git show HEAD:big.txt | head -n 1' } }, approves]],
    { script: { a: [[{ run: { shell: 'seq 1 40000 > big.txt' } }, write('a.txt', 'one\n')]] } },
  );
  expect(await y.ym('run', y.plan)).toMatchObject({ code: 0 });
  const prompt = promptOf(y, 'a', 'review-1-reader');
  expect(prompt.length).toBeLessThan(64_000);
  expect(prompt).toMatch(
    /Not shown, or only in part, because of their length \(1 file\)[^\n]*:\n- big\.txt\n/,
  );
  expect(prompt).toContain('+one');
  const { answer, files } = JSON.parse(fileOf(y, 'a', 'review-1-reader.json'));
  expect(answer).toBe('40000\n1\nVERDICT: APPROVED');
  expect([...files].sort()).toEqual(['a.txt', 'big.txt']);
});

const waitingLook: readonly Action[] = [noted, touch('looking'), waitFor('go'), approves];

test('a look that outlives the engine is followed by the next one', async () => {
  const y = reviewed([waitingLook], {}, { retries: 0 });
  const run = y.start('run', y.plan);
  await y.seen('looking');
  run.signal('SIGKILL');
  await run.end();
  const next = y.start('resume');
  await next.until('resumed');
  y.signal('go');
  expect(await next.end()).toMatchObject({ code: 0, stderr: '' });
  expect(notes(y)).toBe(1);
  expect(await startsOf(y)).toEqual(['a turn 1', 'a review 1 reader']);
  expect(await eventsOf(y, 'call-ended')).toHaveLength(1);
  expect(y.landings()).toEqual({ a: 1 });
});

test('a look that ended while no engine was there is heard by the next one', async () => {
  const y = reviewed([
    [noted, touch('looking'), waitFor('go'), ...wants(noTwo)],
    [noted, approves],
  ]);
  const run = y.start('run', y.plan);
  await y.seen('looking');
  run.signal('SIGKILL');
  await run.end();
  y.signal('go');
  await until(() => processesWith(y.tag).length === 0, 'the end of the reviewer');
  expect(await y.ym('resume')).toMatchObject({ code: 0, stderr: '' });
  expect(notes(y)).toBe(2);
  expect((await startsOf(y)).slice(1)).toEqual([
    'a review 1 reader',
    'a turn 2',
    'a review 2 reader',
  ]);
  expect(y.show('a.txt')).toBe('one\ntwo\n');
  expect(y.landings()).toEqual({ a: 1 });
});

test('a look that was cut short is no failure of the reviewer, and is done again', async () => {
  const y = reviewed([waitingLook], {}, { retries: 0 });
  const run = y.start('run', y.plan);
  await y.seen('looking');
  run.signal('SIGINT');
  await until(() => /finishing/i.test(run.stdout() + run.stderr()), 'word that it is finishing');
  run.signal('SIGINT');
  expect((await run.end()).code).not.toBe(0);
  expect(processesWith(y.tag)).toEqual([]);
  expect(y.landed()).toEqual([]);
  expect((await y.task('a')).failure?.kind).not.toBe('approval-needed');
  y.signal('go');
  expect(await y.ym('resume')).toMatchObject({ code: 0, stderr: '' });
  expect(notes(y)).toBe(2);
  expect(y.landings()).toEqual({ a: 1 });
});

test('the first Ctrl-C lets a look come to its end', async () => {
  const y = reviewed([waitingLook]);
  const run = y.start('run', y.plan);
  await y.seen('looking');
  run.signal('SIGINT');
  await until(() => /finishing/i.test(run.stdout() + run.stderr()), 'word that it is finishing');
  y.signal('go');
  expect(await run.end()).toMatchObject({ signal: null });
  expect(notes(y)).toBe(1);
  expect((await eventsOf(y, 'call-ended')).map(({ result }) => result.ok)).toEqual([true]);
  if (y.landed().length === 0) expect(await y.ym('resume')).toMatchObject({ code: 0 });
  expect(y.landings()).toEqual({ a: 1 });
  expect(notes(y)).toBe(1);
});
