// Rows that another program, a newer version or a bug has written.

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { quickStore } from '../../src/record/quick.ts';
import { need } from '../rig/need.ts';
import { added, started, trouble, wish } from './life.ts';
import { type TestProject, testProject } from './run-folder.ts';

let place: TestProject;
beforeEach(() => {
  place = testProject();
});
afterEach(() => place.end());

const none = { kind: 'other', message: 'no reason was recorded' };
const other = (message: string) => ({ kind: 'other', message });

/** Replaces fields in the JSON of one column of every row. */
function patch(table: 'task' | 'run', column: 'record' | 'task', fields: object): void {
  place.raw((db) =>
    db
      .prepare(`UPDATE ${table} SET ${column} = json_patch(${column}, ?)`)
      .run(JSON.stringify(fields)),
  );
}

async function storeWithTask() {
  const store = await place.open();
  need(await store.append(1, [added('a'), started('r')]));
  return store;
}

async function storeWithAttempt() {
  const store = await storeWithTask();
  need(await store.claim(2, wish('r', 'a')));
  return store;
}

describe('A stored task', () => {
  it.each([
    [{ id: 'failed', run: 'r' }, none],
    [{ id: 'blocked', failure: 'old words' }, other('old words')],
    [{ id: 'canceled', at: 1, failure: [1] }, other('[1]')],
  ])('has a failure if its status is %j', async (status, failure) => {
    const store = await storeWithTask();
    patch('task', 'record', { status });
    expect(need(await store.task('a'))?.status).toEqual({ ...status, failure });
  });

  it.each([
    [
      { id: 'awaiting', commit: 'c', tree: 't', since: 1, failure: 'rules' },
      { failure: other('rules') },
    ],
    [
      { id: 'between-turns', turnReason: { id: 'paused', before: { id: 'returned' } } },
      { turnReason: { id: 'paused', failure: none, before: { id: 'returned', failure: none } } },
    ],
  ])('has a failure if its attempt is in the state %j', async (state, expected) => {
    const store = await storeWithAttempt();
    patch('task', 'record', { attempt: { state } });
    expect(need(await store.task('a'))?.attempt?.state).toMatchObject(expected);
  });

  it('keeps fields of a newer version', async () => {
    const store = await storeWithAttempt();
    patch('task', 'task', { color: 'red' });
    patch('task', 'record', { attempt: { future: true } });
    const record = need(await store.task('a'));
    expect(record?.task).toMatchObject({ id: 'a', color: 'red' });
    expect(record?.attempt).toMatchObject({ future: true });
  });

  it.each([
    [{ status: null }, 'has no "status"'],
    [{ order: '1' }, 'has a wrong "order"'],
    [{ status: { id: 'lost' } }, 'has a wrong "status.id"'],
    [{ status: { id: 'delivered' } }, 'has no "status.how"'],
    [{ attempt: { state: 'odd' } }, 'has a wrong "attempt.state"'],
    [{ attempt: { state: { id: 'sleeping' } } }, 'has a wrong "attempt.state.id"'],
    [{ attempt: { state: { id: 'between-turns' } } }, 'has no "attempt.state.turnReason"'],
  ])('is corrupt after the patch %j', async (fields, problem) => {
    const store = await storeWithAttempt();
    patch('task', 'record', fields);
    const corrupt = { kind: 'store-corrupt', detail: `The record of the task a ${problem}` };
    expect(trouble(await store.task('a'))).toMatchObject(corrupt);
    expect(trouble(await quickStore(place.file).status())).toMatchObject(corrupt);
  });

  it.each([
    ['record', 'The record of the task a is not readable'],
    ['task', 'The text of the task a is not readable'],
  ])('is corrupt if the JSON in the column %s is cut off', async (column, problem) => {
    const store = await storeWithAttempt();
    place.raw((db) => db.exec(`UPDATE task SET ${column} = substr(${column}, 1, 20)`));
    expect(trouble(await store.task('a'))).toMatchObject({
      kind: 'store-corrupt',
      detail: expect.stringContaining(problem),
    });
  });
});

describe('A stored run', () => {
  it('has a failure wherever one belongs', async () => {
    const store = await storeWithTask();
    const built = { parent: 'p', commit: 'c', tree: 't', entries: [], prefixes: [] };
    const whole = { ...built, landed: 0, green: 0 };
    const waiting = { id: 'waiting', since: 1, until: 2 };
    const candidates = [
      { ...whole, id: 'c1', state: waiting, red: { count: 1 } },
      { ...whole, id: 'c2', state: { id: 'built' } },
    ];
    const paused = { x: { since: 1, until: 9, times: 1, failure: [1] } };
    patch('run', 'record', {
      train: { candidates },
      accounts: { paused },
      phase: { id: 'ended', at: 1, stop: { reason: 'quota', failure: 7 } },
    });
    expect(need(await store.run('r'))).toMatchObject({
      train: {
        candidates: [
          { state: { failure: none }, red: { count: 1, failure: none } },
          { state: { id: 'built' } },
        ],
      },
      accounts: { paused: { x: { until: 9, failure: other('[1]') } } },
      phase: { stop: { reason: 'quota', failure: other('7') } },
    });
    expect(need(await quickStore(place.file).status()).run?.accounts.paused.x?.until).toBe(9);
    patch('run', 'record', { phase: { id: 'running', stop: null, trouble: 'full' } });
    const phase = { id: 'running', trouble: other('full') };
    expect(need(await store.run('r'))).toMatchObject({ phase });
  });

  it.each([
    [{ settings: null }, 'has no "settings"'],
    [{ settings: { jobs: '2' } }, 'has a wrong "settings.jobs"'],
    [{ phase: { id: 'paused' } }, 'has a wrong "phase.id"'],
    [{ accounts: { paused: { y: 'odd' } } }, 'has a wrong "accounts.paused.y"'],
    [{ train: { candidates: [{ id: 'c1' }] } }, 'has no "train.candidates.0.parent"'],
  ])('is corrupt after the patch %j', async (fields, problem) => {
    const store = await storeWithTask();
    patch('run', 'record', fields);
    const detail = `The record of the run r ${problem}`;
    expect(trouble(await store.run('r'))).toMatchObject({ kind: 'store-corrupt', detail });
    expect(trouble(await quickStore(place.file).status())).toMatchObject({
      kind: 'store-corrupt',
      detail,
    });
  });
});

