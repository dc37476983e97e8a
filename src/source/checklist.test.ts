import { describe, expect, it } from 'vitest';
import { checklistKind, readChecklist } from './checklist.ts';

const list = `# Search

- [ ] Release the search
  - [ ] Describe the index <!-- id: schema, priority: 1 -->
  - [ ] Add the endpoint <!-- after: [schema] -->

    Answer \`GET /search\`:

    \`\`\`sh
    - [ ] not an item
    \`\`\`
  Tell everybody.
* [x] Choose a library <!-- Ann did it -->
\t1. [ ] Write down why
`;

const tasksOf = (text: string) => {
  const read = readChecklist('TODO.md', text);
  return read.ok ? read.value : expect.fail(JSON.stringify(read.failure));
};

describe('a checklist', () => {
  it('gives a task for each open item, and a parent waits for what is nested in it', () => {
    expect(tasksOf(list)).toMatchObject([
      {
        id: 'release-the-search',
        title: 'Release the search',
        after: ['schema', 'add-the-endpoint'],
        body: 'Tell everybody.',
      },
      { id: 'schema', title: 'Describe the index', priority: 1, after: [] },
      {
        id: 'add-the-endpoint',
        after: ['schema'],
        body: 'Answer `GET /search`:\n\n```sh\n- [ ] not an item\n```',
      },
      { id: 'write-down-why', after: [] },
    ]);
  });

  it('lets nothing wait for a ticked item, and ticking one renames no other', () => {
    const [first, second] = tasksOf(
      '- [x] Same\n- [ ] Same\n  - [X] Part\n- [ ] Other <!-- after: same -->\n',
    );
    expect(first).toMatchObject({ id: 'same-2', after: [] });
    expect(second).toMatchObject({ id: 'other', after: [] });
  });

  it('numbers titles that have no letter it can write', () => {
    expect(tasksOf('- [ ] One\n- [ ] 検索\n').map(({ id }) => id)).toEqual(['one', 'task-2']);
  });

  it('names the line of everything that is wrong', () => {
    const read = readChecklist('TODO.md', '- [ ] Good\n- [ ]\n- [ ] Bad <!-- priority: 9 -->\n');
    expect(read.ok ? [] : read.failure).toMatchObject([
      { kind: 'source-invalid', file: 'TODO.md', line: 2 },
      {
        kind: 'source-invalid',
        file: 'TODO.md',
        line: 3,
        problem: expect.stringContaining('item 3'),
      },
    ]);
  });

  it.each([
    ['plan.txt.md', '- [ ] a\n', true],
    ['x.md', '# Title\n\n<!-- a note -->\n- [x] a\n', true],
    ['x.md', '# Title\n\nWhat to do.\n\n- [ ] part of what done means\n', false],
    ['TODO.md', '# Title\n\nWhat to do.\n\n- [ ] a\n', true],
    ['x.md', '# Title\n\n- a plain list\n', false],
    ['x.md', '---\npriority: 1\n---\n# Title\n\n- [ ] a\n', false],
    ['x.md', '# Title\n\n```\n- [ ] a\n```\n', false],
  ])('is told from a task by its text: %s %j', (file, text, expected) => {
    expect(checklistKind(file, text).id === 'list').toBe(expected);
  });

  it('is in doubt where other text is next to its items, and names the line of it', () => {
    const after = checklistKind('x.md', '# Title\n- [ ] a\n- [ ] b\nmore\n');
    expect(after).toEqual({ id: 'mixed', boxes: 2, line: 4, beginsWithBox: true });
    const before = checklistKind('x.md', '# Title\nWhat to do.\n- [ ] a\n');
    expect(before).toEqual({ id: 'mixed', boxes: 1, line: 2, beginsWithBox: false });
  });
});
