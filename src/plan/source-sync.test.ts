import { describe, expect, it } from 'vitest';
import { need } from '../../test/rig/need.ts';
import { crash, Story, task } from '../../test/story.ts';
import { limits } from '../model/limits.ts';
import { decide } from './decide.ts';
import { isUnsynced, sourceStateOf } from './source-state.ts';

const source = '.beads';
const begun = (writeBack: readonly string[] = [source]) =>
  new Story().tasks(task('a', { source }), task('b', { source: 'plan.yaml' })).start({ writeBack });
const changes = (story: Story) =>
  decide(story.state, 'r1', story.now).commands.flatMap((command) =>
    command.type === 'sync-sources' ? command.changes : [],
  );
const wanted = (story: Story) => changes(story).map(({ id, from, to }) => `${id}: ${from} → ${to}`);
const synced = (state: 'open' | 'claimed' | 'closed') =>
  ({ type: 'source-synced', run: 'r1', id: 'a', state }) as const;
const failed = { type: 'source-sync-failed', run: 'r1', id: 'a', note: 'bd is gone' } as const;

describe('the source of a task', () => {
  it('is claimed when an attempt starts, and open when it is given up', () => {
    const story = begun();
    expect(changes(story)).toEqual([]);
    story.prepared('a');
    const since = story.task('a').attempt?.startedAt ?? 0;
    expect(changes(story)).toEqual([
      { id: 'a', source, from: 'open', to: 'claimed', reason: '', worked: { since } },
    ]);
    expect(wanted(story.tell(synced('claimed')))).toEqual([]);
    const of = { run: 'r1', id: 'a', attempt: 1, failure: crash } as const;
    story.tell({ type: 'attempt-given-up', ...of }, { type: 'attempt-failed', ...of });
    expect(wanted(story)).toEqual(['a: claimed → open']);
    expect(changes(story)).toMatchObject([{ worked: { since, until: story.now } }]);
    expect(wanted(story.tell(synced('open')))).toEqual([]);
  });

  it('gets a landing with its facts, and opens again when the landing is dropped', () => {
    const story = begun().prepared('a').works('a');
    story.tell({
      type: 'landed',
      run: 'r1',
      candidate: 'c1',
      commit: 'c0ffee',
      from: 'base',
      entries: [{ id: 'a', attempt: 1, commit: 'x' }],
    });
    expect(sourceStateOf(story.task('a'))).toBe('closed');
    expect(changes(story)).toMatchObject([
      {
        to: 'closed',
        reason: 'landed as c0ffee',
        landed: { by: 'scripted', commit: 'c0ffee', reviewRounds: 0, at: story.now },
      },
    ]);
    const lost = { id: 'a', commit: 'c0ffee', target: 'main', tip: 'x' };
    story.tell(synced('closed'), { type: 'landing-dropped', ...lost });
    expect(wanted(story)).toEqual(['a: closed → open']);
  });

  it('follows decisions of a person, but stays as it is for a removed task', () => {
    const story = begun().decided('a', { kind: 'skip', reason: 'not needed' });
    expect(changes(story)).toMatchObject([{ to: 'closed', reason: 'not needed' }]);
    const other = begun().prepared('a').tell(synced('claimed'));
    expect(isUnsynced(other.task('a'))).toBe(false);
    other.decided('a', { kind: 'cancel', reason: 'gone', removed: true });
    expect(isUnsynced(other.task('a'))).toBe(false);
    other.decided('a', { kind: 'cancel', reason: 'no' });
    expect(isUnsynced(other.task('a'))).toBe(true);
  });

  it('gets nothing unless the run writes to it', () => {
    expect(changes(begun([]).prepared('a'))).toEqual([]);
    expect(changes(begun(['other']).prepared('a'))).toEqual([]);
    expect(changes(begun().prepared('b'))).toEqual([]);
  });

  it('gets from a later run what an earlier one missed', () => {
    const story = begun([]).decided('a', { kind: 'skip', reason: 'done' });
    story.tell({ type: 'run-ended', run: 'r1', stop: { reason: 'drained' } });
    const run = need(story.state.run('r1'));
    const settings = { ...run.settings, writeBack: [source] };
    story.tell({ type: 'run-started', run: 'r2', owner: run.owner, settings, base: 'base' });
    const { commands } = decide(story.state, 'r2', story.now);
    expect(commands).toContainEqual(expect.objectContaining({ type: 'sync-sources' }));
  });
});

describe('a failed write to a source', () => {
  it('is tried again less and less often, and holds nothing else back', () => {
    const story = begun().prepared('a');
    const pauses = Array.from({ length: 8 }, () => {
      story.tell(failed);
      const { wakeAt = 0, commands } = decide(story.state, 'r1', story.now);
      expect(commands.map(({ type }) => type)).toContain('begin-turn');
      expect(wanted(story)).toEqual([]);
      const pause = (story.state.run('r1')?.syncTrouble?.a?.until ?? 0) - story.now;
      expect(wakeAt).toBeLessThanOrEqual(story.now + pause);
      story.now += pause;
      expect(wanted(story)).toEqual(['a: open → claimed']);
      return pause;
    });
    expect(pauses[0]).toBe(limits.syncRetryMs);
    expect(pauses.at(-1)).toBe(limits.syncRetryMaxMs);
    story.tell(synced('claimed'));
    expect(story.state.run('r1')?.syncTrouble).toBeUndefined();
  });

  it('does not keep a run from its end', () => {
    const story = begun().decided('a', { kind: 'skip', reason: 'done' });
    story.decided('b', { kind: 'skip', reason: 'done' });
    const types = () => decide(story.state, 'r1', story.now).commands.map(({ type }) => type);
    expect(types()).toEqual(['sync-sources']);
    story.tell(failed);
    expect(types()).toEqual(['end-run']);
  });

  it('writes a bounded number at once', () => {
    const ids = Array.from({ length: 50 }, (_, at) => `t${at}`);
    const story = new Story().tasks(...ids.map((id) => task(id, { source })));
    story.start({ writeBack: [source] });
    for (const id of ids) story.decided(id, { kind: 'skip', reason: 'done' });
    expect(changes(story)).toHaveLength(limits.syncedAtOnce);
  });
});
