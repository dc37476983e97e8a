import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setKeys } from '../config/edit.ts';
import { projectFile } from '../config/keys.ts';
import { harnessNames } from '../config/profile.ts';
import { configJsonSchema, schemaFile } from '../config/schema.ts';
import { detectGate, missingPrograms } from '../gate/detect.ts';
import { type DetectedSetup, gateAfterSetup } from '../gate/detect-setup.ts';
import { type Failure, fail, ok, type Result } from '../model/failure.ts';
import { detectSetupIn } from '../wire/gate.ts';
import { harnessesOnPath, isOnPath } from '../wire/on-path.ts';
import { openProject, type Project, writeStateFile } from '../wire/project.ts';
import { replaceFile } from '../wire/replace.ts';
import { folderOf } from './open.ts';
import type { Call } from './parse.ts';
import { complain, screenOf } from './screen.ts';

/** Values for the file. If one is empty, the file explains how to fill it in. */
interface Answers {
  readonly gate: readonly string[];
  readonly setup: readonly string[];
  /** For the user: detected package managers, and the files that show them. */
  readonly managers: string;
  readonly agent?: Chosen;
  /** Other installed coding agents. */
  readonly others: readonly string[];
}

/** A known coding agent, or any program with its own profile. */
type Chosen =
  | { readonly name: string }
  | { readonly name: string; readonly command: readonly string[] };

export async function run(call: Call): Promise<number> {
  const project = await openProject(folderOf(call));
  if (!project.ok) return complain([project.failure]);
  await project.value.git.close();
  const written = await write(call, project.value);
  if (!written.ok) return complain(written.failure);
  if (!call.global.quiet) screenOf(call).lines(written.value);
  return 0;
}

async function write(
  call: Call,
  project: Project,
): Promise<Result<readonly string[], readonly Failure[]>> {
  const { root } = project;
  const file = join(root, projectFile);
  if (existsSync(file) && !call.options.flag('force')) {
    const problem = `there is already a ${projectFile}`;
    return fail([{ kind: 'usage', problem, remedy: 'Edit it, or type `ym init --force`.' }]);
  }
  const found = detect(root, await detectSetupIn(root));
  const terminal = process.stdin.isTTY === true && process.stdout.isTTY === true;
  const answers = terminal && !call.options.flag('yes') ? await ask(found) : found;
  if (answers === undefined) {
    return fail([{ kind: 'usage', problem: 'nothing was written', remedy: 'Run it again.' }]);
  }
  const text = fileText(answers);
  if (!text.ok) return text;
  const described = await writeStateFile(project, schemaFile, configJsonSchema());
  if (!described.ok) return fail([described.failure]);
  const written = await replaceFile(file, text.value);
  if (!written.ok) return fail([written.failure]);
  return ok(summaryOf(answers));
}

function detect(root: string, setups: readonly DetectedSetup[]): Answers {
  const files = {
    has: (path: string) => existsSync(join(root, path)),
    read: (path: string) => readFileSync(join(root, path), 'utf8'),
  };
  const gate = detectGate(files, isOnPath);
  const [name, ...others] = harnessesOnPath(process.env.PATH);
  return {
    gate: 'looked' in gate ? [] : gateAfterSetup(gate.commands, setups),
    setup: setups.flatMap(({ commands }) => commands),
    managers: setups.map(({ manager, from }) => `${manager}, from ${from}`).join('; '),
    others,
    ...(name === undefined ? {} : { agent: { name } }),
  };
}

async function ask(found: Answers): Promise<Answers | undefined> {
  const { isCancel, text } = await import('@clack/prompts');
  const gate = await text({
    message: 'Which command tests the code?',
    placeholder: 'npm test',
    initialValue: found.gate.join(' && '),
  });
  if (isCancel(gate)) return undefined;
  const setup = await text({
    message: 'Which command installs the dependencies in a new worktree? Empty for none.',
    placeholder: 'npm ci',
    initialValue: found.setup.join(' && '),
  });
  if (isCancel(setup)) return undefined;
  const agent = await text({
    message: `Which agent? ${harnessNames.join(', ')}, or a command that reads the prompt on standard input.`,
    placeholder: './agent.sh',
    initialValue: found.agent?.name ?? '',
  });
  if (isCancel(agent)) return undefined;
  const chosen = chosenBy(agent);
  return {
    gate: given(gate),
    setup: given(setup),
    managers: '',
    others: [],
    ...(chosen === undefined ? {} : { agent: chosen }),
  };
}

