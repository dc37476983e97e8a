import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectFile } from '../config/config.ts';
import { setKeys } from '../config/edit.ts';
import { detectGate } from '../gate/detect.ts';
import { type Failure, fail, ok, type Result } from '../model/failure.ts';
import { knownAgentsOnPath } from '../wire/onpath.ts';
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
  readonly agent?: { readonly name: string; readonly command: readonly string[] };
}

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
  const [agent] = knownAgentsOnPath(process.env.PATH);
  const commands = 'looked' in gate ? [] : gate.commands;
  return agent === undefined ? { gate: commands } : { gate: commands, agent };
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
    message: 'Which command starts your agent? It gets the prompt on standard input.',
    placeholder: './agent.sh',
    initialValue: found.agent?.command.join(' ') ?? '',
  });
  if (isCancel(agent)) return undefined;
  const command = agent.trim().split(/\s+/).filter(Boolean);
  const commands = gate.trim() === '' ? [] : [gate.trim()];
  const name = found.agent?.name ?? 'mine';
  return command.length === 0 ? { gate: commands } : { gate: commands, agent: { name, command } };
}

function fileText({ gate, agent }: Answers): Result<string, readonly Failure[]> {
  const values: { key: string; value: string }[] = [];
  if (gate.length > 0) values.push({ key: 'gate.commands', value: JSON.stringify(gate) });
  if (agent !== undefined) {
    const profile = { use: 'command', command: agent.command };
    values.push({ key: `agents.${agent.name}`, value: JSON.stringify(profile) });
    values.push({ key: 'agent', value: agent.name });
  }
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
    lines.push('# No agent was found. Any program that reads a prompt on standard input will do:');
    lines.push('# agents: { mine: { use: command, command: ["./agent.sh"] } }');
    lines.push('# agent: mine');
  }
  return `${lines.join('\n')}\n`;
}

function saysOf({ gate, agent }: Answers): readonly string[] {
  return [
    `Wrote ${projectFile}`,
    `  gate   ${gate.length === 0 ? 'none found; set one before the first run' : gate.join('; ')}`,
    `  agent  ${agent === undefined ? 'none found; name one before the first run' : agent.command.join(' ')}`,
    'Next: `ym doctor`, then `ym add "…"` and `ym run --scope ready`.',
  ];
}
