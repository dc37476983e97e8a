import { existsSync } from 'node:fs';
import { join, relative } from 'node:path';
import { setKeys } from '../config/edit.ts';
import { projectFile } from '../config/keys.ts';
import { agentNames } from '../config/profile.ts';
import { configJsonSchema, schemaFile } from '../config/schema.ts';
import { detectGate, missingPrograms } from '../gate/detect.ts';
import { gateAfterSetup } from '../gate/detect-setup.ts';
import { ok, type Result, usage } from '../model/failure.ts';
import { agentsOnPath } from './agents.ts';
import { detectSetupIn, filesIn } from './gate.ts';
import type { Failures, Place, Project } from './ports.ts';

/** Values for the file. If one is empty, the file explains how to fill it in. */
export interface Answers {
  readonly gate: readonly string[];
  readonly setup: readonly string[];
  /** For the user: detected package managers, and the files that show them. */
  readonly managers: string;
  readonly agent?: Chosen;
  /** Other installed coding agents. */
  readonly others: readonly string[];
}

/** A known coding agent, or any program with its own profile. */
export type Chosen =
  | { readonly name: string }
  | { readonly name: string; readonly command: readonly string[] };

/** Detects values for a new config file. Without `force` an existing file is not replaced. */
export async function proposeConfig(
  project: Pick<Project, 'root' | 'probe' | 'which'>,
  { force }: { readonly force: boolean },
): Promise<Result<Answers>> {
  const { root, which } = project;
  if (existsSync(join(root, projectFile)) && !force) {
    const problem = `there is already a ${projectFile}`;
    return usage(problem, 'Edit it, or type `ym init --force`.');
  }
  const setups = await detectSetupIn(project);
  const gate = detectGate(filesIn(root), (program) => which(program).ok);
  const [name, ...others] = agentsOnPath(project);
  return ok({
    gate: 'looked' in gate ? [] : gateAfterSetup(gate.commands, setups),
    setup: setups.flatMap(({ commands }) => commands),
    managers: setups.map(({ manager, from }) => `${manager}, from ${from}`).join('; '),
    others,
    agent: name && { name },
  });
}

/** Writes the config file and its schema. Returns programs of the gate that are not installed. */
export async function writeConfig(
  project: Project,
  answers: Answers,
): Promise<Result<readonly string[], Failures>> {
  const missing = missingPrograms(answers.gate, (program) => project.which(program).ok);
  const text = fileText(answers, missing, schemaLine(project));
  if (!text.ok) return text;
  await project.writeStateFile(schemaFile, configJsonSchema());
  await project.writeFile(join(project.root, projectFile), text.value);
  return ok(missing);
}

function fileText(
  { gate, setup, managers, agent }: Answers,
  missing: readonly string[],
  schema: readonly string[],
): Result<string, Failures> {
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
  const body = set.value
    .replace(/^worktree:/m, `${setupComment(managers)}\nworktree:`)
    .replace(/^gate:/m, `${missing.map(missingComment).join('')}gate:`);
  return ok(`${header(gate.length === 0, agent === undefined, schema)}${body}`);
}

function header(noGate: boolean, noAgent: boolean, schema: readonly string[]): string {
  const lines = [
    ...schema,
    '# Yardmaster: `ym config list` shows every key, its value and where it is from.',
  ];
  if (noGate) {
    lines.push('# No gate was found. Set one, or write `gate: none` to say that there is none:');
    lines.push('# gate: { commands: ["npm test"] }');
  }
  if (noAgent) {
    lines.push(`# No agent was found. Install one of ${agentNames.join(', ')} and name it:`);
    lines.push('# agent: claude');
    lines.push('# Any other program that reads a prompt on standard input will do as well:');
    lines.push('# agents: { mine: { use: command, command: ["./agent.sh"] } }');
    lines.push('# agent: mine');
  }
  return `${lines.join('\n')}\n`;
}

/** Tells editors where the schema is. The file is committed, so the path must hold in other clones: `.git` is a folder. */
function schemaLine({ root, commonDir, dir }: Place): readonly string[] {
  if (commonDir !== join(root, '.git')) return [];
  return [`# yaml-language-server: $schema=${relative(root, join(dir, schemaFile))}`];
}

function setupComment(managers: string): string {
  const found = managers === '' ? '' : ` (${managers})`;
  return `# Installs the dependencies in every worktree before an agent or the gate works there${found}.`;
}

const missingComment = (program: string): string =>
  `# ${program} is not installed here: install it, or change the command.\n`;
