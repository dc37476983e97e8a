import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseRoute, routeText } from './route.ts';

describe('a place in the page', () => {
  it.each([
    ['', { page: 'now' }],
    ['#/graph', { page: 'graph' }],
    ['#/graph?at=12&project=ab', { page: 'graph', at: 12, project: 'ab' }],
    ['#/task/fix%20it/diff', { page: 'task', task: 'fix it', tab: 'diff' }],
    ['#/task/a/nonsense', { page: 'task', task: 'a', tab: 'story' }],
    ['#/task', { page: 'now' }],
    ['#/runs/r1', { page: 'runs', run: 'r1' }],
    ['#/runs/r1?project=p', { page: 'runs', run: 'r1', project: 'p' }],
    ['#/%E0%A4%A', { page: 'now' }],
    ['#/now?at=-3', { page: 'now' }],
  ])('is read from %j', (fragment, route) => {
    expect(parseRoute(fragment)).toEqual(route);
  });

  it('is the same after it was written and read', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), fc.nat(), (task, at) => {
        const route = { page: 'task', task, tab: 'log', project: task, at } as const;
        expect(parseRoute(routeText(route))).toEqual(route);
        const runs = { page: 'runs', run: task, at } as const;
        expect(parseRoute(routeText(runs))).toEqual(runs);
      }),
    );
  });

  it('is the first page for any text that is none', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(parseRoute(`#/x${text.replaceAll('/', '')}`).page).toBe('now');
      }),
    );
  });
});
