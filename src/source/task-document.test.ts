import { describe, expect, it } from 'vitest';
import { fullTask, plainTask } from '../../test/conformance/source.ts';
import { readMarkdown, taskDocument } from './markdown.ts';

describe('a task as a document', () => {
  it.each([plainTask, fullTask, { ...plainTask, title: '# 12 "quoted" #', body: '# A heading' }])(
    'is read back as it was: $title',
    (task) => {
      expect(readMarkdown(`${task.id}.md`, taskDocument(task))).toEqual({ ok: true, value: task });
    },
  );

  it('shows every key, so that nobody has to know them', () => {
    expect(taskDocument(plainTask)).toMatchInlineSnapshot(`
      "---
      # Change what you like and leave the editor. The body is below the second line of dashes.
      title: "A plain task"
      after: []
      priority: 2
      type: "task"
      labels: []
      paths: []
      scope: "predicted"
      checks: []
      acceptance: []
      parent:
      difficulty:
      estimate:
      link:
      wait:
      agent:
      attempts:
      ---


      "
    `);
  });
});
