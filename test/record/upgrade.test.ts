// What older versions stored, and what stands where something else belongs.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readStatus } from '../../src/record/quick.ts';
import { added, built, good, started, wish, worked } from './life.ts';
import { type TestProject, testProject } from './run-folder.ts';

let place: TestProject;
beforeEach(() => {
  place = testProject();
});
afterEach(() => place.end());

describe('A store of another time', () => {
  it('is read when what turns are about is in older words, or in none', async () => {
    const store = await place.open();
    good(await store.append(1, [...['a', 'b', 'c', 'd'].map((id) => added(id)), started('r')]));
    const state = (id: string, text: string) =>
      place.raw((db) =>
        db
          .prepare('UPDATE task SET record = ?, live = 1 WHERE id = ?')
          .run(`{"attempts":1,"attempt":{"number":1,"state":${text}}}`, id),
      );
    state('a', '{"id":"working","slot":1,"turn":2,"since":5,"evidence":"it was red"}');
    state('b', '{"id":"resting","cue":{"id":"paused","failure":null,"before":{"id":"returned"}}}');
    state('c', '{"id":"resting"}');
    state('d', '{"id":"working","slot":1,"turn":1,"since":5}');
    const states = good(await store.tasks()).map(({ attempt }) => attempt?.state);
    const none = { kind: 'other', message: 'no reason was recorded' };
    const red = { kind: 'other', message: 'it was red' };
    expect(states).toEqual([
      { id: 'working', slot: 1, turn: 2, since: 5, turnReason: { id: 'returned', failure: red } },
      {
        id: 'between-turns',
        turnReason: { id: 'paused', failure: none, before: { id: 'returned', failure: none } },
      },
      { id: 'between-turns', turnReason: { id: 'paused', failure: none } },
      { id: 'working', slot: 1, turn: 1, since: 5 },
    ]);
  });

  it('is read when a run holds odd things where it was paused or troubled', async () => {
    const store = await place.open();
    good(await store.append(1, [started('r')]));
    place.raw((db) =>
      db.exec(
        `UPDATE run SET record = '{"trouble":"full","pausedAccounts":{"x":{"until":9,"failure":[1]},"y":null}}'`,
      ),
    );
    expect(good(await store.run('r'))).toMatchObject({
      trouble: { kind: 'other', message: 'full' },
      pausedAccounts: {
        x: { until: 9, since: 0, times: 1, failure: { kind: 'other', message: '[1]' } },
        y: { failure: { kind: 'other', message: 'no reason was recorded' } },
      },
    });
    expect(good(readStatus(place.file)).run?.pausedAccounts?.x?.until).toBe(9);
    place.raw((db) => db.exec(`UPDATE run SET record = '{}'`));
    expect(good(await store.run('r'))).not.toHaveProperty('pausedAccounts');
  });

  it.each([
    ['built', 0, undefined],
    ['passed', 1, undefined],
    ['waiting', 1, { kind: 'other', message: 'locked' }],
  ])('keeps the one candidate of a run that is %s', async (id, green, failure) => {
    const store = await place.open();
    good(await store.append(1, [started('r')]));
    const state = {
      id,
      ...(failure === undefined ? {} : { failure: 'locked', since: 1, until: 2 }),
    };
    const entries = [{ id: 'a', attempt: 1, commit: 'x' }];
    const candidate = { id: 'c1', parent: 'p', commit: 'm', tree: 't', entries, state };
    place.raw((db) =>
      db.prepare('UPDATE run SET record = ?').run(JSON.stringify({ base: 'p', candidate })),
    );
    const run = good(await store.run('r'));
    expect(run).toMatchObject({
      candidates: [
        { ...candidate, state: { id }, prefixes: [{ commit: 'm', tree: 't' }], green, landed: 0 },
      ],
      runningGates: [],
      recentOutcomes: [],
      outcomesByKind: {},
      gateRuns: { branch: 0, candidate: 0, target: 0 },
    });
    expect(run).not.toHaveProperty('candidate');
    if (failure !== undefined) expect(run?.candidates[0]?.state).toMatchObject({ failure });
    expect(good(readStatus(place.file)).run?.candidates).toHaveLength(1);
  });

  it('has a failure wherever a candidate is red or work waits for a person', async () => {
    const store = await place.open();
    good(await store.append(1, [added('a'), started('r')]));
    const candidate = {
      id: 'c1',
      entries: [],
      prefixes: [],
      green: 0,
      landed: 0,
      red: { count: 1 },
    };
    const candidates = [candidate, 'odd'];
    place.raw((db) => {
      db.prepare('UPDATE run SET record = ?').run(JSON.stringify({ candidates }));
      db.prepare('UPDATE task SET record = ?').run(
        '{"attempt":{"number":1,"state":{"id":"awaiting","failure":"rules"}}}',
      );
      const insert = db.prepare('INSERT INTO event VALUES (?, 1, 1, NULL, ?, ?)');
      insert.run(3, 'review-ended', '{"type":"review-ended","result":"silence"}');
      insert.run(4, 'critique-ended', '{"type":"critique-ended","result":{"ok":true,"body":"x"}}');
      insert.run(5, 'approval-asked', '{"type":"approval-asked","failure":"why not"}');
    });
    const none = { kind: 'other', message: 'no reason was recorded' };
    expect(good(await store.run('r'))?.candidates).toEqual([
      {
        ...candidate,
        state: { id: 'built' },
        red: { count: 1, failure: none },
        prefixes: [],
        entries: [],
      },
    ]);
    expect(good(await store.task('a'))?.attempt?.state).toMatchObject({
      failure: { kind: 'other', message: 'rules' },
    });
    expect(good(await store.events({ after: 2 }))).toMatchObject([
      { result: { ok: false, failure: { message: 'silence' } } },
      { result: { ok: true, body: 'x' } },
      { failure: { message: 'why not' } },
    ]);
  });

  it('is made again from its log when this version keeps more than the older one did', async () => {
    const store = await place.open();
    good(await store.append(1, [added('a'), started('r')]));
    good(await store.claim(2, wish('r', 'a')));
    good(await store.append(3, [...worked('r', 'a'), built('r', ['a'])], 'r'));
    const whole = good(await store.run('r'));
    await store.close();
    place.raw((db) => {
      db.exec("UPDATE meta SET value = 1 WHERE name = 'schema'");
      db.exec('DROP INDEX event_flaked');
      db.exec(`UPDATE run SET record = '{"candidate":{"id":"c1","state":{"id":"built"}}}'`);
    });
    // A short status is read without any change to the store.
    expect(good(readStatus(place.file)).run?.candidates).toHaveLength(1);
    const again = await place.open();
    expect(good(await again.audit())).toEqual([]);
    expect(good(await again.run('r'))).toEqual(whole);
    expect(good(await again.flakes(0))).toEqual([]);
  });

  it.each([
    ['null', { kind: 'other', message: 'no reason was recorded' }],
    ['"words"', { kind: 'other', message: 'words' }],
    ['{"ok":false,"failure":{"odd":1}}', { kind: 'other', message: '{"odd":1}' }],
    ['{"ok":false,"failure":{"kind":"agent-lost","turn":1}}', { kind: 'agent-lost', turn: 1 }],
  ])('has a failure for a turn that ended with %s', async (result, failure) => {
    const store = await place.open();
    good(await store.append(1, [added('a')]));
    place.raw((db) => {
      const insert = db.prepare('INSERT INTO event VALUES (?, 1, 1, NULL, ?, ?)');
      insert.run(2, 'turn-ended', `{"type":"turn-ended","turn":1,"result":${result}}`);
      insert.run(3, 'agent-reported', `{"type":"agent-reported","turn":1,"call":"hello"}`);
    });
    const [ended, called] = good(await store.events({ after: 1 }));
    expect(ended).toMatchObject({ result: { ok: false, failure } });
    expect(called).toMatchObject({ call: { id: 'report', text: 'hello' } });
  });
});