describe('A stored history', () => {
  const cut = (column: string) => `substr(${column}, 1, length(${column}) - 1)`;
  const patched = (column: string, fields: object) =>
    `json_patch(${column}, '${JSON.stringify(fields)}')`;
  const attempt = 'The history of an attempt';
  const run = 'The history of the run r';

  it.each([
    ['attempt', 'record', cut('record'), `${attempt} is not readable`],
    ['attempt', 'record', `'[]'`, `${attempt} is not an object`],
    ['attempt', 'record', patched('record', { turns: null }), `${attempt} has no "turns"`],
    ['attempt', 'record', patched('record', { slot: '1' }), `${attempt} has a wrong "slot"`],
    [
      'attempt',
      'record',
      patched('record', { end: { id: 'lost' } }),
      `${attempt} has a wrong "end.id"`,
    ],
    ['run_history', 'record', cut('record'), `${run} is not readable`],
    [
      'run_history',
      'record',
      patched('record', { gates: { target: null } }),
      `${run} has no "gates.target"`,
    ],
    ['step', 'body', cut('body'), 'A step is not readable'],
    ['step', 'body', patched('body', { what: { type: 7 } }), 'A step has a wrong "what.type"'],
    ['step', 'body', patched('body', { what: { type: 'landed' } }), 'A step has no "what.with"'],
  ] as const)('is corrupt if %s.%s is %s', async (table, column, damage, detail) => {
    const store = await storeWithAttempt();
    place.raw((db) => db.exec(`UPDATE ${table} SET ${column} = ${damage}`));
    const read = {
      attempt: () => store.attempts({ task: 'a' }),
      run_history: () => store.runHistory('r'),
      step: () => store.steps('a'),
    }[table];
    expect(trouble(await read())).toMatchObject({
      kind: 'store-corrupt',
      detail: expect.stringContaining(detail),
    });
  });

  it('keeps a step of a newer version', async () => {
    const store = await storeWithTask();
    place.raw((db) => db.exec(`UPDATE step SET body = '{"at":1,"what":{"type":"sung"}}'`));
    expect(need(await store.steps('a'))).toEqual([{ at: 1, what: { type: 'sung' } }]);
  });
});

describe('A stored verdict', () => {
  it('has a failure unless it passed', async () => {
    const store = await place.open();
    place.raw((db) => db.exec(`INSERT INTO verdict VALUES ('t', 'g', '{"id":"failed","ms":1}')`));
    expect(need(await store.verdict('t', 'g'))).toMatchObject({ id: 'failed', failure: none });
  });
});

/** Fields that the events below have in common; not each has all of them. */
const ofStep =
  '"run":"r","id":"a","attempt":1,"turn":1,"call":{"kind":"improve","round":1,"agent":"x","again":1},"tree":"t","gate":"g","cached":false';

describe('A stored event', () => {
  it.each([
    [`{"type":"turn-ended",${ofStep.replace('"turn":1,', '')}}`, 'Event 1 has no "turn"'],
    [
      `{"type":"work-captured",${ofStep},"commit":"c","by":"agent","changes":{"files":["a",7]}}`,
      'Event 1 has a wrong "changes.files.1"',
    ],
  ])('is corrupt without a field that its type has: %s', async (body, detail) => {
    const store = await place.open();
    place.raw((db) => db.prepare('INSERT INTO event VALUES (1, 1, 1, NULL, ?, ?)').run('x', body));
    expect(trouble(await store.events({}))).toMatchObject({ kind: 'store-corrupt', detail });
  });

  it.each([
    ['turn-ended', '"result":null', { result: { ok: false, failure: none } }],
    ['turn-ended', '"result":"words"', { result: { ok: false, failure: other('words') } }],
    [
      'turn-ended',
      '"result":{"ok":false,"failure":{"odd":1}}',
      { result: { failure: other('{"odd":1}') } },
    ],
    [
      'turn-ended',
      '"result":{"ok":false,"failure":{"kind":"agent-lost","turn":1}}',
      { result: { ok: false, failure: { kind: 'agent-lost', turn: 1 } } },
    ],
    ['call-ended', '"result":{"ok":true,"body":"x"}', { result: { ok: true, body: 'x' } }],
    ['approval-asked', '"failure":"why not"', { failure: other('why not') }],
    ['branch-judged', '"verdict":"odd"', { verdict: { id: 'not-run', failure: other('odd') } }],
  ])('of type %s with %s has a failure if one belongs there', async (type, body, expected) => {
    const store = await place.open();
    place.raw((db) =>
      db
        .prepare('INSERT INTO event VALUES (1, 1, 1, NULL, ?, ?)')
        .run(type, `{"type":"${type}",${ofStep},${body}}`),
    );
    expect(need(await store.events({}))).toMatchObject([expected]);
  });
});
