import { describe, expect, it } from 'vitest';
import type { Task } from '../../src/model/task.ts';
import { isTaskFile, readMarkdown } from '../../src/source/markdown.ts';
import { need } from '../rig/need.ts';

function task(text: string, file = 'tasks/add-search.md'): Task {
  const read = need(readMarkdown(file, text));
  return read;
}

const messages = (text: string, file = 'a.md'): unknown[] => {
  const read = readMarkdown(file, text);
  if (read.ok) return [];
  return read.failure.map((failure) =>
    failure.kind === 'source-invalid'
      ? `${failure.file}:${failure.line}: ${failure.problem}`
      : failure,
  );
};

describe('a Markdown file', () => {
  it('takes title and body from the text and the id from the name', () => {
    expect(task('# Add the search\n\nWhat to do.\n\n## Done means\n\n- it works\n')).toMatchObject({
      id: 'add-search',
      title: 'Add the search',
      body: 'What to do.\n\n## Done means\n\n- it works',
    });
  });

  it('takes the same keys as a plan file in front of the text', () => {
    const text = '---\nid: s1\nafter: [schema, 12]\npriority: P1\nscope: strict\n---\n\n# Add it\n';
    expect(task(text)).toMatchObject({
      id: 's1',
      title: 'Add it',
      after: ['schema', '12'],
      priority: 1,
      scope: 'strict',
      body: '',
    });
  });

  it('keeps what stands before the heading', () => {
    expect(task('Note first.\n\n# Title ##\nThen this.')).toMatchObject({
      title: 'Title',
      body: 'Note first.\n\nThen this.',
    });
  });

  it('does not take a comment in code for the heading', () => {
    expect(task('```sh\n# not this\n```\n\n# This\n')).toMatchObject({
      title: 'This',
      body: '```sh\n# not this\n```',
    });
    expect(task('````\n```\n# not this\n````\n# This').title).toBe('This');
  });

  it('takes a title of the front matter over headings, which stay in the body then', () => {
    expect(task('---\ntitle: Mine\n---\n# Heading\ntext\n')).toMatchObject({
      title: 'Mine',
      body: '# Heading\ntext',
    });
  });

  it('takes a body of the front matter where the text has none', () => {
    expect(task('---\nbody: All of it.\n---\n# Title\n').body).toBe('All of it.');
  });

  it('reads files of other systems', () => {
    expect(task('\uFEFF---\r\npriority: 0\r\n---\r\n# Title\r\n\r\nOne\r\nTwo\r\n')).toMatchObject({
      title: 'Title',
      priority: 0,
      body: 'One\nTwo',
    });
  });

  it('makes an id of a name that cannot be one', () => {
    expect(task('# T', 'tasks/01 Add the thing.md').id).toBe('01-add-the-thing');
  });

  it('takes a rule in the text for a rule', () => {
    expect(task('# T\n\na\n\n---\n\nb').body).toBe('a\n\n---\n\nb');
  });
});

describe('a Markdown file that is wrong', () => {
  it.each([
    ['no heading', 'Just text.\n## Two\n', 'a.md:1: the task has no title'],
    ['no heading behind front matter', '---\nid: x\n---\ntext\n', 'a.md:4: the task has no title'],
    ['front matter without end', '---\nid: x\n# T\n', 'a.md:1: the front matter is not closed'],
    ['an unknown key', '---\nid: x\nprio: 1\n---\n# T\n', 'a.md:3: "prio" is not a known key'],
    ['a bad value', '---\nid: x\npriority: 9\n---\n# T\n', 'a.md:3: "priority" is 9'],
    ['broken YAML', '---\nid: x\nid: y\n---\n# T\n', 'a.md:3: the same key is given twice'],
    ['a list in front', '---\n- a\n---\n# T\n', 'a.md:2: the front matter is a list'],
    [
      'two bodies',
      '---\nbody: x\n---\n# T\ny\n',
      'a.md:2: the task has a "body" in its front matter and another below it',
    ],
  ])('is refused for %s', (_, text, sentence) => {
    expect(messages(text)).toEqual([sentence]);
  });

  it('is refused for a heading that is too long, on the line of the heading', () => {
    expect(messages(`---\nid: x\n---\n\n# ${'x'.repeat(501)}\n`)).toEqual([
      expect.stringMatching(/^a\.md:5: "title" is "x+…$/),
    ]);
  });

  it('is refused where neither name nor title nor front matter gives an id', () => {
    expect(messages('# 你好\n', '你.md')).toEqual([
      '你.md:undefined: neither the name of the file nor the title gives an id',
    ]);
  });
});

describe('isTaskFile', () => {
  it.each(['a.md', 'A.MD', 'x.markdown', 'readme-first.md'])('takes %s', (name) => {
    expect(isTaskFile(name)).toBe(true);
  });

  it.each(['README.md', 'readme.markdown', '_a.md', '.a.md', 'a.txt', 'md'])(
    'leaves %s',
    (name) => {
      expect(isTaskFile(name)).toBe(false);
    },
  );
});
