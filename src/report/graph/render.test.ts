import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { agentStory } from '../../../test/report/agent-story.ts';
import { anyDrawing } from '../../../test/report/any-drawing.ts';
import { anyLog, anyRecords } from '../../../test/report/any-log.ts';
import { failures } from '../../../test/report/failures.ts';
import { anAttempt, aRecord, aRun, logOf } from '../../../test/report/fixtures.ts';
import { colors, shown } from '../../../test/report/ink.ts';
import { drawnRun } from '../../../test/report/records-of.ts';
import { start, story } from '../../../test/report/story.ts';
import { outcomes } from '../../model/history.ts';
import type { TaskRecord } from '../../model/task-record.ts';
import { outcomeGlyphs } from '../format/glyph.ts';
import { plain } from '../format/style.ts';
import { widthOf } from '../format/width.ts';
import { taskViewsOf } from '../view/task.ts';
import { ascii } from './ascii.ts';
import { type NodeColors, nodeStyles } from './drawing.ts';
import { dot, mermaid } from './markup.ts';
import { formatFor, render } from './render.ts';
import { taskDrawing } from './tasks.ts';

const commit = 'b'.repeat(40);
const records = [
  aRecord('schema', { id: 'landed', commit, run: 'r1', at: 5 }),
  aRecord(
    'api',
    { id: 'failed', failure: failures['no-changes'], run: 'r1' },
    { after: ['schema'] },
  ),
  aRecord('ui', undefined, { after: ['schema'], blockers: 0 }),
  aRecord('docs', undefined, { after: ['api', 'ui'] }),
  aRecord('odd', undefined, { after: ['nowhere'] }),
];
const drawn = (stored: readonly TaskRecord[], all = false) =>
  taskDrawing(stored, taskViewsOf(stored), all);
const tasks = drawn(records, true);
const run = drawnRun(story);

