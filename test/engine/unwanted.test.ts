// A person cancels a task whose green candidate is about to land.
import { expect, test } from 'vitest';
import type { Ports } from '../../src/engine/context.ts';
import type { EventBody } from '../../src/model/event.ts';
import { task } from '../story.ts';
import { appending, MemoryProject } from './memory-project.ts';

const canceled: EventBody = {
  type: 'task-decided',
  id: 'a',
  decision: { kind: 'cancel', reason: 'not needed' },
};

/** Ports with which a person cancels a task right after an event of this type was stored. */
const cancelAfter = (type: EventBody['type']) => {
  let isDone = false;
  return (ports: Ports): Ports =>
    appending(ports, (append) => async (at, events, run) => {
      const stored = await append(at, events, run);
      if (isDone || !events.some((event) => event.type === type)) return stored;
      isDone = true;
      await append(at, [canceled]);
      return stored;
    });
};

test('It does not land, and the other branch of the candidate does', async () => {
  const context = new MemoryProject({
    tasks: [task('a'), task('b')],
    settings: { branchGate: 'never', jobs: 2, train: { batch: 4, style: 'merge' } },
    gate: (_spec, { exits }) => exits(0, 1_000),
    ports: cancelAfter('candidate-judged'),
  });
  await context.drive();
  expect(await context.status('a')).toMatchObject({ id: 'canceled' });
  expect(context.git.read('/repo', 'work/a')).toBeUndefined();
  expect(await context.status('b')).toMatchObject({ id: 'landed' });
  const [dropped] = (await context.events()).filter(({ type }) => type === 'candidate-dropped');
  expect(dropped).toMatchObject({ reason: { id: 'unwanted' } });
});
