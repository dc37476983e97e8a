import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Stage, stages } from '../model/review.ts';
import { loadConfig } from './config.ts';

function load(project: string, flags: Readonly<Record<string, unknown>> = {}) {
  const readFile = (path: string): string | undefined =>
    path === '/repo/yardmaster.yaml' ? project : undefined;
  return loadConfig({ root: '/repo', env: {}, flags, readFile });
}

function messages(project: string): string[] {
  const loaded = load(project);
  return loaded.ok
    ? []
    : loaded.failure.map((failure) =>
        failure.kind === 'config-invalid'
          ? `${failure.line ?? ''} ${failure.problem} → ${failure.remedy}`
          : failure.kind,
      );
}

describe('keys that judge', () => {
  it.each([
    ['gate: { branch: maybe }', '1 "gate.branch" is "maybe" → Write auto, always or never.'],
    ['gate: { reruns: 4 }', '1 "gate.reruns" is 4 → Give a whole number from 0 to 3.'],
    [
      'gate: { quick: [] }',
      '1 "gate.quick" is an empty list → Give at least one command, or remove the key.',
    ],
    [
      'protect: [/etc/**]',
      '1 "protect[0]" is "/etc/**" → Give a pattern of paths inside the repository, such as .github/** or Makefile.',
    ],
    [
      'protect: ["!ci/**"]',
      '1 "protect[0]" is "!ci/**" → Give a pattern of paths inside the repository, such as .github/** or Makefile.',
    ],
    ['rules: { tests: strict }', '1 "rules.tests" is "strict" → Write guard or off.'],
    [
      'rules: { max_files: 0 }',
      '1 "rules.max_files" is 0 → Give a whole number from 1 to 1000000.',
    ],
    ['review: codex', '1 "review" is "codex" → Write a map such as { agent: codex, rounds: 3 }.'],
    [
      'review:\n  agents: codex',
      '2 "review.agents" is not a known key → Did you mean "agent"? Known here: agent, person, rounds, retries.',
    ],
    [
      'review: { agent: [] }',
      '1 "review.agent" is an empty list → Name at least one agent, or remove the key.',
    ],
    ['review: { agent: [codex, codex] }', '1 "review.agent" is a list → Name each reviewer once.'],
    [
      'review: { person: "yes" }',
      '1 "review.person" is "yes" → Write true or false, without quotes.',
    ],
    ['review: { rounds: 11 }', '1 "review.rounds" is 11 → Give a whole number from 1 to 10.'],
    ['critique: { rounds: 6 }', '1 "critique.rounds" is 6 → Give a whole number from 1 to 5.'],
    ['critique: { retries: 6 }', '1 "critique.retries" is 6 → Give a whole number from 0 to 5.'],
  ])('are refused: %j', (text, sentence) => {
    expect(messages(text)).toEqual([sentence]);
  });

  it.each([
    [
      'review: { agent: [codex, cluade] }',
      '1 there is no agent "cluade" → Did you mean "claude"? Known agents: claude, codex, opencode, gemini, qwen, goose, copilot, cursor, amp, aider. Describe others under "agents".',
    ],
    [
      'critique: { agent: claude, improver: me }',
      '1 there is no agent "me" → Known agents: claude, codex, opencode, gemini, qwen, goose, copilot, cursor, amp, aider. Describe others under "agents".',
    ],
    [
      'critique: { improver: claude }',
      '1 "critique.improver" has no effect without "critique.agent" → Name a critic as "critique.agent", or remove the key.',
    ],
    [
      'gate:\n  branch: never\n  quick: make quick',
      '3 "gate.quick" has no effect with "gate.branch: never" → Write "gate.branch: always" or auto, or remove the key.',
    ],
  ])('make sense together, else they are refused: %j', (text, sentence) => {
    expect(messages(text)).toEqual([sentence]);
  });
});

