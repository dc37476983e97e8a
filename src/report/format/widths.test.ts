import { describe, expect, it } from 'vitest';
import { agentStory } from '../../../test/report/agent-story.ts';
import { busyNow, busyRecords, busyView } from '../../../test/report/busy-yard.ts';
import { aRecord } from '../../../test/report/fixtures.ts';
import { attemptsIn, drawnRun, sourceOf, stepsIn } from '../../../test/report/records-of.ts';
import { story } from '../../../test/report/story.ts';
import { buildGraph } from '../../graph/graph.ts';
import { criticalPath, wavesOf } from '../../graph/paths.ts';
import { comparisonOf, comparisonText } from '../compare/run-comparison.ts';
import { failuresText, frequentFailures } from '../failures/frequent-failures.ts';
import { render } from '../graph/render.ts';
import { planOf, planText } from '../run/plan.ts';
import { statusText } from '../status/status.ts';
import { summaryOf } from '../summary/summary.ts';
import { summaryText } from '../summary/text.ts';
import { whyText } from '../task/task.ts';
import { inAscii } from './ascii.ts';
import { plain } from './style.ts';
import { widthOf } from './width.ts';

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
};

describe.each(Object.keys(renderers))('the text of ym %s', (name) => {
  const draw = renderers[name] ?? (() => []);

  it.each([40, 60, 80, 120, 200, 300])('fits into %i columns', (width) => {
    const lines = draw(width);
    expect(lines.length).toBeGreaterThan(3);
    expect(lines.filter((line) => widthOf(line) > width)).toEqual([]);
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
