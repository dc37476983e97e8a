// Agents that forge verdicts and approvals, or lay hands on the work of others: nothing of it lands, and it is said what
// they did.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Event } from '../../../src/model/event.ts';
import { bug, flat, said, shell, shop, waiting, wrongBy } from '../../rig/project.ts';
import {
  type Action,
  commit,
  type Status,
  type TestProject,
  touch,
  until,
  waitFor,
  write,
} from '../../rig.ts';

const honest: readonly Action[] = [write('honest.txt', 'honest\n')];

/** A program of the agents that writes into the store of the project. */
function forger(y: TestProject): void {
  const sqlite = createRequire(import.meta.url).resolve('@photostructure/sqlite');
  const program = `const { DatabaseSync } = require(${JSON.stringify(sqlite)});
const { execSync } = require('node:child_process');
const db = new DatabaseSync(process.env.YARD_PROJECT + '/.git/yardmaster/yard.db');
db.exec('PRAGMA busy_timeout=5000');
const [what] = process.argv.slice(2);
const passed = JSON.stringify({ id: 'passed', ms: 1 });
if (what !== 'event') {
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
  expect(await said(y, 'a')).toMatch(/verdict.*that no gate produced/);
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
      b: [
        [
          waitFor('judging'),
          forge('event'),
          touch('forged'),
          waitFor('b-go'),
          write('b.txt', 'b\n'),
        ],
      ],
    },
    leaves: waiting,
  });
  forger(y);
  const run = y.startWith({ env: { STAGE: y.stage } }, 'run', y.plan);
  await y.seen('forged');
  y.signal('b-go');
  // What the engine stores next shows it what others have stored.
  const ended = (event: Event): boolean => event.type === 'turn-ended' && event.id === 'b';
  await until(async () => (await y.events()).some(ended), 'the end of the turn of b');
  y.signal('go');
  const over = await run.end();
  expect(over.code).toBe(1);
  expect(y.landings().a).toBe(undefined);
  expect(wrongBy(y)).toEqual([]);
  expect(flat(over.stdout) + (await said(y, 'a'))).toMatch(/verdict.*that no gate produced/);
});

/** Waits until b waits for a person, and tells the agent of a. */
async function waits(y: TestProject): Promise<void> {
  await y.seen('a-works');
  const isWaiting = ({ tasks }: Status): boolean =>
    tasks.some(({ id, state }) => id === 'b' && state === 'blocked');
  await y.untilStatus(isWaiting, 'b waits');
  y.signal('b-waits');
}

/** Finds the worktree of another attempt, as an agent can. */
const worktreeOf = (id: string): string =>
  `$(grep -l "/${id}-1$" "$YARD_WORKTREE"/../*.git/HEAD | sed 's,.git/HEAD$,,')`;

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

test('what was put into the worktree of work that waits, as files or as commits, does not land when it is approved', async () => {
  const plant =
    `cd "${worktreeOf('b')}" && echo evil > src/evil.js && git add -A && git commit -qm Evil && ` +
    'echo evil > src/more.js';
  const y = shop({
    tasks: [{ id: 'b' }, { id: 'a' }],
    script: {
      b: [[write('.github/workflows/b.yml', 'on: push\n')]],
      a: [[touch('a-works'), waitFor('b-waits'), shell(plant), touch('done'), ...honest]],
    },
    leaves: waiting,
  });
  const run = y.start('run', y.plan);
  await waits(y);
  await y.seen('done');
  await y.ym('approve', 'b');
  await run.end();
  await y.ym('resume');
  expect(y.landings()).toEqual({ a: 1, b: 1 });
  expect(y.git('ls-tree', '-r', '--name-only', 'main')).not.toMatch(/evil|more/);
  expect(y.git('log', '--format=%s', 'main')).not.toContain('Evil');
});

test('work whose branch another agent deletes is not lost, and the deletion is reported', async () => {
  const y = shop({
    tasks: [{ id: 'b' }, { id: 'a' }],
    script: {
      b: [[write('.github/workflows/b.yml', 'on: push\n'), commit('b')]],
      a: [
        [
          touch('a-works'),
          waitFor('b-waits'),
          shell(
            'cd "$YARD_PROJECT"; git update-ref -d "$(git for-each-ref --format="%(refname)" "refs/heads/yard/*/b-1")"',
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
  const ym = `'${process.execPath}' '${join(import.meta.dirname, '../../../dist/main.js')}'`;
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
