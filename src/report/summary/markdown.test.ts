import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { agentStory } from '../../../test/report/agent-story.ts';
import { anyLog } from '../../../test/report/any-log.ts';
import { aRecord } from '../../../test/report/fixtures.ts';
import { sourceOf } from '../../../test/report/records-of.ts';
import { summaryMarkdown } from './markdown.ts';
import { summaryOf } from './summary.ts';

describe('a summary in Markdown', () => {
  it('reads', () => {
    expect(`\n${summaryMarkdown(summaryOf(sourceOf(agentStory))).join('\n')}\n`).toMatchSnapshot();
  });

  it('has no markup, link or mention that a title made', () => {
    const title = '<b>[x](http://a.b) @you #1 `code` | **bold**';
    const record = aRecord('odd', undefined, {});
    const tasks = [{ ...record, task: { ...record.task, title } }];
    const [line = ''] = summaryMarkdown(summaryOf(sourceOf(agentStory, undefined, tasks))).filter(
      (one) => one.startsWith('- `odd`'),
    );
    expect(line).toContain(
      '\\<b\\>\\[x\\]\\(http://a.b\\) @&#8203;you \\#1 \\`code\\` \\| \\*\\*bold\\*\\*',
    );
  });

  it('has whole lines on any log', () => {
    fc.assert(
      fc.property(anyLog, (events) => {
        for (const line of summaryMarkdown(summaryOf(sourceOf(events)))) {
          expect(line).not.toContain('\n');
          if (line.startsWith('|')) expect(line.endsWith('|')).toBe(true);
        }
      }),
    );
  });
});
