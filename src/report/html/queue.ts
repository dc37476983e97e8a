import type { GateRun, QueueStep } from '../../model/queue-history.ts';
import { dropReasonText } from '../event/dropped.ts';
import { clockTime, shortCommit, span } from '../format/time.ts';
import { escaped } from './escape.ts';

type Body = QueueStep['what'];
type Step = { readonly at: number; readonly what: Body };

const marks: Readonly<Record<GateRun['verdict'], readonly [string, string]>> = {
  passed: ['✓', 'good'],
  failed: ['✗', 'bad'],
  'not-run': ['⊘', 'warn'],
  abandoned: ['–', 'dim'],
};

/** One row per candidate, with every gate run on a part of it, and the branch that was to blame. */
export function candidatesTable(steps: readonly QueueStep[], offsetMin: number): string {
  const byCandidate = new Map<string, Step[]>();
  const others: Step[] = [];
  for (const step of steps) {
    const candidate = candidateOf(step.what);
    const own = candidate === undefined ? others : (byCandidate.get(candidate) ?? []);
    own.push(step);
    if (candidate !== undefined) byCandidate.set(candidate, own);
  }
  if (steps.length === 0) return '<p class="dim">Nothing was judged or landed.</p>';
  const rows = [...byCandidate].map(([id, own]) => candidateRow(id, own, offsetMin));
  const list = others.flatMap((step) => lineOf(step, offsetMin));
  const head = ['candidate', 'branches', 'what happened']
    .map((name) => `<th>${name}</th>`)
    .join('');
  return [
    rows.length === 0
      ? ''
      : `<div class="scroll"><table><thead><tr>${head}</tr></thead><tbody>${rows.join('\n')}</tbody></table></div>`,
    list.length === 0 ? '' : `<h3>Branches and target</h3><ul>${list.join('\n')}</ul>`,
  ].join('\n');
}

function candidateOf(what: Body): string | undefined {
  if (what.type === 'gated') {
    return what.run.work.id === 'candidate' ? what.run.work.candidate : undefined;
  }
  return 'candidate' in what ? what.candidate : undefined;
}

function candidateRow(id: string, steps: readonly Step[], offsetMin: number): string {
  const built = steps.map(({ what }) => what).find((what) => what.type === 'built');
  const tasks = built?.type === 'built' ? built.tasks : [];
  const on = built?.type === 'built' && built.on !== undefined ? ` on ${built.on}` : '';
  const lines = steps.flatMap((step) => lineOf(step, offsetMin));
  return `<tr><td class="mono">${escaped(`${id}${on}`)}</td><td>${tasks.map(escaped).join('<br>')}</td><td><ul>${lines.join('')}</ul></td></tr>`;
}

function lineOf(step: Step, offsetMin: number): readonly string[] {
  const text = stepHtml(step.what, step.at);
  const time = `<span class="mono dim">${clockTime(step.at, offsetMin)}</span>`;
  return text === '' ? [] : [`<li>${time} ${text}</li>`];
}

function stepHtml(what: Body, at: number): string {
  const names = (all: readonly string[]): string => escaped(all.join(', '));
  switch (what.type) {
    case 'gated':
      return gateHtml(what.run, at);
    case 'blamed': {
      const verb = what.green.length === 1 ? 'passes' : 'pass';
      const green = what.green.length === 0 ? '' : `; ${names(what.green)} ${verb} without it`;
      const behind = what.behind.length === 0 ? '' : `; ${names(what.behind)} queue again`;
      return `<b class="bad">${escaped(what.task)}</b> makes it red${green}${behind}`;
    }
    case 'taken-apart':
      return `split: the failures point to ${names(what.suspects)}`;
    case 'conflicted':
      return what.behind === undefined
        ? `<b class="warn">${escaped(what.task)}</b> conflicts with the target${what.files.length === 0 ? '' : ` in ${names(what.files)}`}`
        : `${escaped(what.task)} conflicts with ${escaped(what.behind)} and waits for it`;
    case 'dropped':
      return `dropped: ${escaped(dropReasonText(what.reason))}`;
    case 'landed':
      return `<b class="good">landed</b> ${names(what.tasks)} as ${escaped(shortCommit(what.commit))}`;
    case 'delivered':
      return `<b class="good">delivered</b> ${names(what.tasks)} as ${escaped(what.branch)}`;
    default:
      return '';
  }
}

function gateHtml(run: GateRun, at: number): string {
  const [sign, kind] = marks[run.verdict] ?? ['?', 'dim'];
  const took = run.cached ? 'from the cache' : span(at - run.since);
  const failing = run.failing.length === 0 ? '' : `: ${escaped(run.failing.join(', '))}`;
  return `<b class="${kind}">${sign}</b> ${workHtml(run)} <span class="dim">${took}</span>${failing}`;
}

function workHtml({ work, ...run }: GateRun): string {
  const verdict = run.verdict.replace('-', ' ');
  switch (work.id) {
    case 'branch':
      return `branch of ${escaped(work.task)} ${verdict}`;
    case 'target':
      return `target ${escaped(shortCommit(work.commit))} ${verdict}`;
    case 'candidate': {
      const part =
        work.tasks.length < work.of ? `bisection: first ${work.tasks.length} of ${work.of}, ` : '';
      return `${part}${escaped(work.tasks.join(' + '))} ${verdict}`;
    }
  }
}
