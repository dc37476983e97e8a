import { describe, expect, test } from 'vitest';
import { Story, task } from '../../../test/story.ts';
import { viewOf } from '../view/view.ts';
import { prometheusText } from './prometheus.ts';

/** Every line of the text format: a comment, or a name with labels and a number. */
const line =
  /^(?:# (?:HELP|TYPE) \w+ .+|\w+(?:\{(?:\w+="(?:[^"\\\n]|\\[\\"n])*",?)*\})? -?\d+(?:\.\d+)?)$/;

function textOf(story: Story, target = 'main'): string {
  const records = [...story.state.tasks.values()];
  const record = story.state.run(story.run);
  const run = record && {
    record: { ...record, settings: { ...record.settings, target } },
    driver: { at: 'here' } as const,
  };
  const known = { tasks: { id: 'all', records }, underWay: ['r1'], quarantinedChecks: [] } as const;
  return prometheusText(
    viewOf({ ...known, lastActions: new Map(), ...(run === undefined ? {} : { run }) }, story.now),
  );
}

describe('metrics for Prometheus', () => {
  test('are valid lines with help and type before the samples of each metric', () => {
    const story = new Story()
      .tasks(task('a'), task('b'))
      .start({ jobs: 2 })
      .prepared('a')
      .turn('a');
    const text = textOf(story);
    for (const one of text.trimEnd().split('\n')) expect(one).toMatch(line);
    expect(text.endsWith('\n')).toBe(true);
    expect(text).toContain(
      '# TYPE yardmaster_agent_starts_total counter\nyardmaster_agent_starts_total 1\n',
    );
    expect(text).toContain('yardmaster_tasks{state="working"} 1\n');
    expect(text).toContain('yardmaster_slots{phase="idle"} 1\n');
    expect(text).toContain('yardmaster_slot_status{status="open"} 2\n');
  });

  test('leave out what is not known', () => {
    const text = textOf(new Story().tasks(task('a')));
    expect(text).toContain('yardmaster_tasks{state="ready"} 1\n');
    expect(text).not.toMatch(/run_info|tokens|cost|starts/);
  });

  test('escape the values of labels', () => {
    const text = textOf(new Story().start(), 'a"b\\c\nd');
    expect(text).toContain('target="a\\"b\\\\c\\nd"');
  });
});
