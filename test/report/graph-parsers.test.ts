import { createRequire } from 'node:module';
import { instance } from '@viz-js/viz';
import fc from 'fast-check';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { plain } from '../../src/report/format/style.ts';
import type { Drawing } from '../../src/report/graph/drawing.ts';
import { dot, mermaid } from '../../src/report/graph/markup.ts';
import { render } from '../../src/report/graph/render.ts';
import { svg } from '../../src/report/graph/svg.ts';
import { taskDrawing } from '../../src/report/graph/tasks.ts';
import { taskViewsOf } from '../../src/report/view/task.ts';
import { launchChromium, noChromium } from '../rig/chromium.ts';
import { agentStory } from './agent-story.ts';
import { anyDrawing } from './any-drawing.ts';
import { anyLog, anyRecords } from './any-log.ts';
import { drawnRun } from './records-of.ts';
import { story } from './story.ts';
import { trainStory } from './train-story.ts';

/** The part of a browser that these tests use in it. */
declare const DOMParser: new () => {
  parseFromString(
    text: string,
    type: string,
  ): {
    readonly body: { readonly textContent: string | null };
    querySelector(selector: string): { readonly textContent: string | null } | null;
    querySelectorAll(selector: string): readonly { readonly tagName: string }[];
  };
};

// The programs that draw these texts read them: Graphviz, Mermaid and a browser.

const stories = [story, agentStory, trainStory].map((events) => drawnRun(events));
const some = (arbitrary: fc.Arbitrary<Drawing>, numRuns: number): readonly Drawing[] =>
  fc.sample(arbitrary, { numRuns, seed: 7 });
const drawings: readonly Drawing[] = [
  ...stories,
  ...some(anyDrawing, 40),
  ...some(
    anyLog.map((log) => drawnRun(log)),
    20,
  ),
  ...some(
    anyRecords.map((records) => taskDrawing(records, taskViewsOf(records), true)),
    10,
  ),
];

/** Nodes of a drawing with one id are drawn once. */
const nodesIn = ({ nodes }: Drawing): number => new Set(nodes.map(({ id }) => id)).size;

it('Graphviz reads every graph in DOT, with all of its nodes', async () => {
  const viz = await instance();
  for (const drawing of drawings) {
    const found = viz.render(dot(drawing), { format: 'json' });
    // The machine that draws chooses the fonts.
    expect(found.errors.filter(({ level }) => level === 'error')).toEqual([]);
    const { objects = [] } = JSON.parse(found.output ?? '{}') as { objects?: { name: string }[] };
    const drawn = objects.filter(({ name }) => /^n\d+$/.test(name));
    expect(drawn).toHaveLength(Math.max(1, nodesIn(drawing)));
  }
});

// reason: Chromium is not on every machine
describe.skipIf(noChromium !== undefined)(
  `in a browser${noChromium ? ` (${noChromium})` : ''}`,
  () => {
    let browser: Browser;
    let page: Page;

    beforeAll(async () => {
      browser = await launchChromium();
      page = await browser.newPage();
      await page.setContent('<!doctype html><div id="place"></div>');
      await page.addScriptTag({
        path: createRequire(import.meta.url).resolve('mermaid/dist/mermaid.min.js'),
      });
    }, 60_000);
    afterAll(() => browser?.close());

    it('Mermaid reads every graph and draws its labels as text', async () => {
      const texts = drawings.map((drawing) => mermaid(drawing));
      const errors = await page.evaluate(async (all) => {
        const { mermaid: library } = globalThis as unknown as {
          mermaid: { initialize(o: object): void; parse(text: string): Promise<unknown> };
        };
        library.initialize({ startOnLoad: false });
        const found: string[] = [];
        for (const text of all) {
          await library
            .parse(text)
            .catch((error: unknown) => found.push(`${String(error)}\n${text}`));
        }
        return found;
      }, texts);
      expect(errors).toEqual([]);
      const labels = await page.evaluate(
        async (text) => {
          const { mermaid: library } = globalThis as unknown as {
            mermaid: { render(id: string, text: string): Promise<{ svg: string }> };
          };
          const drawn = await library.render('one', text);
          const place = new DOMParser().parseFromString(drawn.svg, 'text/html');
          return place.body.textContent ?? '';
        },
        mermaid(stories[0] as Drawing),
      );
      expect(labels).toContain('npm test');
    }, 60_000);

    it('SVG is well-formed, has every node, and no element that a text made', async () => {
      const found = await page.evaluate(
        (all) =>
          all.map((text) => {
            const root = new DOMParser().parseFromString(text, 'image/svg+xml');
            const names = [...root.querySelectorAll('*')].map(({ tagName }) => tagName);
            return {
              error: root.querySelector('parsererror')?.textContent ?? '',
              nodes: root.querySelectorAll('.n > title').length,
              names: [...new Set(names)],
            };
          }),
        drawings.map((drawing) => svg(drawing)),
      );
      const own = ['svg', 'style', 'defs', 'marker', 'path', 'rect', 'text', 'g', 'title'];
      for (const [at, { error, nodes, names }] of found.entries()) {
        expect(error).toBe('');
        expect(nodes).toBe(nodesIn(drawings[at] as Drawing));
        expect(names.filter((name) => !own.includes(name))).toEqual([]);
      }
    });

    it('HTML shows the graph, asks for nothing else, and runs nothing', async () => {
      const asked: string[] = [];
      const other = await browser.newPage();
      other.on('request', (request) => asked.push(request.url()));
      other.on('console', (message) => asked.push(message.text()));
      const nasty: Drawing = {
        title: '</title><script>alert(1)</script>',
        empty: '',
        lanes: [],
        nodes: [
          {
            id: 'a',
            glyph: '✓',
            name: '<img src=x onerror=alert(1)>',
            style: 'done',
            note: '\u001b[2J',
          },
        ],
        edges: [],
      };
      await other.setContent(render(nasty, 'html', plain, 80));
      expect(await other.locator('script, img').count()).toBe(0);
      expect(await other.title()).toBe(nasty.title);
      expect(await other.locator('svg').textContent()).toContain('<img src=x onerror=alert(1)>');
      expect(await other.locator('svg').textContent()).toContain('\\x1b[2J');
      expect(asked).toEqual([]);
    });
  },
);
