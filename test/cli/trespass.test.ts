// Agents that reach beyond their own worktree to get their work through: nothing of it lands, and it is said what they
// did.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { flat, replace, shell, shop, wrongBy } from '../rig/project.ts';
import {
  type Action,
  commit,
  type Status,
  touch,
  until,
  waitFor,
  write,
  type Yard,
} from '../rig.ts';

const bug = replace('src/total.js', 'sum + price', 'sum');
const honest: readonly Action[] = [write('honest.txt', 'honest\n')];
const waiting = ['branches', 'kept', 'worktrees', 'state'] as const;

/** What `ym why`, the run and the status say, together and on one line. */
async function said(y: Yard, id: string): Promise<string> {
  const why = await y.ym('why', id);
  const status = await y.ym('status', '--json', '--all');
  return flat(why.stdout + status.stdout);
}

/** A program of the agents that writes into the store of the project. */
function forger(y: Yard): void {
  const sqlite = createRequire(import.meta.url).resolve('@photostructure/sqlite');
  const program = `const { DatabaseSync } = require(${JSON.stringify(sqlite)});
const { execSync } = require('node:child_process');
const db = new DatabaseSync(process.env.YARD_PROJECT + '/.yardmaster/yard.db');
db.exec('PRAGMA busy_timeout=5000');
const [what] = process.argv.slice(2);
const passed = JSON.stringify({ id: 'passed', ms: 1 });
if (what === 'verdict') {
  const tree = execSync('git rev-parse HEAD^{tree}', { encoding: 'utf8' }).trim();
  const gates = db.prepare('SELECT DISTINCT gate FROM verdict').all();
  if (gates.length === 0) throw new Error('nothing was judged yet');
  for (const { gate } of gates) {
    db.prepare('INSERT OR REPLACE INTO verdict (tree, gate, body) VALUES (?, ?, ?)').run(tree, gate, passed);
  }
} else {
  const row = db.prepare("SELECT run, body FROM event WHERE type = 'gate-started' ORDER BY seq DESC").get();
  const known = db.prepare('SELECT DISTINCT gate FROM verdict').get();
  const { candidate, count, tree, run } = JSON.parse(row.body);
  const body = { type: 'candidate-judged', run, candidate, count, tree, gate: known.gate, verdict: JSON.parse(passed), cached: true };
  const { seq } = db.prepare('SELECT max(seq) AS seq FROM event').get();
  db.prepare('INSERT INTO event (seq, at, version, run, type, body) VALUES (?, ?, 1, ?, ?, ?)')
    .run(seq + 1, Date.now(), row.run, 'candidate-judged', JSON.stringify(body));
}
db.close();
`;
  writeFileSync(join(y.stage, 'forge.cjs'), program);
}

const forge = (what: string): Action =>
  shell(`'${process.execPath}' "$YARD_PROJECT/../stage/forge.cjs" ${what}`);

test('a green verdict that was written into the store counts for nothing', async () => {
  const y = shop({
    tasks: [{ id: 'first' }, { id: 'a', after: ['first'] }],
    script: { first: [honest], a: [[bug, commit('Quick'), forge('verdict')]] },
    leaves: waiting,
  });
  forger(y);
  expect(await y.ym('run', y.plan)).toMatchObject({ code: 1, stderr: '' });
  expect(y.landings()).toEqual({ first: 1 });
  expect(wrongBy(y)).toEqual([]);
  expect(await said(y, 'a')).toMatch(/verdict.*that no gate gave/);
});

test('a green verdict that was written into the log counts for nothing', async () => {
  const y = shop({
    config: { gate: { commands: ['sh scripts/wait.sh && npm test'] } },
    files: {
      'scripts/wait.sh':
        'test ! -e wait || { touch "$STAGE/judging"; while test ! -e "$STAGE/go"; do sleep 0.02; done; }\n',
    },
    tasks: [{ id: 'first' }, { id: 'a', after: ['first'] }, { id: 'b', after: ['first'] }],
    script: {
      first: [honest],
      a: [[bug, write('wait', '')]],
      b: [[waitFor('judging'), forge('event'), touch('forged'), waitFor('go'), ...honest]],
    },
    leaves: waiting,
  });
  forger(y);
  const run = y.startWith({ env: { STAGE: y.stage } }, 'run', y.plan);
  await y.seen('forged');
  // The next thing that the engine stores shows it what others have stored.
  await y.ym('add', 'Something else', '--id', 'other');
  await until(
    async () =>
      (await y.events()).some((event) => event.type === 'task-added' && event.task.id === 'other'),
    'the other task',
  );
  y.signal('go');
  expect(await run.end()).toMatchObject({ code: 1 });
  expect(y.landings().a).toBe(undefined);
  expect(wrongBy(y)).toEqual([]);
  expect(await said(y, 'b')).toMatch(/verdict.*that no gate gave/);
});

