import type { View } from '../view/view.ts';

interface Sample {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

interface Metric {
  readonly name: string;
  readonly type: 'gauge' | 'counter';
  readonly help: string;
  readonly samples: readonly Sample[];
}

export const prometheusType = 'text/plain; version=0.0.4; charset=utf-8';

/**
 * The view of a project in the text format of Prometheus. Counters are those of the run that is shown, whose id is a label
 * of `yardmaster_run_info`: a new run starts them from zero.
 */
export function prometheusText(view: View): string {
  return metricsOf(view)
    .filter(({ samples }) => samples.length > 0)
    .map(textOf)
    .join('');
}

function metricsOf(view: View): readonly Metric[] {
  const { run, counts, needsYou, slots, train, gates, spend, paused, pausedSteps } = view;
  const known = run.state === 'none' ? undefined : run;
  const phases = countsOf(slots.map(({ phase }) => phase));
  const statuses = countsOf(slots.map(({ status }) => status));
  const needs = countsOf(needsYou.map(({ kind }) => kind));
  return [
    gauge(
      'run_info',
      'The run that is shown; always 1',
      known === undefined
        ? []
        : [
            {
              labels: {
                run: known.id,
                state: known.state,
                target: known.target.branch,
                agent: known.agent,
              },
              value: 1,
            },
          ],
    ),
    gauge(
      'run_start_time_seconds',
      'Start of the run, in seconds since 1970',
      plain(known && known.startedAt / 1000),
    ),
    gauge('tasks', 'Tasks by state', labeled('state', Object.entries(counts))),
    gauge('needs_you', 'Decisions that wait for a person, by kind', labeled('kind', needs)),
    gauge('slots', 'Slots by phase of the work in them', labeled('phase', phases)),
    gauge(
      'slot_status',
      'Slots by whether new work may start in them',
      labeled('status', statuses),
    ),
    gauge('queue_branches', 'Branches in the merge queue', plain(known && train.length)),
    gauge('gates_running', 'Gates that run now', plain(known && gates.length)),
    gauge('accounts_paused', 'Accounts that may not be used now', plain(known && paused.length)),
    gauge(
      'steps_paused',
      'Steps that the machine keeps from succeeding',
      plain(known && pausedSteps.length),
    ),
    counter('agent_starts_total', 'Agent starts of the run', plain(known && spend.starts)),
    counter('landed_total', 'Branches that the run landed', plain(known && spend.landed)),
    counter(
      'tokens_total',
      'Tokens that the run used, as far as agents report them',
      plain(spend.tokens),
    ),
    counter(
      'cost_usd_total',
      'Cost of the run in US dollars, as far as it is known',
      plain(spend.costUsd),
    ),
  ];
}

function gauge(name: string, help: string, samples: readonly Sample[]): Metric {
  return { name: `yardmaster_${name}`, type: 'gauge', help, samples };
}

function counter(name: string, help: string, samples: readonly Sample[]): Metric {
  return { name: `yardmaster_${name}`, type: 'counter', help, samples };
}

/** A sample without labels; none if the value is not known. */
function plain(value: number | undefined): readonly Sample[] {
  return value === undefined ? [] : [{ labels: {}, value }];
}

function labeled(label: string, values: Iterable<readonly [string, number | undefined]>): Sample[] {
  return [...values].map(([name, value = 0]) => ({ labels: { [label]: name }, value }));
}

function countsOf(words: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}

function textOf({ name, type, help, samples }: Metric): string {
  const lines = samples.map(({ labels, value }) => `${name}${labelText(labels)} ${value}`);
  return [`# HELP ${name} ${escaped(help)}`, `# TYPE ${name} ${type}`, ...lines, ''].join('\n');
}

function labelText(labels: Sample['labels']): string {
  const parts = Object.entries(labels).map(
    ([key, value]) => `${key}="${escaped(value).replaceAll('"', '\\"')}"`,
  );
  return parts.length === 0 ? '' : `{${parts.join(',')}}`;
}

function escaped(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
}