describe('keys about landing', () => {
  it.each([
    ['gate: { slots: 17 }', '1 "gate.slots" is 17 → Give a whole number from 1 to 16.'],
    ['train: { batch: 0 }', '1 "train.batch" is 0 → Give a whole number from 1 to 64.'],
    [
      'train: { batch: all }',
      '1 "train.batch" is "all" → Write auto or a whole number from 1 to 64.',
    ],
    ['train: { style: octopus }', '1 "train.style" is "octopus" → Write merge, squash or rebase.'],
    ['delivery: { how: mail }', '1 "delivery.how" is "mail" → Write land, branch, pr or stack.'],
    [
      'delivery: { wait: 5 }',
      '1 "delivery.wait" is 5 → Give a time with its unit, such as 90s, 10m or 1h30m.',
    ],
    ['verify: { enabled: 1 }', '1 "verify.enabled" is 1 → Write true or false, without quotes.'],
    [
      'verify: { timeout: off }',
      '1 "verify.timeout" is "off" → Give a time with its unit, such as 90s, 10m or 1h30m.',
    ],
    [
      'verify: { on_failure: cry }',
      '1 "verify.on_failure" is "cry" → Write report, fix or bisect.',
    ],
  ])('are refused: %j', (text, sentence) => {
    expect(messages(text)).toEqual([sentence]);
  });

  it.each([
    [2, 1],
    [4, 2],
    [8, 4],
    [64, 16],
  ])('have as many gates at once on %d cores as fit: %d', (cores, slots) => {
    const loaded = loadConfig({ root: '/', env: {}, flags: {}, readFile: () => undefined, cores });
    expect(loaded).toMatchObject({ value: { gate: { slots } } });
  });
});

describe('pipelines', () => {
  const order = 'List stages in the order critique, tests, work, gate, review, land, each once.';

  it.each([
    [
      'pipeline: [work, land]',
      '1 "pipeline" is a list → Give a map of task types to lists of stages, such as { docs: [work, land] }.',
    ],
    ['pipeline: { docs: work }', `1 "pipeline.docs" is "work" → ${order}`],
    [
      'pipeline: { docs: [work, test, land] }',
      '1 "pipeline.docs[1]" is "test" → Write critique, tests, work, gate, review, land.',
    ],
    ['pipeline: { docs: [land, work] }', `1 "pipeline.docs" is a list → ${order}`],
    ['pipeline: { docs: [work, work, land] }', `1 "pipeline.docs" is a list → ${order}`],
    [
      'pipeline: { docs: [work, gate] }',
      '1 "pipeline.docs" is a list → Include both work and land: no task goes without them.',
    ],
    [
      'jobs: 1\npipeline:\n  default: [work, review, land]',
      '3 "pipeline.default" has review, but no agent for it → Name a reviewer as "review.agent", write "review.person: true", or remove review from the list.',
    ],
    [
      'pipeline: { spec: [critique, work, land] }',
      '1 "pipeline.spec" has critique, but no agent for it → Name a critic as "critique.agent", or remove critique from the list.',
    ],
    [
      'gate: none\npipeline: { default: [tests, work, land] }',
      '2 "pipeline.default" needs a gate, and "gate" is none → Set up "gate.commands", or write no tests first.',
    ],
    [
      'gate: none\ntests: { agent: codex }',
      '2 "tests.agent" needs a gate, and "gate" is none → Set up "gate.commands", or write no tests first.',
    ],
  ])('are refused: %j', (text, sentence) => {
    expect(messages(text)).toEqual([sentence]);
  });

  it('may have a stage as soon as somebody does it, from whatever place', () => {
    const text = 'pipeline: { default: [work, review, land] }';
    expect(load(text, { 'review.person': true })).toMatchObject({ ok: true });
    expect(load(text, { 'review.agent': 'codex' })).toMatchObject({ ok: true });
    expect(load(text, { 'review.person': false })).toMatchObject({ ok: false });
  });

  it.each([
    ['', ['work', 'gate', 'land']],
    ['review: { agent: codex }', ['work', 'gate', 'review', 'land']],
    ['review: { person: true }', ['work', 'gate', 'review', 'land']],
    ['critique: { agent: codex }', ['critique', 'work', 'gate', 'land']],
    ['tests: { agent: codex }', ['tests', 'work', 'gate', 'land']],
    ['pipeline: { docs: [work, land] }', ['work', 'gate', 'land']],
  ])('are, where nothing is said, whatever is set up: %j', (text, standard) => {
    const loaded = load(text);
    expect(loaded.ok && loaded.value.pipelines.default).toEqual(standard);
  });

  it('are right exactly where they are a part of the order with work and land in it', () => {
    const any = fc.array(fc.constantFrom(...stages), { maxLength: 6 });
    const review = 'review: { agent: codex }\ncritique: { agent: codex }\n';
    fc.assert(
      fc.property(any, (list) => {
        const inOrder = stages.filter((stage) => list.includes(stage));
        const right =
          JSON.stringify(inOrder) === JSON.stringify(list) &&
          (['work', 'land'] as Stage[]).every((stage) => list.includes(stage));
        const loaded = load(`${review}pipeline: { x: ${JSON.stringify(list)} }`);
        expect(loaded.ok).toBe(right);
      }),
    );
  });
});
