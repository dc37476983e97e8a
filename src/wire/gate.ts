import { existsSync, readFileSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import type { Config } from '../config/config.ts';
import { detectGate } from '../gate/detect.ts';
import { gateId } from '../gate/gate.ts';
import { type Failure, fail, ok, type Result } from '../model/failure.ts';
import type { Gate } from '../model/verdict.ts';
import { limits } from '../plan/limits.ts';
import { exec } from '../process/exec.ts';

export interface FoundGate {
  readonly gate: Gate;
  /** For people: where it comes from. */
  readonly from: string;
}

/** The gate of the config, else the one the repository's files show, else a refusal that says how to set one. */
export function findGate(config: Config, root: string): Result<FoundGate> {
  switch (config.gate.kind) {
    case 'none':
      return ok({ gate: { id: 'none', commands: [], timeoutMs: 0 }, from: 'gate: none' });
    case 'commands': {
      const { commands, timeoutMs } = config.gate;
      const id = gateId(commands, config.worktree.setup);
      return ok({ gate: { id, commands, timeoutMs }, from: 'the config' });
    }
    case 'detect': {
      const found = detectGate({
        has: (path) => existsSync(join(root, path)),
        read: (path) => readFileSync(join(root, path), 'utf8'),
      });
      if ('looked' in found) return fail({ kind: 'no-gate', looked: found.looked });
      const { commands, from } = found;
      const { timeoutMs } = config.gate;
      const id = gateId(commands, config.worktree.setup);
      return ok({ gate: { id, commands, timeoutMs }, from });
    }
  }
}

/**
 * Whether the programs the gate starts with are there at all, asked before any agent is paid for. Only what can be told
 * for certain is refused: a command with shell syntax, or with a path that the target may bring, passes.
 */
export async function checkGate(
  gate: Gate,
  root: string,
  env: Readonly<Record<string, string>>,
): Promise<Result<void>> {
  for (const command of gate.commands) {
    const failure = await unusable(command, root, env);
    if (failure !== undefined) return fail(failure);
  }
  return ok(undefined);
}

async function unusable(
  command: string,
  root: string,
  env: Readonly<Record<string, string>>,
): Promise<Failure | undefined> {
  const words = command.trim().split(/\s+/);
  const program = words.find((word) => !/^[A-Za-z_][A-Za-z0-9_]*=/.test(word));
  if (program === undefined || /[^\w@%+=:,./-]/.test(program)) return undefined;
  if (program.includes('/')) {
    const path = isAbsolute(program) ? program : join(root, program);
    if (existsSync(path)) return undefined;
    return { kind: 'gate-unusable', command, cause: `there is no ${program}` };
  }
  const found = await exec(['sh', '-c', 'command -v -- "$1"', 'sh', program], {
    cwd: root,
    env,
    wallMs: limits.probeMs,
    outputBytes: limits.tailBytes,
  });
  if (found.id === 'not-started' || found.exit === 0) return undefined;
  return { kind: 'gate-unusable', command, cause: `there is no program "${program}" on the PATH` };
}
