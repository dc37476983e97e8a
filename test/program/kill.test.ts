// A sample of the kill matrix: the program kills itself at some of its steps, from a random one on, and is started again.
import { expect, test } from 'vitest';
import { everyStep, oneTask } from '../rig/crash.ts';
import { seed, sideBySide } from '../rig/seed.ts';

test('a task lands once, by one agent start, where the run is killed', async () => {
  const stride = 4;
  const lanes = 2;
  const { value } = seed();
  const kills = await sideBySide(lanes, (lane) =>
    everyStep((value % stride) + lane * stride, lanes * stride, { plan: oneTask, starts: 1 }),
  );
  const total = kills.reduce((sum, count) => sum + count, 0);
  console.log(`${total} steps, each killed once, seed ${value}`);
  // Fewer would mean that the steps are not what they were: the ports are not counted any more.
  expect(total).toBeGreaterThan(5);
});
