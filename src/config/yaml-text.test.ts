import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parse, parseDocument } from 'yaml';
import { putKey, removeKey } from './yaml-text.ts';

/** Quotes, spaces and comments as people leave them. */
const ugly = `# head   of the file

'target':   "main"   # odd   spacing
jobs : 4
gate:   # what judges
    commands:    # all of it
        -   'npm   test'   # slow
        - "lint"
    # tail of the gate

agents: {a: {use: scripted,script: 'x'},   b: {use: codex}  } # two
model:
      by_type: { docs:   "haiku" }


# the end`;

/** Lines of the text before that the text after does not have, and the other way round. */
function changed(before: string, after: string) {
  const [old, now] = [before.split('\n'), after.split('\n')];
  return {
    gone: old.filter((line) => !now.includes(line)),
    come: now.filter((line) => !old.includes(line)),
  };
}

describe('a key that is set in an ugly text', () => {
  it.each([
    [['jobs'], 8, ['jobs : 4'], ['jobs : 8']],
    [
      ['target'],
      'dev',
      [`'target':   "main"   # odd   spacing`],
      [`'target':   dev   # odd   spacing`],
    ],
    [['retries'], 0, [], ['retries: 0']],
    [['gate', 'timeout'], '5m', [], ['    timeout: 5m']],
    [
      ['gate', 'commands'],
      ['make'],
      ['    commands:    # all of it', `        -   'npm   test'   # slow`, '        - "lint"'],
      ['    commands: [ make ]    # all of it'],
    ],
    [
      ['agents', 'a', 'script'],
      'y z',
      [`agents: {a: {use: scripted,script: 'x'},   b: {use: codex}  } # two`],
      [`agents: {a: {use: scripted,script: "y z"},   b: {use: codex}  } # two`],
    ],
    [
      ['agents', 'b', 'model'],
      'gpt',
      [`agents: {a: {use: scripted,script: 'x'},   b: {use: codex}  } # two`],
      [`agents: {a: {use: scripted,script: 'x'},   b: {use: codex, model: gpt}  } # two`],
    ],
    [['model', 'by_priority', 'P0'], 'opus', [], ['      by_priority:', '        P0: opus']],
    [['limits', 'agent_wall'], '2h', [], ['limits:', '  agent_wall: 2h']],
    [['jobs', 'below'], { a: 1 }, ['jobs : 4'], ['jobs :', '  below:', '    a: 1']],
  ] as const)('%j changes no other line', (path, value, gone, come) => {
    expect(changed(ugly, putKey(ugly, path, value))).toEqual({ gone, come });
  });

  it('keeps the line ends of the text', () => {
    expect(putKey('jobs: 4\r\ngate:\r\n  slots: 1\r\n', ['gate', 'timeout'], '5m')).toBe(
      'jobs: 4\r\ngate:\r\n  slots: 1\r\n  timeout: 5m\r\n',
    );
  });

  it('writes JSON into JSON', () => {
    const json = '{\n  "jobs": 4,\n  "gate": {\n    "commands": ["a"]\n  }\n}\n';
    expect(putKey(json, ['gate', 'timeout'], '5m')).toBe(
      json.replace('["a"]', '["a"],\n    "timeout": "5m"'),
    );
    expect(putKey(json, ['retries'], 2)).toBe(json.replace('  }\n}', '  },\n  "retries": 2\n}'));
  });

  it('fills an empty section, and one that is a word', () => {
    expect(putKey('gate:\njobs: 1\n', ['gate', 'slots'], 2)).toBe('gate:\n  slots: 2\njobs: 1\n');
    expect(putKey('gate: none # yet\njobs: 1\n', ['gate', 'slots'], 2)).toBe(
      'gate:\n  slots: 2 # yet\njobs: 1\n',
    );
  });
});

describe('a key that is removed from an ugly text', () => {
  it.each([
    [['jobs'], ['jobs : 4'], []],
    [
      ['gate', 'commands'],
      [
        'gate:   # what judges',
        '    commands:    # all of it',
        `        -   'npm   test'   # slow`,
        '        - "lint"',
      ],
      [],
    ],
    [
      ['agents', 'a'],
      [`agents: {a: {use: scripted,script: 'x'},   b: {use: codex}  } # two`],
      ['agents: {b: {use: codex}  } # two'],
    ],
    [['model', 'by_type', 'docs'], ['model:', '      by_type: { docs:   "haiku" }'], []],
  ] as const)('%j takes no other line with it', (path, gone, come) => {
    expect(changed(ugly, removeKey(ugly, path))).toEqual({ gone, come });
  });
});

const key = fc.constantFrom('a', 'b', 'c d', '"q"', '#');
const leaf = fc.oneof(fc.integer(), fc.boolean(), fc.constantFrom('x', 'y: z', '# no', ' ', '-'));
const value = fc.oneof(leaf, fc.array(leaf, { maxLength: 3 }), fc.dictionary(key, leaf));
const section = fc.dictionary(key, fc.oneof(value, fc.dictionary(key, value)), { minKeys: 1 });

it('any key of any text gets its value, and the others keep theirs', () => {
  fc.assert(
    fc.property(
      section,
      fc.array(key, { minLength: 1, maxLength: 3 }),
      value,
      fc.boolean(),
      (data, path, set, flow) => {
        const style = flow ? ({ collectionStyle: 'flow' } as const) : {};
        const document = parseDocument('');
        document.contents = document.createNode(data) as typeof document.contents;
        const text = document.toString(style);
        const after = putKey(text, path, set);
        expect(path.reduce((at, name) => at[name], parse(after))).toEqual(set);
        const back = parse(removeKey(after, path)) ?? {};
        const [top = ''] = path;
        for (const other of Object.keys(data).filter((one) => one !== top)) {
          expect(back[other]).toEqual(data[other]);
        }
      },
    ),
  );
});
