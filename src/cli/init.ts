import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectFile } from '../config/config.ts';
import { setKeys } from '../config/edit.ts';
import { harnessNames } from '../config/keys.ts';
import { detectGate } from '../gate/detect.ts';
import { type Failure, fail, ok, type Result } from '../model/failure.ts';
import { harnessesOnPath } from '../wire/onpath.ts';
import type { Place } from '../wire/place.ts';
import { openProject } from '../wire/project.ts';
import { replaceFile } from '../wire/replace.ts';
import { folderOf } from './open.ts';
import type { Call } from './parse.ts';
import { screenOf } from './screen.ts';
import { complain } from './trouble.ts';

/** What goes into the file. Empty: nothing was found, and the file says how to fill it in. */
interface Answers {
  readonly gate: readonly string[];
  readonly agent?: Chosen;
  /** Coding agents that are here as well. */
  readonly others: readonly string[];
}

/** A coding agent that is known by name, or any program with a profile of its own. */
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
  place: Place,
): Promise<Result<readonly string[], readonly Failure[]>> {
  const file = join(place.root, projectFile);
  if (existsSync(file) && !call.options.flag('force')) {
    const problem = `there is a ${projectFile} already`;
    return fail([{ kind: 'usage', problem, remedy: 'Edit it, or say `ym init --force`.' }]);
  }
  const found = lookAround(place.root);
  const terminal = process.stdin.isTTY === true && process.stdout.isTTY === true;
  const answers = terminal && !call.options.flag('yes') ? await ask(found) : found;
  if (answers === undefined) {
    return fail([{ kind: 'usage', problem: 'nothing was written', remedy: 'Run it again.' }]);
  }
  const text = fileText(answers);
  if (!text.ok) return text;
  const written = await replaceFile(file, text.value);
  if (!written.ok) return fail([written.failure]);
  return ok(saysOf(answers));
}

function lookAround(root: string): Answers {
  const gate = detectGate({
    has: (path) => existsSync(join(root, path)),
    read: (path) => readFileSync(join(root, path), 'utf8'),
  });
  const [name, ...others] = harnessesOnPath(process.env.PATH);
  const commands = 'looked' in gate ? [] : gate.commands;
  return { gate: commands, others, ...(name === undefined ? {} : { agent: { name } }) };
}

async function ask(found: Answers): Promise<Answers | undefined> {
  const { isCancel, text } = await import('@clack/prompts');
  const gate = await text({
    message: 'Which command says whether a tree is good?',
    placeholder: 'npm test',
    initialValue: found.gate.join(' && '),
  });
  if (isCancel(gate)) return undefined;
  const agent = await text({
    message: `Which agent? ${harnessNames.join(', ')}, or a command that reads the prompt on standard input.`,
    placeholder: './agent.sh',
    initialValue: found.agent?.name ?? '',
  });
  if (isCancel(agent)) return undefined;
  const chosen = chosenBy(agent);
  const commands = gate.trim() === '' ? [] : [gate.trim()];
  return { gate: commands, others: [], ...(chosen === undefined ? {} : { agent: chosen }) };
}

function chosenBy(answer: string): Chosen | undefined {
  const command = answer.trim().split(/\s+/).filter(Boolean);
  const [name] = command;
  if (name === undefined) return undefined;
  const isKnown = command.length === 1 && harnessNames.some((known) => known === name);
  return isKnown ? { name } : { name: 'mine', command };
}

function fileText({ gate, agent }: Answers): Result<string, readonly Failure[]> {
  const values: { key: string; value: string }[] = [];
  if (gate.length > 0) values.push({ key: 'gate.commands', value: JSON.stringify(gate) });
  if (agent !== undefined && 'command' in agent) {
    const profile = { use: 'command', command: agent.command };
    values.push({ key: `agents.${agent.name}`, value: JSON.stringify(profile) });
  }
  if (agent !== undefined) values.push({ key: 'agent', value: agent.name });
  const set = setKeys('', values);
  if (!set.ok) return set;
  return ok(`${header(gate.length === 0, agent === undefined)}${set.value}`);
}

function header(noGate: boolean, noAgent: boolean): string {
  const lines = ['# Yardmaster: `ym config list` shows every key, its value and where it is from.'];
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

function saysOf({ gate, agent, others }: Answers): readonly string[] {
  const also = others.length === 0 ? '' : ` (also here: ${others.join(', ')})`;
  const named = agent === undefined ? 'none found; name one before the first run' : agent.name;
  return [
    `Wrote ${projectFile}`,
    `  gate   ${gate.length === 0 ? 'none found; set one before the first run' : gate.join('; ')}`,
    `  agent  ${named}${also}`,
    `Commit ${projectFile} to the branch that work lands on: what judges is read from there.`,
    'Next: `ym doctor`, then `ym add "…"` and `ym run --scope ready`.',
  ];
}