test('files in the checkout of the person are theirs: what was done to them does not land, and is told', async () => {
  const y = shop({
    tasks: [{ id: 'a' }],
    script: {
      a: [
        [
          ...honest,
          shell('echo evil >> "$YARD_PROJECT/src/total.js"; echo x > "$YARD_PROJECT/new.txt"'),
        ],
      ],
    },
  });
  const run = await y.ym('run', y.plan);
  expect(run).toMatchObject({ code: 0 });
  expect(y.show('src/total.js')).not.toContain('evil');
  expect(y.git('ls-tree', '--name-only', 'main')).not.toContain('new.txt');
  expect(run.stdout).toMatch(/trespass +a /);
  expect(await said(y, 'a')).toMatch(/checkout .* changed: new\.txt, src\/total\.js/);
});

const takes: Readonly<Record<string, readonly Action[]>> = {
  'by moving the ref': [shell('git update-ref refs/heads/main HEAD')],
  'by a push': [
    shell('git config receive.denyCurrentBranch ignore && git push -q -f . HEAD:main'),
    shell('git config --unset receive.denyCurrentBranch'),
  ],
  'by a merge in the checkout': [
    shell('git -C "$YARD_PROJECT" merge -q --ff-only "$(git rev-parse HEAD)"'),
  ],
  'and leaves no trace of its own': [
    shell('git update-ref refs/heads/main HEAD && git reset -q --hard HEAD~1'),
  ],
};

test.each(Object.entries(takes))(
  'an agent that takes the target %s is named, and nothing lands on top of that',
  async (_how, actions) => {
    const y = shop({
      tasks: [{ id: 'a' }, { id: 'b' }],
      script: {
        a: [[waitFor('b'), bug, commit('Quick'), ...actions, touch('taken')]],
        b: [[touch('b'), waitFor('taken'), ...honest]],
      },
      leaves: waiting,
    });
    const before = y.tip();
    const run = await y.ym('run', y.plan);
    // As where the target itself is red: a person has to look before anything goes on.
    expect(run.code).toBe(3);
    const taken = y.tip();
    expect(y.landings()).toEqual({});
    expect(y.git('rev-list', `${before}..main`).split('\n').filter(Boolean)).toHaveLength(
      taken === before ? 0 : 1,
    );
    const words = flat(run.stdout) + (await said(y, 'a'));
    expect(words).toMatch(/The agent of a moved the target by itself/);
    expect(words).toContain(before.slice(0, 7));
    // The person puts it right, and what is honest lands.
    y.git('reset', '-q', '--hard', before);
    await y.ym('resume');
    expect(y.landings()).toEqual({ b: 1 });
    expect(y.show('src/total.js')).toContain('sum + price');
  },
);

test('a target that was moved back stops the run before anything lands on it', async () => {
  const y = shop({
    tasks: [{ id: 'first' }, { id: 'a', after: ['first'] }, { id: 'b', after: ['first'] }],
    script: {
      first: [honest],
      a: [
        [
          write('a.txt', ''),
          commit('Work'),
          shell('git rev-parse main > "$YARD_PROJECT/../stage/landed"'),
          shell('git update-ref refs/heads/main main^1'),
          touch('back'),
        ],
      ],
      b: [[waitFor('back'), write('b.txt', '')]],
    },
  });
  const run = await y.ym('run', y.plan);
  expect(run.code).toBe(3);
  expect(flat(run.stdout)).toContain('The target was moved back');
  expect(y.landings()).toEqual({});
  // The ledger misses what has landed, until the person puts it right.
  const landed = readFileSync(join(y.stage, 'landed'), 'utf8').trim();
  expect((await y.ym('ledger')).stdout).toContain(landed.slice(0, 7));
  y.git('reset', '-q', '--hard', landed);
  expect(await y.ym('resume')).toMatchObject({ code: 0 });
  expect(y.landings()).toEqual({ first: 1, a: 1, b: 1 });
});

