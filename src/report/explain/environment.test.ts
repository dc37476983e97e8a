import { describe, expect, it } from 'vitest';
import { failures } from '../../../test/report/failures.ts';
import type { Failure } from '../../model/failure.ts';
import { explain } from './explain.ts';

const text = (kind: Failure['kind']): string => {
  const { what, why, do: remedy, exit } = explain(failures[kind], 'search');
  return `${what}\n${why}\n${remedy}\n(${exit})`;
};

describe('something in the way', () => {
  it('is explained: git-failed', () => {
    expect(text('git-failed')).toMatchInlineSnapshot(`
      "\`git update-ref refs/heads/main\` failed: a ref or a lock is in the way.
      Git printed: fatal: cannot lock ref.
      Rename or remove what git names, unless another git process still needs it. The run continues by itself, or with \`ym resume\`.
      (3)"
    `);
  });

  it('is explained: commit-elsewhere', () => {
    expect(text('commit-elsewhere')).toMatchInlineSnapshot(`
      "Commit 3f1db35 of attempt 1 at search is not in this clone.
      Clones share the records, not the commits: another clone or a worker of run r1 has it.
      Type the command in that clone, or get the commit from there: \`git fetch PATH-OR-URL 3f1db35eff78bd74a8c638a4e726f3da0c484ab6\`.
      (3)"
    `);
  });

  it('is explained: state-unwritable', () => {
    expect(text('state-unwritable')).toMatchInlineSnapshot(`
      "Cannot write to /state: EROFS.
      Yardmaster records each step before it acts.
      Make the folder writable and free some disk space. For a new run you can also set YARDMASTER_STATE_DIR to another folder; a run that has begun stays in its own.
      (3)"
    `);
  });

  it('is explained: no-space', () => {
    expect(text('no-space')).toMatchInlineSnapshot(`
      "The disk of /state is nearly full: 1 MiB are free.
      New work needs 100 MiB; what is finished is still captured and landed.
      Free some disk space; \`ym prune\` lists what can be deleted. The run continues by itself, or with \`ym resume\`.
      (3)"
    `);
  });

  it('is explained: store-corrupt', () => {
    expect(text('store-corrupt')).toMatchInlineSnapshot(`
      "The store yard.db is damaged: not a database.
      It was truncated or changed by another program; Yardmaster left it as it is.
      Type \`ym doctor --repair\`: it restores the newest copy, adds what git and run files contain, and deletes nothing.
      (3)"
    `);
  });

  it('is explained: store-newer', () => {
    expect(text('store-newer')).toMatchInlineSnapshot(`
      "The store yard.db has format 3; this version knows up to 1.
      A newer Yardmaster has written to it.
      Update Yardmaster: \`npm install --global yardmaster\`.
      (3)"
    `);
  });

  it('is explained: store-busy', () => {
    expect(text('store-busy')).toMatchInlineSnapshot(`
      "The store yard.db was busy for 5 s.
      Another process kept it locked.
      Try again; if it keeps happening, \`ym status\` shows which run is active.
      (3)"
    `);
  });

  it('is explained: store-failed', () => {
    expect(text('store-failed')).toMatchInlineSnapshot(`
      "The store yard.db failed: disk full.
      The disk may be full, or the file may belong to another user.
      Check with \`ym doctor\`, then type \`ym resume\`.
      (3)"
    `);
  });

  it('is explained: store-failed, of a server', () => {
    const { why } = explain({ kind: 'store-failed', file: 'postgres://db/yard', detail: 'x' });
    expect(why).toBe('The server refused a statement; its log says more.');
  });

  it('is explained: store-unavailable', () => {
    expect(text('store-unavailable')).toMatchInlineSnapshot(`
      "The server of the store postgres://ada@db/yard cannot be reached: ECONNREFUSED.
      It is down, or the address in \`store\` is wrong.
      Start the server or correct \`store\`, then type the command again; \`ym resume\` continues a run.
      (3)"
    `);
  });

  it.each([
    ['login', 'refuses the login: x.', 'YARDMASTER_STORE'],
    ['no-database', 'is missing: x.', 'createdb'],
    ['no-permission', 'lacks a permission: x.', 'GRANT CREATE'],
    ['unfit', 'cannot be used: x.', 'docs/workers.md'],
    ['foreign', 'belongs to another repository: x.', '?schema=NAME'],
  ] as const)('is explained: store-unavailable because of %s', (problem, what, remedy) => {
    const failure = {
      kind: 'store-unavailable',
      store: 'postgres://db/y',
      problem,
      detail: 'x',
    } as const;
    const told = explain(failure);
    expect(told.what).toContain(what);
    expect(told.do).toContain(remedy);
    expect(told.exit).toBe(3);
  });

  it('is explained: store-moved', () => {
    expect(text('store-moved')).toMatchInlineSnapshot(`
      "The records of this project are in postgres://ada@db/yard now.
      What is left in yard.db is a copy, and what is written there would be lost.
      Set \`store\` to the new address: \`ym config set store postgres://ada@db/yard\`. \`ym store migrate\` moves the records.
      (3)"
    `);
  });

  it('is explained: store-moved, to the file of one clone', () => {
    const failure = { kind: 'store-moved', file: 'postgres://ada@db/yard', to: 'sqlite' } as const;
    expect(explain(failure).what).toBe(
      'The records of this project are in SQLite now, in the git folder of the clone that moved them.',
    );
    expect(explain(failure).do).toContain('In that clone, set `store`');
  });

  it('is explained: records-deleted', () => {
    expect(text('records-deleted')).toMatchInlineSnapshot(`
      "The records in /repo/.git/yardmaster were replaced during the run, so it cannot continue.
      Unfinished work is saved on yard/r1/a-1; what landed is safe in git.
      Type \`ym doctor --repair\` to restore the records, then \`ym run\`.
      (3)"
    `);
  });

  it('is explained: run-alive', () => {
    expect(text('run-alive')).toMatchInlineSnapshot(`
      "Run r1 is already running (process 4711 on yard).
      Two runs on one project would interfere with each other.
      Watch it with \`ym watch\`, end it with \`ym stop\`, or start a second one with \`ym run --share\`. \`ym resume --standby\` takes over if that process dies.
      (3)"
    `);
  });

  it('is explained: run-writes', () => {
    expect(text('run-writes')).toMatchInlineSnapshot(`
      "Run r1 is active (process 4711 on yard).
      It writes to the store, whose records can be moved or restored only while nothing writes to it.
      Wait until it has ended, or end it with \`ym stop\`; then try again.
      (3)"
    `);
  });

  it('is explained: run-starting', () => {
    expect(text('run-starting')).toMatchInlineSnapshot(`
      "Process 4711 on yard is starting a run of this project, or has just ended one.
      Two runs on one project would interfere with each other.
      Wait a moment and try again. To start a second run next to it, use \`ym run --share\`.
      (3)"
    `);
  });

  it('is explained: run-taken-over', () => {
    expect(text('run-taken-over')).toMatchInlineSnapshot(`
      "Run r1 is driven by process 4711 on yard now.
      This process had not renewed its lease in time, for example because its machine slept. It has ended its agents and does nothing more.
      Watch the run with \`ym watch\`.
      (3)"
    `);
  });

  it('is explained: claim-lost', () => {
    expect(text('claim-lost')).toMatchInlineSnapshot(`
      "api was taken by r2.
      A task never has two owners; another run was first.
      No action needed; \`ym status\` shows which run works on what.
      (3)"
    `);
  });

  it('is explained: fenced', () => {
    expect(text('fenced')).toMatchInlineSnapshot(`
      "api belongs to r2 now, so a late write to it was refused.
      This run did not respond for too long and lost its claim.
      No action needed; \`ym status\` shows which run works on what.
      (3)"
    `);
  });
});
