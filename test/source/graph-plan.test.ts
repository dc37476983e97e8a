import { describe, expect, it } from 'vitest';
import { order, readForeign } from './foreign.ts';

const read = (graph: object) =>
  readForeign('plan.json', { 'plan.json': JSON.stringify(graph, undefined, 1) });

describe('a graph of Beads', () => {
  it('reads an edge without a type as blocking, and leaves loose links out', async () => {
    const reading = await read({
      nodes: [
        { key: 'epic', title: 'Epic', type: 'epic' },
        { key: 'a', title: 'A', parent_key: 'epic' },
        { key: 'b', title: 'B', priority: 0, description: '<!-- hew:model=opus -->' },
        { key: 'c', title: 'C', parent_id: 'known-epic' },
      ],
      edges: [
        { from_key: 'b', to_key: 'a' },
        { from_key: 'c', to_key: 'a', type: 'related' },
        { from_key: 'c', to_id: 'known', type: 'blocks' },
        { from_key: 'b', to_key: 'epic', type: 'parent-child' },
      ],
    });
    expect(order(reading)).toEqual(['epic', 'a', 'b a', 'c known']);
    expect(reading.tasks.map(({ parent }) => parent)).toEqual([
      undefined,
      'epic',
      'epic',
      'known-epic',
    ]);
    expect(reading.tasks[2]).toMatchObject({ priority: 0, labels: ['model:opus'] });
  });

  it('leaves out a gate and what waits for it', async () => {
    const reading = await read({
      nodes: [
        { key: 'gate', title: 'Approval', type: 'gate' },
        { key: 'a', title: 'A' },
        { key: 'b', title: 'B' },
      ],
      edges: [{ from_key: 'a', to_key: 'gate' }],
    });
    expect(order(reading)).toEqual(['b']);
    expect(reading.note).toContain('2 issues are left out');
  });

  it('reports every problem with its line', async () => {
    const { problems } = await read({
      nodes: [
        { key: 'login', title: 'A', parent: 'x' },
        { key: 'login', title: 'B' },
        { key: '', title: 'C' },
        { key: 'd', parent_key: 'logn', priority: 9 },
        'words',
      ],
      edges: [
        { from_key: 'logni', to_key: 'd' },
        { from_id: 'bd-1', to_key: 'd' },
        { to_key: 'd' },
        { from_key: 'd' },
        { from_key: 1, to_key: 'd' },
      ],
    });
    expect(problems).toMatchInlineSnapshot(`
      [
        "plan.json:6: "parent" of node 1 is not a known key → Name the parent with "parent_key".",
        "plan.json:13: "key" of node 3 is "" → Give each node its own key.",
        "plan.json:16: "title" of node 4 is missing → Write a text here, in quotes if it looks like a number or like true or false.",
        "plan.json:19: "priority" of node 4 is 9 → Give 0 (first) to 4 (last), or P0 to P4.",
        "plan.json:21: node 5 is "words" → Write a node as a map with "key" and "title".",
        "plan.json:25: "from_key" of edge 1 is "logni", which no node has as its key → Did you mean "login"?",
        "plan.json:28: edge 2 changes the issue "bd-1", which is not in the graph → Run \`ym edit bd-1\` instead.",
        "plan.json:32: "from_key" of edge 3 is missing → Name a node.",
        "plan.json:35: "to_key" of edge 4 is missing → Name a node.",
        "plan.json:39: "from_key" of edge 5 is 1 → Write a text here, in quotes if it looks like a number or like true or false.",
        "plan.json:18: "parent_key" of node 4 is "logn", which no node has as its key → Did you mean "login"?",
      ]
    `);
  });

  it.each([
    [{ nodes: [] }, '"nodes" of the graph is an empty list'],
    [{ nodes: 'x', edges: 1 }, '"nodes" of the graph is "x"'],
  ])('refuses %j', async (graph, problem) => {
    expect((await read(graph)).problems.join()).toContain(problem);
  });
});
