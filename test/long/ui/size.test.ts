// The page with a thousand tasks and a large diff. Times are the best of a few, because the machine may be busy.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { TestProject } from '../../rig.ts';
import {
  closeBrowserAfterwards,
  inBrowser,
  type Opened,
  openPage,
  type Served,
  serve,
  show,
} from '../../ui/rig.ts';

const tasks = 1_000;
const lines = 20_000;

test('the page weighs less than 60 KB compressed', () => {
  const folder = fileURLToPath(new URL('../../../dist/ui', import.meta.url));
  const sizes = readdirSync(folder).map(
    (name) => gzipSync(readFileSync(join(folder, name))).byteLength,
  );
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(60_000);
});

closeBrowserAfterwards();

inBrowser('the page of a large project', () => {
  let y: TestProject;
  let served: Served;
  let opened: Opened;

  beforeAll(async () => {
    y = new TestProject({
      leaves: ['branches', 'kept', 'worktrees', 'state'],
      tasks: Array.from({ length: tasks }, (_, at) => ({
        id: `task-${at}`,
        title: `Task number ${at}`,
        after: at < 20 ? [] : [`task-${at - 20}`, `task-${Math.floor(at / 2)}`],
      })),
      script: { default: [[{ run: { shell: `seq 1 ${lines} > big.txt` } }]] },
    });
    expect(await y.ym('import', y.plan)).toMatchObject({ code: 0 });
    expect(await y.ym('run', '--only', 'task-0')).toMatchObject({ code: 0 });
    served = await serve(y);
    opened = await openPage(served.url);
  });

  afterAll(async () => {
    served.child.signal('SIGTERM');
    await served.child.end();
    expect(await y.dispose()).toEqual([]);
  });

  /** The least of a few results. */
  async function best(measure: () => Promise<number>, times = 4): Promise<number> {
    const results: number[] = [];
    for (let n = 0; n < times; n += 1) results.push(await measure());
    return Math.min(...results);
  }

  test('shows its tasks within a second', async () => {
    const { page } = opened;
    await show(page, 'tasks');
    const ms = await best(async () => {
      await page.reload({ waitUntil: 'commit' });
      await page.locator('.task-row').first().waitFor();
      return page.evaluate(() => performance.now());
    });
    expect(ms).toBeLessThan(1_000);
  });

  test('moves and zooms its graph at 50 frames a second', async () => {
    const { page } = opened;
    await show(page, 'graph');
    await page.getByText(`${tasks - 1} tasks`).waitFor();
    const msPerFrame = await best(() => page.evaluate(moveGraph, 60), 8);
    expect(1_000 / msPerFrame).toBeGreaterThan(50);
    expect(opened.problems).toEqual([]);
  });

  test('opens a diff of 20,000 lines within 300 ms', async () => {
    const { page } = opened;
    const ms = await best(async () => {
      await show(page, 'task/task-0/story');
      return page.evaluate(openDiff);
    });
    expect(ms).toBeLessThan(300);
    await page.locator('.diff-rows').evaluate((list) => list.scrollTo(0, list.scrollHeight));
    await page.getByText(String(lines), { exact: true }).first().waitFor();
    expect(await page.locator('.diff-row').count()).toBeLessThan(200);
  });
});

/** Drags and zooms the graph for some frames; mean time of a frame. */
async function moveGraph(frames: number): Promise<number> {
  const drawing = document.querySelector('.drawing');
  if (drawing === null) throw new Error('There is no drawing');
  const { left, top } = drawing.getBoundingClientRect();
  const frame = (): Promise<number> => new Promise((done) => requestAnimationFrame(done));
  const at = (n: number) => ({
    clientX: left + 400 + 6 * n,
    clientY: top + 300 + 3 * n,
    pointerId: 1,
    bubbles: true,
  });
  await frame();
  const started = await frame();
  drawing.dispatchEvent(new PointerEvent('pointerdown', at(0)));
  let last = started;
  for (let n = 1; n <= frames; n += 1) {
    if (n % 2 === 0) drawing.dispatchEvent(new PointerEvent('pointermove', at(n)));
    else {
      const deltaY = n < frames / 2 ? -40 : 40;
      drawing.dispatchEvent(new WheelEvent('wheel', { ...at(n), deltaY, cancelable: true }));
    }
    last = await frame();
  }
  drawing.dispatchEvent(new PointerEvent('pointerup', at(frames)));
  return (last - started) / frames;
}

/** Goes to the diff; time until its lines are painted. */
async function openDiff(): Promise<number> {
  const started = performance.now();
  location.hash = location.hash.replace('/story', '/diff');
  while (document.querySelector('.diff-row.added') === null) {
    await new Promise(requestAnimationFrame);
  }
  await new Promise(requestAnimationFrame);
  return performance.now() - started;
}
