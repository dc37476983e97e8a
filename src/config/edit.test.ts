import { describe, expect, it } from 'vitest';
import { type Edited, parseAssignments, setKeys } from './edit.ts';

const before = `# How we work.
target: main # the trunk

jobs: 4
# What judges.
gate:
  commands: ["npm test"] # all of it
  timeout: 10m
`;

const setKey = (before: string, key: string, value: string, file?: string): Edited =>
  setKeys(before, [{ key, value }], file);
const clearKey = (before: string, key: string): Edited => setKey(before, key, '');

function text(edited: Edited): string {
  if (!edited.ok) throw new Error(JSON.stringify(edited.failure));
  return edited.value;
}

const problems = (edited: Edited): string[] =>
  edited.ok
    ? []
    : edited.failure.map((failure) => ('problem' in failure ? failure.problem : failure.kind));

describe('a value that is set', () => {
  it('changes one value and leaves every comment and line around it', () => {
    expect(text(setKey(before, 'jobs', '8'))).toBe(before.replace('jobs: 4', 'jobs: 8'));
    expect(text(setKey(before, 'target', 'dev'))).toBe(before.replace('main #', 'dev #'));
  });

  it('changes a value inside brackets without touching what is around it', () => {
    const flow = 'gate: { commands: ["a"],timeout: 10m }   # odd\n';
    expect(text(setKey(flow, 'gate.timeout', '5m'))).toBe(flow.replace('10m', '5m'));
    const agents = 'agents: {a: {use: scripted, script: x}}\n';
    expect(text(setKey(agents, 'agents.a.script', 'y, z]: w'))).toBe(
      agents.replace('x}', '"y, z]: w"}'),
    );
  });

  it('adds a key and the section it belongs to', () => {
    expect(text(setKey('jobs: 2\n', 'limits.agent_wall', '2h'))).toBe(
      'jobs: 2\nlimits:\n  agent_wall: 2h\n',
    );
    expect(text(setKey('', 'jobs', '2'))).toBe('jobs: 2\n');
    expect(text(setKey('# only a comment\n', 'jobs', '2'))).toContain('# only a comment');
  });

  it('takes one text or JSON for a list', () => {
    expect(text(setKey('', 'gate.commands', 'npm test -- --run'))).toBe(
      'gate:\n  commands: [npm test -- --run]\n',
    );
    expect(text(setKey('', 'gate.commands', '["a", "b, c"]'))).toBe(
      'gate:\n  commands: [a, "b, c"]\n',
    );
  });

  it('replaces "gate: none" by a gate, and a gate by "none"', () => {
    expect(text(setKey('gate: none\n', 'gate.commands', 'make'))).toBe(
      'gate:\n  commands: [make]\n',
    );
    expect(text(setKey(before, 'gate', 'none'))).toContain('gate: none');
  });

  it('keeps a text a text that looks like a number', () => {
    expect(text(setKey('target: main\n', 'target', '2024'))).toBe('target: "2024"\n');
  });

  it('writes true and false without quotes, and refuses any other word for them', () => {
    expect(text(setKey('', 'review.person', 'true'))).toBe('review:\n  person: true\n');
    const kept = 'verify: { enabled: true } # at night\n';
    expect(text(setKey(kept, 'verify.enabled', 'false'))).toBe(
      'verify: { enabled: false } # at night\n',
    );
    expect(problems(setKey('', 'review.person', 'yes'))).toEqual(['"review.person" is "yes"']);
  });

  it('sets the stages of one type, and takes one word for a list where that makes sense', () => {
    const docs = text(setKey('', 'pipeline.docs', '["work", "gate", "land"]'));
    expect(docs).toBe('pipeline:\n  docs: [work, gate, land]\n');
    expect(text(setKey(docs, 'pipeline.docs', ''))).toBe('');
    expect(problems(setKey('', 'pipeline.docs', 'work'))).toEqual(['"pipeline.docs" is a list']);
    expect(text(setKey('', 'review.agent', 'codex'))).toBe('review:\n  agent: [codex]\n');
    expect(text(setKey('', 'protect', 'infra/**'))).toBe('protect: [infra/**]\n');
  });

  it('sets a number or the word auto', () => {
    expect(text(setKey('', 'gate.slots', '2'))).toBe('gate:\n  slots: 2\n');
    expect(text(setKey('', 'gate.slots', 'auto'))).toBe('gate:\n  slots: auto\n');
    expect(problems(setKey('', 'gate.slots', '17'))).toEqual(['"gate.slots" is 17']);
  });

  it('sets an agent whole, or one of its keys', () => {
    const whole = text(setKey('', 'agents.mine', '{"use": "command", "command": ["./a"]}'));
    expect(text(setKey(whole, 'agents.mine.env.TOKEN', 'x'))).toContain('TOKEN: x');
  });

  it('refuses an unknown key, an impossible value and a broken file', () => {
    expect(problems(setKey('', 'jbos', '4'))).toEqual(['"jbos" is not a known key']);
    expect(problems(setKey('', 'model', 'x'))).toEqual(['"model" is a section and not a key']);
    expect(problems(setKey('', 'jobs', '17'))).toEqual(['"jobs" is 17']);
    expect(problems(setKey('jobs: [1\n', 'jobs', '2'))[0]).toContain('cannot be read');
    expect(problems(setKey('colour: red\n', 'jobs', '2'))).toEqual(['"colour" is not a known key']);
    expect(problems(setKey('', 'agents', 'x'))[0]).toContain('not valid JSON');
  });

  it('names the file that is edited', () => {
    expect(setKey('', 'jobs', '0', 'mine.yaml')).toMatchObject({
      ok: false,
      failure: [{ kind: 'config-invalid', file: 'mine.yaml', line: 1 }],
    });
  });
});