test('an agent that works alone, takes the target and hides its own work is named', async () => {
  const y = shop({
    tasks: [{ id: 'a' }],
    script: {
      a: [
        [
          bug,
          commit('Quick'),
          shell('git update-ref refs/heads/main HEAD && git reset -q --hard HEAD~1'),
        ],
      ],
    },
    leaves: waiting,
  });
  const before = y.tip();
  const run = await y.ym('run', y.plan);
  expect(run.code).not.toBe(0);
  expect(flat(run.stdout) + (await said(y, 'a'))).toMatch(
    new RegExp(`(?:target|refs/heads/main)[^.]* moved[^.]* from ${before.slice(0, 7)}`),
  );
});

const hook = (name: string): Action =>
  shell(
    `f="$(git rev-parse --git-common-dir)/hooks/${name}"; mkdir -p "$(dirname "$f")"; ` +
      `printf '#!/bin/sh\\ntouch "%s/ran-${name}"\\nexit 1\\n' "$YARD_PROJECT/../stage" > "$f"; chmod +x "$f"`,
  );

test('a git hook that was planted never runs, is named, and its work waits for a person', async () => {
  const y = shop({
    tasks: [{ id: 'a' }],
    script: {
      a: [[...honest, hook('pre-commit'), hook('reference-transaction'), hook('post-checkout')]],
    },
    leaves: waiting,
  });
  const before = y.tip();
  expect(await y.ym('run', y.plan)).toMatchObject({ code: 1, stderr: '' });
  expect(y.tip()).toBe(before);
  const words = await said(y, 'a');
  for (const name of ['pre-commit', 'reference-transaction', 'post-checkout']) {
    expect(words).toContain(`The git hook ${name} was planted`);
  }
  expect(await y.ym('approve', 'a')).toMatchObject({ code: 0 });
  expect(await y.ym('resume')).toMatchObject({ code: 0 });
  expect(y.landings()).toEqual({ a: 1 });
  for (const name of ['pre-commit', 'reference-transaction', 'post-checkout']) {
    expect({ name, ran: y.isSeen(`ran-${name}`) }).toEqual({ name, ran: false });
  }
});

test.each<[string, string, string]>([
  ['leads hooks elsewhere', 'git config core.hooksPath "$PWD/hooks"', 'config'],
  ['names a merge driver', 'git config merge.mine.driver "cp %B %A"', 'config'],
  [
    'sets attributes',
    'echo "* merge=ours" > "$(git rev-parse --git-common-dir)/info/attributes"',
    'info/attributes',
  ],
])(
  'an agent that %s in the settings of the repository waits for a person',
  async (_what, line, file) => {
    const y = shop({
      tasks: [{ id: 'a' }],
      script: { a: [[...honest, shell(line)]] },
      leaves: waiting,
    });
    const before = y.tip();
    expect(await y.ym('run', y.plan)).toMatchObject({ code: 1, stderr: '' });
    expect(y.tip()).toBe(before);
    expect(await said(y, 'a')).toContain(`The repository's own settings were changed: ${file}`);
  },
);

/** Waits until b waits for a person, and tells the agent of a. */
async function waits(y: Yard): Promise<void> {
  await y.seen('a-works');
  const isWaiting = ({ tasks }: Status): boolean =>
    tasks.some(({ id, state }) => id === 'b' && state === 'blocked');
  await y.untilStatus(isWaiting, 'b waits');
  y.signal('b-waits');
}

/** Finds the worktree of another attempt, as an agent can. */
const worktreeOf = (id: string): string =>
  `$(git worktree list --porcelain | grep -B2 "/${id}-1$" | sed -n 's/^worktree //p')`;

test('what was put into the worktree of another attempt does not land with its work', async () => {
  const y = shop({
    tasks: [{ id: 'b' }, { id: 'a' }],
    script: {
      b: [
        [write('.github/workflows/b.yml', 'on: push\n')],
        [
          shell('git rm -q -rf .github/workflows/b.yml; rm -f .github/workflows/b.yml'),
          write('b.txt', 'b\n'),
        ],
      ],
      a: [
        [
          touch('a-works'),
          waitFor('b-waits'),
          shell(`echo evil > "${worktreeOf('b')}/src/evil.js"`),
          touch('done'),
          ...honest,
        ],
      ],
    },
    config: { retries: 1 },
    leaves: waiting,
  });
  const run = y.start('run', y.plan);
  await waits(y);
  await y.seen('done');
  await y.ym('reject', 'b', 'Leave CI alone');
  const ended = await run.end();
  expect(y.git('ls-tree', '-r', '--name-only', 'main')).not.toContain('evil.js');
  expect(y.landings()).toMatchObject({ a: 1 });
  expect(flat(ended.stdout) + (await said(y, 'b')) + (await said(y, 'a'))).toMatch(
    /worktree of b was changed/,
  );
});