function given(answer: string): readonly string[] {
  return answer.trim() === '' ? [] : [answer.trim()];
}

function chosenBy(answer: string): Chosen | undefined {
  const command = answer.trim().split(/\s+/).filter(Boolean);
  const [name] = command;
  if (name === undefined) return undefined;
  const isKnown = command.length === 1 && harnessNames.some((known) => known === name);
  return isKnown ? { name } : { name: 'mine', command };
}

function fileText({ gate, setup, managers, agent }: Answers): Result<string, readonly Failure[]> {
  const values: { key: string; value: string }[] = [];
  if (gate.length > 0) values.push({ key: 'gate.commands', value: JSON.stringify(gate) });
  if (setup.length > 0) values.push({ key: 'worktree.setup', value: JSON.stringify(setup) });
  if (agent !== undefined && 'command' in agent) {
    const profile = { use: 'command', command: agent.command };
    values.push({ key: `agents.${agent.name}`, value: JSON.stringify(profile) });
  }
  if (agent !== undefined) values.push({ key: 'agent', value: agent.name });
  const set = setKeys('', values);
  if (!set.ok) return set;
  const missing = missingPrograms(gate, isOnPath);
  const body = set.value
    .replace(/^worktree:/m, `${setupComment(managers)}\nworktree:`)
    .replace(/^gate:/m, `${missing.map(missingComment).join('')}gate:`);
  return ok(`${header(gate.length === 0, agent === undefined)}${body}`);
}

function header(noGate: boolean, noAgent: boolean): string {
  const lines = [
    `# yaml-language-server: $schema=.yardmaster/${schemaFile}`,
    '# Yardmaster: `ym config list` shows every key, its value and where it is from.',
  ];
  if (noGate) {
    lines.push('# No gate was found. Set one, or write `gate: none` to say that there is none:');
    lines.push('# gate: { commands: ["npm test"] }');
  }
  if (noAgent) {
    lines.push(`# No agent was found. Install one of ${harnessNames.join(', ')} and name it:`);
    lines.push('# agent: claude');
    lines.push('# Any other program that reads a prompt on standard input will do as well:');
    lines.push('# agents: { mine: { use: command, command: ["./agent.sh"] } }');
    lines.push('# agent: mine');
  }
  return `${lines.join('\n')}\n`;
}

function setupComment(managers: string): string {
  const found = managers === '' ? '' : ` (${managers})`;
  return `# Installs the dependencies in every worktree before an agent or the gate works there${found}.`;
}

const missingComment = (program: string): string =>
  `# ${program} is not installed here: install it, or change the command.\n`;

function summaryOf({ gate, setup, managers, agent, others }: Answers): readonly string[] {
  const also = others.length === 0 ? '' : ` (also here: ${others.join(', ')})`;
  const named = agent === undefined ? 'none found; name one before the first run' : agent.name;
  const missing = missingPrograms(gate, isOnPath);
  const absent = missing.length === 0 ? '' : ` (not installed here: ${missing.join(', ')})`;
  const installs = setup.length === 0 ? 'none' : setup.join('; ');
  return [
    `Wrote ${projectFile}`,
    `  gate    ${gate.length === 0 ? 'none found; set one before the first run' : gate.join('; ')}${absent}`,
    `  set-up  ${installs}${managers === '' ? '' : ` (${managers})`}`,
    `  agent   ${named}${also}`,
    'Next:',
    `  git add ${projectFile} && git commit -m "Add ${projectFile}"   # runs use the committed config`,
    '  ym doctor               # check what a run needs',
    '  ym verify               # run the gate on the branch as it is now',
    '  ym add "What to do"     # or: ym import plan.yaml',
    '  ym run --scope ready',
  ];
}