describe('several values', () => {
  it('are set all or none', () => {
    const good = { key: 'jobs', value: '2' };
    expect(text(setKeys('', [good, { key: 'retries', value: '0' }]))).toBe('jobs: 2\nretries: 0\n');
    expect(problems(setKeys('', [good, { key: 'retires', value: '0' }]))).toHaveLength(1);
    expect(problems(setKeys('', [good, { key: 'retries', value: 'x' }]))).toHaveLength(1);
  });

  it('tell everything that is wrong with any of them', () => {
    const wrong = [
      { key: 'jbos', value: '2' },
      { key: 'agents', value: 'x' },
      { key: 'model', value: 'x' },
    ];
    expect(problems(setKeys('', wrong))).toHaveLength(3);
  });

  it('may be set and cleared in one go, where only the whole is right', () => {
    const file = 'agents:\n  a:\n    use: command\n    command: [x]\n';
    const turned = setKeys(file, [
      { key: 'agents.a.use', value: 'codex' },
      { key: 'agents.a.command', value: '' },
    ]);
    expect(text(turned)).toBe('agents:\n  a:\n    use: codex\n');
    expect(problems(setKeys(file, [{ key: 'agents.a.use', value: 'codex' }]))).toEqual([
      '"command" has no effect with "use: codex"',
    ]);
  });
});

describe('a key with a name of the user in it', () => {
  it('is a priority, however it is spelled, in the command and in the file', () => {
    const made = 'model:\n  by_priority:\n    P0: opus\n';
    expect(text(setKey('', 'model.by_priority.P0', 'opus'))).toBe(made);
    expect(text(setKey('', 'model.by_priority.0', 'opus'))).toBe(made);
    const bare = 'model:\n  by_priority:\n    0: sonnet # for now\n    1: haiku\n';
    const set = text(setKey(bare, 'model.by_priority.P0', 'opus'));
    expect(set).toContain('P0: opus');
    expect(set).not.toContain('sonnet');
    expect(set).toContain('1: haiku');
    expect(text(clearKey(bare, 'model.by_priority.p1'))).not.toContain('haiku');
    expect(problems(setKey('', 'model.by_priority.P7', 'x'))).toHaveLength(1);
  });

  it('is a type of task', () => {
    expect(text(setKey('', 'model.by_type.docs', 'haiku:low'))).toBe(
      'model:\n  by_type:\n    docs: haiku:low\n',
    );
  });

  it('is a model, dots in its name and all', () => {
    const price = '{"input": 1.25, "output": 10}';
    const made = text(setKey('', 'prices.gemini-2.5-pro', price));
    expect(made).toContain('gemini-2.5-pro:');
    const cheaper = text(setKey(made, 'prices.gemini-2.5-pro.input', '0.5'));
    expect(cheaper).toContain('input: 0.5');
    expect(cheaper).toContain('output: 10');
    expect(text(clearKey(made, 'prices.gemini-2.5-pro'))).toBe('');
  });
});

describe('amounts', () => {
  it('are kept as they were typed', () => {
    const set = setKeys('', [
      { key: 'budget.tokens', value: '2M' },
      { key: 'budget.cost', value: '$20' },
    ]);
    expect(text(set)).toBe('budget:\n  tokens: 2M\n  cost: $20\n');
    expect(text(setKey('', 'budget.cost', '0.5'))).toBe('budget:\n  cost: 0.5\n');
  });
});

describe('a value that is cleared', () => {
  it('takes a key out, and a section that is empty then', () => {
    expect(text(clearKey(before, 'jobs'))).not.toContain('jobs');
    const once = text(clearKey(before, 'gate.timeout'));
    expect(once).toContain('commands');
    expect(text(clearKey(once, 'gate.commands'))).not.toContain('gate:');
  });

  it('leaves an empty text when nothing is left', () => {
    expect(text(clearKey('jobs: 2\n', 'jobs'))).toBe('');
  });

  it('changes nothing when the key is not set', () => {
    expect(text(clearKey(before, 'budget.wall'))).toBe(before);
    expect(text(clearKey('', 'jobs'))).toBe('');
  });

  it('refuses an unknown key', () => {
    expect(problems(clearKey(before, 'nothing.such'))).toEqual([
      '"nothing.such" is not a known key',
    ]);
  });
});

describe('parseAssignments', () => {
  it('splits at commas outside of brackets and quotes', () => {
    expect(parseAssignments('jobs=4,gate.commands=["a,b","c\\",d"],target="x,y"')).toEqual({
      ok: true,
      value: [
        { key: 'jobs', value: '4' },
        { key: 'gate.commands', value: '["a,b","c\\",d"]' },
        { key: 'target', value: '"x,y"' },
      ],
    });
  });

  it('keeps further equal signs in the value', () => {
    expect(parseAssignments('gate.commands=A=1 make')).toEqual({
      ok: true,
      value: [{ key: 'gate.commands', value: 'A=1 make' }],
    });
  });

  it.each(['jobs', '=4', '', 'jobs=4,'])('refuses "%s"', (words) => {
    expect(parseAssignments(words)).toMatchObject({ ok: false, failure: { kind: 'usage' } });
  });
});