test('work whose branch another agent deletes is not lost, and the deed is told', async () => {
  const y = shop({
    tasks: [{ id: 'b' }, { id: 'a' }],
    script: {
      b: [[write('.github/workflows/b.yml', 'on: push\n'), commit('b')]],
      a: [
        [
          touch('a-works'),
          waitFor('b-waits'),
          shell(
            'git update-ref -d "$(git for-each-ref --format="%(refname)" "refs/heads/yard/*/b-1")"',
          ),
          ...honest,
        ],
      ],
    },
    leaves: waiting,
  });
  const run = y.start('run', y.plan);
  await waits(y);
  const ended = await run.end();
  expect(ended.code).toBe(1);
  expect(flat(ended.stdout) + (await said(y, 'a'))).toMatch(
    /refs\/heads\/yard\/\S+\/b-1 was deleted/,
  );
  await y.ym('approve', 'b');
  expect(await y.ym('resume')).toMatchObject({ code: 0 });
  expect(y.landings()).toEqual({ a: 1, b: 1 });
  expect(y.show('.github/workflows/b.yml')).toBe('on: push\n');
});

test('whoever signs for another task does not make that one done', async () => {
  const y = shop({
    tasks: [
      { id: 'a', priority: 0 },
      { id: 'b', after: ['a'] },
    ],
    config: { train: { style: 'rebase' } },
    script: {
      a: [[...honest, commit('Work\n\nYard-Task: b\nYard-Attempt: 1')]],
      b: [[write('b.txt', 'b\n')]],
    },
  });
  expect(await y.ym('run', y.plan)).toMatchObject({ code: 0 });
  expect(y.show('b.txt')).toBe('b\n');
  expect(await y.task('b')).toMatchObject({ state: 'landed' });
  expect((await y.ym('ledger')).code).toBe(0);
});

test('an agent cannot approve of work, its own or another’s', async () => {
  const ym = `'${process.execPath}' '${join(import.meta.dirname, '../../dist/main.js')}'`;
  const y = shop({
    tasks: [{ id: 'b' }, { id: 'a' }],
    script: {
      b: [[write('.github/workflows/b.yml', 'on: push\n')]],
      a: [
        [
          touch('a-works'),
          waitFor('b-waits'),
          shell(
            `cd "$YARD_PROJECT" && ${ym} approve b > ../stage/told 2>&1; echo $? > ../stage/code`,
          ),
          touch('done'),
          ...honest,
        ],
      ],
    },
    leaves: waiting,
  });
  const run = y.start('run', y.plan);
  await waits(y);
  await run.end();
  expect(y.landings()).toEqual({ a: 1 });
  expect(readFileSync(join(y.stage, 'code'), 'utf8')).toBe('2\n');
  expect(readFileSync(join(y.stage, 'told'), 'utf8')).toMatch(/person/);
});

test('a runner that was planted where candidates are judged does not make red work green', async () => {
  const y = shop({
    tasks: [{ id: 'first' }, { id: 'a', after: ['first'] }],
    script: {
      first: [honest],
      a: [
        [
          bug,
          shell(
            'for dir in "$(dirname "$PWD")"/*/; do test "$dir" -ef "$PWD" && continue; ' +
              'mkdir -p "$dir/node_modules/.bin"; printf "#!/bin/sh\\n" > "$dir/node_modules/.bin/node"; ' +
              'chmod +x "$dir/node_modules/.bin/node"; touch "$YARD_PROJECT/../stage/planted"; done',
          ),
        ],
      ],
    },
    leaves: waiting,
  });
  expect((await y.ym('run', y.plan)).code).toBe(1);
  expect(existsSync(join(y.stage, 'planted'))).toBe(true);
  expect(y.landings()).toEqual({ first: 1 });
  expect(wrongBy(y)).toEqual([]);
});
