import { describe, expect, it } from 'vitest';
import { need } from '../../test/rig/need.ts';
import { loadConfig } from './config.ts';
import { agentNames, misplacedKey, plainProfile, profileKeys } from './profile.ts';

function load(project: string) {
  const readFile = (path: string): string | undefined =>
    path === '/repo/yardmaster.yaml' ? project : undefined;
  return loadConfig({ root: '/repo', env: {}, flags: {}, readFile });
}

/** The settled profile called `a`. */
function profile(text: string) {
  const loaded = need(load(`agents: { a: ${text} }\n`));
  return loaded.agents.a;
}

function refusals(text: string): string[] {
  const loaded = load(`agents: { a: ${text} }\n`);
  return loaded.ok
    ? []
    : loaded.failure.map((failure) =>
        'remedy' in failure ? `${failure.problem} → ${failure.remedy}` : failure.kind,
      );
}

describe('a profile', () => {
  it.each(agentNames)('of %s has nothing but its name to say', (name) => {
    expect(profile(`{ use: ${name} }`)).toEqual(plainProfile(name));
    expect(plainProfile(name)).toMatchObject({ done: name === 'aider' ? 'exit' : 'signal' });
  });

  it('of a coding agent may change what is started and with which words', () => {
    const given =
      '{ use: codex, binary: ./bin/codex, args: [-c, "x=1"], env: { A: b }, model: gpt-5:high, done: exit }';
    expect(profile(given)).toEqual({
      use: 'codex',
      binary: './bin/codex',
      args: ['-c', 'x=1'],
      env: { A: 'b' },
      model: 'gpt-5:high',
      done: 'exit',
    });
  });

  it('of any kind may say what it is there for', () => {
    const agentPool =
      'account: team, count: 2, types: docs, labels: ["area:web", x], role: executor, wait: 5s, prompts: [a.md, b.md]';
    for (const kind of ['use: gemini', 'use: acp, command: [x]', 'use: scripted, script: x']) {
      expect(profile(`{ ${kind}, ${agentPool} }`), kind).toMatchObject({
        account: 'team',
        count: 2,
        types: ['docs'],
        labels: ['area:web', 'x'],
        role: 'executor',
        wait: 5_000,
        prompts: ['a.md', 'b.md'],
      });
    }
  });

  it('has a word for its end where it is understood, and its exit where it is any program', () => {
    expect(profile('{ use: acp, command: [qwen, --acp] }')).toMatchObject({ done: 'signal' });
    expect(profile('{ use: command, command: [x] }')).toMatchObject({ done: 'exit' });
    expect(profile('{ use: scripted, script: x, done: signal }')).toMatchObject({ done: 'signal' });
  });
});

describe('a profile that is wrong', () => {
  it.each([
    [
      '{ use: claud }',
      '"agents.a.use" is "claud" → Did you mean "claude"? Write a map with "use:" and one of claude, codex, opencode, gemini, qwen, goose, copilot, cursor, amp, aider, acp, command, scripted, http.',
    ],
    [
      '{ use: claude, command: [x] }',
      '"command" has no effect with "use: claude" → Give another program as "binary" and more arguments as "args".',
    ],
    [
      '{ use: command, command: [x], args: [y] }',
      '"args" has no effect with "use: command" → Give the program and its arguments as "command".',
    ],
    [
      '{ use: acp, command: [x], prompt: file }',
      '"prompt" has no effect with "use: acp" → Remove it; known here: use, command, done, env, model, prompts, account, count, types, labels, role, wait.',
    ],
    [
      '{ use: claude, modle: x }',
      '"agents.a.modle" is not a known key → Did you mean "model"? Known here: use, binary, args, done, env, model, prompts, account, count, types, labels, role, wait.',
    ],
    [
      '{ use: acp }',
      '"agents.a.command" is missing → Give the command as a list, such as ["./agent.sh", "--fast"].',
    ],
    [
      '{ use: claude, args: -x -y }',
      '"agents.a.args" is "-x -y" → Give the arguments as a list, such as ["--verbose"].',
    ],
    ['{ use: claude, count: 0 }', '"agents.a.count" is 0 → Give a whole number from 1 to 16.'],
    ['{ use: claude, role: boss }', '"agents.a.role" is "boss" → Write planner or executor.'],
    [
      '{ use: claude, role: planner, types: [docs] }',
      '"agents.a.types" is a list → A planner takes only tasks of type plan; remove "types".',
    ],
    [
      '{ use: claude, types: [] }',
      '"agents.a.types" is an empty list → Give a task type or a list of types, such as [docs, test].',
    ],
    [
      '{ use: claude, model: "two words" }',
      '"agents.a.model" is "two words" → Give a model, such as sonnet or sonnet:high.',
    ],
    [
      '{ use: claude, model: codex:gpt-5 }',
      '"agents.a.model" names an agent, "codex" → Write only the model: gpt-5.',
    ],
    [
      '{ use: claude, wait: 5 }',
      '"agents.a.wait" is 5 → Give a time with its unit, such as 90s, 10m or 1h30m.',
    ],
    [
      '{ use: claude, env: { "A-B": x } }',
      '"agents.a.env.A-B" is "x" → Name variables with letters, digits and "_".',
    ],
    [
      '{ use: http, url: openrouter, model: small }',
      '"agents.a.url" is "openrouter" → Give the whole address, such as https://openrouter.ai/api/v1/chat/completions.',
    ],
    [
      '{ use: http, url: "http://example.com/v1", model: small }',
      '"agents.a.url" is "http://example.com/v1" → Use https: the key and the tasks would be sent in plain text.',
    ],
    [
      '{ use: http, url: "https://example.com/v1", model: small, key_env: sk-1 }',
      '"agents.a.key_env" is "sk-1" → Give the name of a variable, such as OPENROUTER_API_KEY, not the key itself.',
    ],
    [
      '{ use: http, url: "http://localhost:80/v1", model: small, count: 2 }',
      '"count" has no effect with "use: http" → Remove it; known here: use, url, model, key_env, prompts, account.',
    ],
    [
      '{ command: [x] }',
      '"agents.a.use" is missing → Write a map with "use:" and one of claude, codex, opencode, gemini, qwen, goose, copilot, cursor, amp, aider, acp, command, scripted, http.',
    ],
  ])('is refused: %s', (text, sentence) => {
    expect(refusals(text)).toEqual([sentence]);
  });
});

describe('misplacedKey', () => {
  it('has nothing to say about keys that fit, or that no profile has', () => {
    expect(misplacedKey('claude', 'binary')).toBeUndefined();
    expect(misplacedKey('claude', 'nonsense')).toBeUndefined();
    expect(misplacedKey(undefined, 'script')).toBeUndefined();
  });
});

describe('profileKeys', () => {
  it('are those of the kind, or all where it is not known', () => {
    expect(profileKeys('scripted')).not.toContain('command');
    expect(profileKeys('other')).toEqual(expect.arrayContaining(['binary', 'command', 'script']));
  });
});
