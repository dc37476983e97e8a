import { type Answers, type Chosen, proposeConfig, writeConfig } from '../app/init.ts';
import { projectFile } from '../config/keys.ts';
import { agentNames } from '../config/profile.ts';
import { outcomeOf } from '../model/trouble.ts';
import { openProject } from '../wire/project.ts';
import { folderOf } from './open.ts';
import { promptOutput } from './output.ts';
import type { Call } from './parse.ts';
import { complain, confirm } from './screen.ts';

export async function run(call: Call): Promise<number> {
  const project = await openProject(folderOf(call));
  if (!project.ok) return complain([project.failure]);
  const repository = await outcomeOf(project.value.git.inspect());
  await project.value.git.close();
  const found = await proposeConfig(project.value, { force: call.options.flag('force') });
  if (!found.ok) return complain([found.failure]);
  const terminal = process.stdin.isTTY === true && process.stdout.isTTY === true;
  const isAsked = terminal && !call.options.flag('yes');
  const answers = isAsked ? await ask(found.value) : found.value;
  if (answers === undefined) {
    return complain([{ kind: 'usage', problem: 'nothing was written', remedy: 'Run it again.' }]);
  }
  const written = await writeConfig(project.value, answers);
  if (!written.ok) return complain(written.failure);
  const isEmpty = repository.ok && repository.value.head === undefined;
  confirm(call, [...summaryOf(answers, written.value), ...(isEmpty ? [noCommit] : [])]);
  return 0;
}

const noCommit =
  'This repository has no commit yet. Commit your files before the first run: agents start from a commit.';

async function ask(found: Answers): Promise<Answers | undefined> {
  const { isCancel, text } = await import('@clack/prompts');
  const output = promptOutput();
  const gate = await text({
    output,
    message: 'Which command tests the code?',
    placeholder: 'npm test',
    initialValue: found.gate.join(' && '),
  });
  if (isCancel(gate)) return undefined;
  const setup = await text({
    output,
    message: 'Which command installs the dependencies in a new worktree? Empty for none.',
    placeholder: 'npm ci',
    initialValue: found.setup.join(' && '),
  });
  if (isCancel(setup)) return undefined;
  const agent = await text({
    output,
    message: `Which agent? ${agentNames.join(', ')}, or a command that reads the prompt on standard input.`,
    placeholder: './agent.sh',
    initialValue: found.agent?.name ?? '',
  });
  if (isCancel(agent)) return undefined;
  const chosen = chosenBy(agent);
  return {
    gate: oneOrNone(gate),
    setup: oneOrNone(setup),
    managers: '',
    others: [],
    agent: chosen,
  };
}

function oneOrNone(answer: string): readonly string[] {
  return answer.trim() === '' ? [] : [answer.trim()];
}

function chosenBy(answer: string): Chosen | undefined {
  const command = answer.trim().split(/\s+/).filter(Boolean);
  const [name] = command;
  if (name === undefined) return undefined;
  const isKnown = command.length === 1 && agentNames.some((known) => known === name);
  return isKnown ? { name } : { name: 'mine', command };
}

function summaryOf(
  { gate, setup, managers, agent, others }: Answers,
  missing: readonly string[],
): readonly string[] {
  const also = others.length === 0 ? '' : ` (also here: ${others.join(', ')})`;
  const named = agent === undefined ? 'none found; name one before the first run' : agent.name;
  const absent = missing.length === 0 ? '' : ` (not installed here: ${missing.join(', ')})`;
  const installs = setup.length === 0 ? 'none' : setup.join('; ');
  return [
    `Wrote ${projectFile}`,
    `  gate    ${gate.length === 0 ? 'none found; set one before the first run' : gate.join('; ')}${absent}`,
    `  set-up  ${installs}${managers === '' ? '' : ` (${managers})`}`,
    `  agent   ${named}${also}`,
    'Next:',
    `  git add ${projectFile} && git commit -m "Add ${projectFile}"   # from then on, runs use the committed rules and gate`,
    '  ym doctor               # check what a run needs',
    '  ym verify               # run the gate on the branch as it is now',
    '  ym add "What to do"     # or: ym import plan.yaml',
    '  ym run --scope ready',
  ];
}
