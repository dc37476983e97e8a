import { describe, expect, it } from 'vitest';
import { agentStory } from '../../../test/report/agent-story.ts';
import { busyNow, busyRecords, busyView } from '../../../test/report/busy-yard.ts';
import { fits } from '../../../test/report/fits.ts';
import { aRecord, aRun } from '../../../test/report/fixtures.ts';
import { attemptsIn, drawnRun, sourceOf, stepsIn } from '../../../test/report/records-of.ts';
import { story } from '../../../test/report/story.ts';
import { commands } from '../../cli/commands.ts';
import { helpText } from '../../cli/help.ts';
import { buildGraph } from '../../graph/graph.ts';
import { criticalPath, wavesOf } from '../../graph/paths.ts';
import { comparisonOf, comparisonText } from '../compare/run-comparison.ts';
import { failuresText, frequentFailures } from '../failures/frequent-failures.ts';
import { render } from '../graph/render.ts';
import { doctorText } from '../run/doctor.ts';
import { ledgerText } from '../run/ledger.ts';
import { planOf, planText } from '../run/plan.ts';
import { prunableText, prunedText } from '../run/prune.ts';
import { runRows, runsText } from '../run/runs.ts';
import { statusText, tasksText } from '../status/status.ts';
import { summaryOf } from '../summary/summary.ts';
import { summaryText } from '../summary/text.ts';
import { compareText, compareView } from '../task/compare.ts';
import { showText, whyText } from '../task/task.ts';
import { inAscii } from './ascii.ts';
import { plain } from './style.ts';

const attempts = attemptsIn(story);
const summary = summaryOf(sourceOf(story, undefined, busyRecords));
const two = comparisonOf(summary, { ...summaryOf(sourceOf(agentStory)), run: 'r2' });
const task = busyView.tasks.find(({ state }) => state === 'failed') ?? busyView.tasks[0];

const graph = buildGraph(busyRecords.map((one) => one.task));
if (!graph.ok) throw new Error('the tasks have no order');
const weight = (): number => 600_000;
const planned = planOf({
  graph: graph.value,
  criticalPath: criticalPath(graph.value, weight),
  heldUp: new Map(),
  weight,
  isTimed: true,
  waves: wavesOf(graph.value),
});

const at = 1_790_000_000_000;
const wrongAgent = { kind: 'usage', problem: 'no agent is set up', remedy: 'Name one.' } as const;
const findings = [
  { name: 'git', text: '2.43.0, and it can merge trees without a checkout of their files' },
  { name: 'sandbox', text: 'no bubblewrap was found on this machine', harmless: true },
  {
    name: 'agent',
    text: 'claude',
    trouble: wrongAgent,
    remedy: 'Type `ym config set agent NAME`.',
  },
  { name: 'store disk', text: '/data/somebody/projects/a-long-name/.git/yardmaster (9 GiB free)' },
];
const commit = 'c0ffee'.repeat(7).slice(0, 40);
const branch = { kind: 'branch', run: 'r1', ref: 'refs/heads/yard/r1/a-1', commit } as const;
const leftovers = [
  { ...branch, only: true },
  { kind: 'kept', run: 'r1', ref: 'refs/yard/keep/r1/a-1', commit, only: true },
  { kind: 'worktree', run: 'r1', dir: '/data/somebody/.local/state/yardmaster/x/r1/1' },
  { kind: 'prepared', dir: '/data/somebody/.local/state/yardmaster/x/p', bytes: 5_000_000 },
] as const;
const files = [{ run: 'r1', dir: '/data/somebody/p/.git/yardmaster/runs/r1', bytes: 9_000_000 }];
const orphans = [{ id: 'ref-without-record', ref: 'refs/heads/yard/r0/b-1', commit }] as const;
const prunable = { leftovers, files, bytes: 9_000_000, orphans };
const pruned = { removed: leftovers.slice(2), saved: [branch], left: [{ leftover: leftovers[1] }] };
const original = aRecord('api', undefined, { title: 'The routes of the service answer with JSON' });
const variants = ['api-1', 'api-2'].map((id) => ({ record: aRecord(id), attempts }));
const entry = { run: 'r1', attempt: 1, commit };
const entries = [
  { ...entry, task: 'ui', fate: { id: 'landed', by: commit } as const },
  { ...entry, task: 'docs', fate: { id: 'waiting', ref: 'refs/yard/keep/r1/docs-1' } as const },
];
const life = { isUnderWay: () => false, driverOf: () => ({ at: 'here' }) as const };
const rows = runRows(
  [aRun({ id: 'r1', startedAt: at }), aRun({ id: 'r2' }), aRun({ id: 'r3' })],
  busyRecords,
  life,
  at,
);
const record = busyRecords.find((one) => one.task.id === task?.id);

/** What each command prints without colors in a width. */
const renderers: Readonly<Record<string, (width: number) => readonly string[]>> = {
  status: (width) => statusText(busyView, { now: busyNow, all: true }, plain, width),
  summary: (width) => summaryText(summary, plain, width),
  why: (width) => (task === undefined ? [] : whyText(task, stepsIn(story, 'ui'), plain, width)),
  plan: (width) => planText(planned, plain, width),
  graph: (width) => render(drawnRun(agentStory), 'ascii', plain, width).trimEnd().split('\n'),
  compare: (width) => comparisonText(two, plain, width),
  failures: (width) =>
    failuresText(
      frequentFailures(attempts, (id) => aRecord(id)),
      attempts.length,
      plain,
      width,
    ),
  doctor: (width) => doctorText(findings, plain, width),
  'compare ID': (width) => compareText(compareView(original, variants, []), plain, width),
  prune: (width) => prunableText(prunable, false, width),
  'prune --apply': (width) => prunedText(pruned, prunable, width),
  tasks: (width) => tasksText({ ...busyView, hidden: 2 }, plain, width),
  show: (width) =>
    record === undefined || task === undefined ? [] : showText(record, task, plain, width),
  runs: (width) => runsText(rows, plain, width, 0, at),
  ledger: (width) =>
    ledgerText(
      { entries, unsaved: [], strays: [], shared: [], archives: [], mismatches: [] },
      plain,
      width,
    ),
  'help run': (width) => helpText(commands, 'run', width).trimEnd().split('\n'),
  help: (width) => helpText(commands, undefined, width).trimEnd().split('\n'),
};

describe.each(Object.keys(renderers))('the text of ym %s', (name) => {
  const draw = renderers[name] ?? (() => []);

  it.each([40, 60, 80, 120, 200, 300])('fits into %i columns', (width) => {
    const lines = draw(width);
    expect(lines.length).toBeGreaterThan(3);
    expect(lines.filter((line) => !fits(line, width))).toEqual([]);
    expect(lines.join('')).not.toContain('\u001b');
  });

  it('has a sign in ASCII for each of its own, for a terminal without Unicode', () => {
    const lines = draw(120);
    const shown = lines.map(inAscii);
    expect(shown.filter((line) => /[^ -~]/.test(line))).toEqual([]);
    const unknown = lines.filter((line, at) => /\?/.test(shown[at] ?? '') && !line.includes('?'));
    expect(unknown).toEqual([]);
  });

  it('reads in the narrowest terminal', () => {
    expect(`\n${draw(40).join('\n')}\n`).toMatchSnapshot();
  });
});