/** What every Mermaid text of ours must be, whatever the labels. */
function expectMermaid(text: string): void {
  const label = '"(?:[^"\\n]*)"';
  const lines = [
    /^flowchart (?:LR|TD)$/,
    new RegExp(`^ {2}subgraph lane\\d+\\[${label}\\]$`),
    /^ {2}end$/,
    new RegExp(`^ {2,4}n\\d+\\[${label}\\](?::::look_[a-z]+)?$`),
    new RegExp(`^ {2}n\\d+ (?:-->|---|-\\.->|-\\.-x|--x|==>)(?:\\|${label}\\|)? n\\d+$`),
    /^ {2}classDef look_[a-z]+ fill:#[0-9a-f]{6},stroke:#[0-9a-f]{6},color:#[0-9a-f]{6}(?:,stroke-dasharray:5 4)?$/,
  ];
  for (const line of text.trimEnd().split('\n')) {
    expect(
      lines.some((pattern) => pattern.test(line)),
      line,
    ).toBe(true);
    for (const [, label = ''] of line.matchAll(/"([^"]*)"/g)) {
      const bare = label.replaceAll('<br/>', '').replaceAll(/#\d+;/g, '');
      expect(bare).not.toMatch(/[<>"`#;&{}[\]|\\]/);
    }
  }
  const count = (pattern: RegExp): number => text.match(pattern)?.length ?? 0;
  expect(count(/^ {2}subgraph /gm)).toBe(count(/^ {2}end$/gm));
}

/** The same for DOT: strings are closed, braces and brackets are balanced outside them. */
function expectDot(text: string): void {
  const bare = text.replaceAll(/"(?:[^"\\\n]|\\.)*"/g, '""');
  expect(bare).not.toMatch(/[^"]"[^"]|\\/);
  for (const [open, close] of ['{}', '[]'].map((pair) => [...pair])) {
    expect(bare.split(open ?? '').length).toBe(bare.split(close ?? '').length);
  }
  for (const line of bare.trimEnd().split('\n').slice(1, -1)) {
    expect(line).toMatch(
      /^ {2,4}(?:subgraph cluster_\d+ \{|\}|\w+=(?:""|\w+);|\w+(?: -> n\d+)? \[.*\];)$/,
    );
  }
}

describe('the task graph', () => {
  it('is drawn with rails in a terminal', () => {
    expect(`\n${ascii(tasks, plain, 80).join('\n')}\n`).toMatchInlineSnapshot(`
      "
      6 tasks

      ✓    schema  landed
      ├─✗  api  failed  The agent finished but made no changes.
      ○ │  ui  ready
      ■─╯  docs  waiting behind api  Waits for api, which is failed.

      ?    nowhere  unknown
      ·    odd  open
      "
    `);
  });

  it('is drawn in Mermaid', () => {
    expect(mermaid(tasks)).toMatchInlineSnapshot(`
      "flowchart TD
        n0["✓ schema<br/>landed"]:::look_done
        n1["✗ api<br/>failed<br/>The agent finished but made no changes."]:::look_error
        n2["○ ui<br/>ready"]:::look_ready
        n3["■ docs<br/>waiting behind api<br/>Waits for api, which is failed."]:::look_blocked
        n4["· odd<br/>open"]:::look_waiting
        n5["#63; nowhere<br/>unknown"]:::look_unknown
        n0 --> n1
        n0 --> n2
        n1 --> n3
        n2 --> n3
        n5 --> n4
        classDef look_done fill:#d5f0d5,stroke:#2e7d32,color:#111111
        classDef look_error fill:#fbd9d9,stroke:#c62828,color:#111111
        classDef look_ready fill:#ffffff,stroke:#333333,color:#111111
        classDef look_blocked fill:#fff3cf,stroke:#b07d00,color:#111111
        classDef look_waiting fill:#f4f4f4,stroke:#999999,color:#111111
        classDef look_unknown fill:#ffffff,stroke:#c62828,color:#111111,stroke-dasharray:5 4
      "
    `);
  });

  it('is drawn in DOT', () => {
    expect(dot(tasks)).toMatchInlineSnapshot(`
      "digraph yard {
        label="6 tasks";
        rankdir=TB;
        node [shape=box, style="rounded,filled", fontname="sans-serif"];
        n0 [label="✓ schema\\nlanded", class="done", fillcolor="#d5f0d5", color="#2e7d32"];
        n1 [label="✗ api\\nfailed\\nThe agent finished but made no changes.", class="error", fillcolor="#fbd9d9", color="#c62828"];
        n2 [label="○ ui\\nready", class="ready", fillcolor="#ffffff", color="#333333"];
        n3 [label="■ docs\\nwaiting behind api\\nWaits for api, which is failed.", class="blocked", fillcolor="#fff3cf", color="#b07d00"];
        n4 [label="· odd\\nopen", class="waiting", fillcolor="#f4f4f4", color="#999999"];
        n5 [label="? nowhere\\nunknown", class="unknown", fillcolor="#ffffff", color="#c62828", style="rounded,filled,dashed"];
        n0 -> n1 [style=solid];
        n0 -> n2 [style=solid];
        n1 -> n3 [style=solid];
        n2 -> n3 [style=solid];
        n5 -> n4 [style=solid];
      }
      "
    `);
  });

  it('leaves out what is done unless all is asked for', () => {
    const names = drawn(records).nodes.map(({ id }) => id);
    expect(names).toEqual(['api', 'ui', 'docs', 'odd', 'nowhere']);
    expect(drawn(records).title).toContain('1 done not shown');
  });

  it('says so where nothing is left to draw', () => {
    expect(ascii(drawn(records.slice(0, 1)), plain, 80)).toEqual([
      'No open tasks; 1 task is done: ym graph --all',
    ]);
    expect(ascii(drawn([]), plain, 80)).toEqual(['No tasks']);
  });

  it('is valid and fits, whatever the records', () => {
    fc.assert(
      fc.property(
        anyRecords,
        fc.integer({ min: 16, max: 300 }),
        fc.boolean(),
        (any, width, all) => {
          const drawing = drawn(any, all);
          for (const line of ascii(drawing, plain, width)) {
            expect(widthOf(line)).toBeLessThanOrEqual(width);
          }
          expectMermaid(mermaid(drawing));
          expectDot(dot(drawing));
        },
      ),
    );
  });

  it('says that a task has stopped whose run is over, as lists do', () => {
    const state = { id: 'working', slot: 1, turn: 1, since: 1 } as const;
    const working = [aRecord('a', undefined, { attempt: anAttempt(state) })];
    const nodesIn = (underWay: readonly string[]) =>
      taskDrawing(working, taskViewsOf(working, { run: undefined, underWay, now: 9 })).nodes;
    expect(nodesIn(['r1'])).toMatchObject([{ glyph: '▶', detail: 'working', style: 'active' }]);
    expect(nodesIn([])).toMatchObject([{ glyph: '⋯', detail: 'stopped', style: 'incomplete' }]);
  });

  it('stays readable with fifty tasks', () => {
    const many = Array.from({ length: 50 }, (_, at) =>
      aRecord(`t${at}`, undefined, { after: at < 3 ? [] : [`t${Math.floor(at / 3)}`] }),
    );
    const lines = ascii(drawn(many), plain, 80);
    expect(lines.length).toBeLessThan(60);
    for (const id of ['t0', 't49']) expect(lines.join('\n')).toMatch(new RegExp(`  ${id} `));
  });
});

describe('the attempts of a run', () => {
  it('are drawn in lanes in a terminal', () => {
    expect(`\n${ascii(run, plain, 80).join('\n')}\n`).toMatchInlineSnapshot(`
      "
      Attempts of run r1

      slot 1  ↺ api.1/1 ─↺─ ✓ api.1/2 ─── ◌ ui.2 ─── ⊘ cut.1
      slot 2  ✗ ui.1 ─── ◐ docs.1 ─── ⋯ lost.1
      ◎ main

      ↺ api.1/1  1 s  \`npm test\` failed (exit 1) after merging with the target.
      ✓ api.1/2  1 s  landed as bbbbbbb
      ✗ ui.1  1 s  The agent exited with status 3.
      ◌ ui.2  1 s  The agent printed nothing for 15 m 00 s and was stopped. (no outpu…
      ◐ docs.1  1 s  The agent finished but made no changes.
      ⊘ cut.1  1 s  interrupted at 00:00:26
      ⋯ lost.1  no end recorded
      api.1/1 ─↺─ api.1/2  \`npm test\` failed (exit 1) after merging with the target.
      ui.1 ┄⟳┄ ui.2  The agent exited with status 3.

      ─↺─ returned to its agent
      "
    `);
  });

  it('are drawn in Mermaid', () => {
    expect(mermaid(run)).toMatchInlineSnapshot(`
      "flowchart LR
        subgraph lane0["slot 1"]
          n0["↺ api.1/1<br/>1 s<br/>#96;npm test#96; failed (exit 1) after merging with the target."]:::look_returned
          n1["✓ api.1/2<br/>1 s<br/>landed as bbbbbbb"]:::look_done
          n3["◌ ui.2<br/>1 s<br/>The agent printed nothing for 15 m 00 s and was stopped. (no output, possibly hung)"]:::look_hung
          n5["⊘ cut.1<br/>1 s<br/>interrupted at 00:00:26"]:::look_canceled
        end
        subgraph lane1["slot 2"]
          n2["✗ ui.1<br/>1 s<br/>The agent exited with status 3."]:::look_error
          n4["◐ docs.1<br/>1 s<br/>The agent finished but made no changes."]:::look_silent
          n6["⋯ lost.1<br/>no end recorded"]:::look_incomplete
        end
        n7["◎ main"]:::look_target
        n0 -.->|"#96;npm test#96; failed (exit 1) after merging with the target."| n1
        n2 --x|"The agent exited with status 3."| n3
        n1 --- n3
        n3 --- n5
        n2 --- n4
        n4 --- n6
        n1 ==> n7
        classDef look_returned fill:#ffe6cc,stroke:#c05a00,color:#111111
        classDef look_done fill:#d5f0d5,stroke:#2e7d32,color:#111111
        classDef look_error fill:#fbd9d9,stroke:#c62828,color:#111111
        classDef look_hung fill:#fbd9d9,stroke:#7a4a4a,color:#111111,stroke-dasharray:5 4
        classDef look_silent fill:#eeeeee,stroke:#5f5f5f,color:#111111
        classDef look_canceled fill:#ecdcf3,stroke:#6a1b9a,color:#111111
        classDef look_incomplete fill:#ffffff,stroke:#00838f,color:#111111,stroke-dasharray:5 4
        classDef look_target fill:#2e7d32,stroke:#1b4d1e,color:#ffffff
      "
    `);
  });

  it('lead to the target only where they landed', () => {
    const landed = run.edges.filter(({ kind }) => kind === 'landed');
    expect(landed).toHaveLength(1);
    expect(landed[0]?.to).toBe('target');
    expect(drawnRun(logOf(start)).nodes).toEqual([]);
  });

  it('go back to their own agent with the reason', () => {
    const back = run.edges.find(({ kind }) => kind === 'returned');
    expect(back?.label).toContain('`npm test` failed');
  });

  it('are tried afresh with the reason', () => {
    const retry = run.edges.find(({ kind }) => kind === 'retry');
    expect(retry?.label).toBe('The agent exited with status 3.');
  });

  it('note a hang, a stop and a missing end', () => {
    const notes = run.nodes.map(({ note }) => note ?? '');
    expect(notes.some((note) => note.includes('no output, possibly hung'))).toBe(true);
    expect(notes).toContain('interrupted at 00:00:26');
    expect(notes).toContain('no end recorded');
  });

  it('look different for every way they can come out', () => {
    const signs = outcomes.map((outcome) => outcomeGlyphs[outcome]);
    expect(new Set(signs).size).toBe(outcomes.length);
    const of = { run: 'r1', id: 'plan', attempt: 1 };
    const plan = logOf({ ...of, type: 'work-planned', filed: ['api'] });
    const entries = [{ id: 'handed', attempt: 1, commit }];
    const given = {
      run: 'r1',
      candidate: 'c9',
      how: 'pr',
      entries,
      branch: 'yard/handed',
    } as const;
    const handed = logOf(
      { ...of, id: 'handed', type: 'gate-skipped', tree: 't', reason: 'it is good' },
      { ...given, type: 'delivered', url: 'https://example.com/7' },
    );
    const superseded = { kind: 'superseded', by: 'fast.v2' } as const;
    const other = logOf({ ...of, id: 'fast.v1', type: 'attempt-failed', failure: superseded });
    const red = { id: 'red', tests: ['adds'], files: ['a.test.ts'] } as const;
    const failure = { kind: 'no-changes', tail: '' } as const;
    const tested = logOf(
      { ...of, id: 'first', type: 'turn-started', turn: 1, slot: 1 },
      {
        ...{ ...of, id: 'first', type: 'branch-judged', tree: 't', gate: 'g', cached: false },
        ...{ verdict: { id: 'failed', ms: 1, failure }, tests: red },
      },
    );
    const { nodes } = drawnRun([...story, ...plan, ...handed, ...other, ...tested]);
    expect(nodes.find(({ name }) => name === 'handed.1')?.note).toBe(
      'delivered as https://example.com/7',
    );
    const drawn = new Map(nodes.map(({ glyph, style }) => [glyph, style]));
    expect(new Set(drawn.values()).size).toBe(drawn.size);
    for (const sign of signs) expect([...drawn.keys()]).toContain(sign);
  });

  it('note a turn that the conversation went on after, and one that a service refused', () => {
    const notes = drawnRun(agentStory).nodes.map(({ name, note }) => [name, note]);
    expect(notes).toContainEqual(['api.1/1', 'ended without a word']);
    expect(notes).toContainEqual(['api.1/2', 'asked for further tasks']);
    expect(notes.find(([name]) => name === 'docs.1')?.[1]).toContain('The quota of claude');
  });

  it('are named by the run whose record is given', () => {
    expect(drawnRun(story, aRun({ id: 'r2' })).nodes).toEqual([]);
  });

  it('are valid and fit, whatever the log', () => {
    fc.assert(
      fc.property(anyLog, fc.integer({ min: 16, max: 300 }), fc.boolean(), (log, width, tinted) => {
        const drawing = drawnRun(log);
        for (const line of ascii(drawing, tinted ? colors : plain, width)) {
          expect(widthOf(line)).toBeLessThanOrEqual(width);
          expect(line).not.toContain('\n');
        }
        expectMermaid(mermaid(drawing));
        expectDot(dot(drawing));
      }),
      { numRuns: 200 },
    );
  });
});

describe('any drawing', () => {
  it('is escaped', () => {
    fc.assert(
      fc.property(anyDrawing, (drawing) => {
        expectMermaid(mermaid(drawing));
        expectDot(dot(drawing));
        for (const line of ascii(drawing, plain, 40)) {
          expect(shown(line)).not.toMatch(/\p{Cc}/u);
          expect(widthOf(line)).toBeLessThanOrEqual(40);
        }
      }),
      { numRuns: 300 },
    );
  });

  it('gives every style its own color', () => {
    const seen = Object.values<NodeColors>(nodeStyles).map(
      ({ fill, line, isDashed }) => `${fill}${line}${isDashed}`,
    );
    expect(new Set(seen).size).toBe(seen.length);
  });
});

describe('rendering', () => {
  it('takes the format from the name of a file', () => {
    expect(formatFor('a.md')).toBe('mermaid');
    expect(formatFor('a.mmd')).toBe('mermaid');
    expect(formatFor('a.dot')).toBe('dot');
    expect(formatFor('a.txt')).toBe('ascii');
  });

  it('puts a fence around what goes into Markdown', () => {
    expect(render(tasks, 'mermaid', plain, 80, 'a.md')).toMatch(
      /^```mermaid\nflowchart TD\n[\s\S]*\n```\n$/,
    );
    expect(render(tasks, 'ascii', plain, 80, 'a.md')).toMatch(/^```text\n/);
    expect(render(tasks, 'dot', plain, 80)).toMatch(/^digraph yard \{\n/);
  });
});
