// What older versions stored, and what stands where something else belongs.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readStatus } from '../../src/record/quick.ts';
import { added, good, started } from './life.ts';
import { type Yard, yard } from './yard.ts';

let place: Yard;
beforeEach(() => {
  place = yard();
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
      { id: 'working', slot: 1, turn: 2, since: 5, cue: { id: 'returned', failure: red } },
      {
        id: 'resting',
        cue: { id: 'paused', failure: none, before: { id: 'returned', failure: none } },
      },
      { id: 'resting', cue: { id: 'paused', failure: none } },
      { id: 'working', slot: 1, turn: 1, since: 5 },
    ]);
  });

  it('is read when a run holds odd things where it was paused or troubled', async () => {
    const store = await place.open();
    good(await store.append(1, [started('r')]));
    place.raw((db) =>
      db.exec(
        `UPDATE run SET record = '{"trouble":"full","paused":{"x":{"until":9,"failure":[1]},"y":null}}'`,
      ),
    );
    expect(good(await store.run('r'))).toMatchObject({
      trouble: { kind: 'other', message: 'full' },
      paused: {
        x: { until: 9, since: 0, times: 1, failure: { kind: 'other', message: '[1]' } },
        y: { failure: { kind: 'other', message: 'no reason was recorded' } },
      },
    });
    expect(good(readStatus(place.file)).run?.paused?.x?.until).toBe(9);
    place.raw((db) => db.exec(`UPDATE run SET record = '{}'`));
    expect(good(await store.run('r'))).not.toHaveProperty('paused');
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
      insert.run(3, 'agent-said', `{"type":"agent-said","turn":1,"call":"hello"}`);
    });
    const [ended, called] = good(await store.events({ after: 1 }));
    expect(ended).toMatchObject({ result: { ok: false, failure } });
    expect(called).toMatchObject({ call: { id: 'report', text: 'hello' } });
  });
});
