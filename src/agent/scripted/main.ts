#!/usr/bin/env node
// The scripted agent: plays a script instead of calling a model. A separate program that gets everything from its
// environment, like any agent.
import { readFileSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { act, ExitAgent, print } from './act.ts';
import { loadActions, type OneShotStep, ScriptError } from './script.ts';

async function play(): Promise<number> {
  const { env } = process;
  const script = scriptPath(process.argv.slice(2), env.YARD_SCRIPT);
  const task = env.YARD_TASK;
  if (task === undefined || task === '') throw new ScriptError('YARD_TASK is not set.');
  const oneShot = oneShotIn(env);
  const part = {
    task,
    attempt: count(env.YARD_ATTEMPT),
    turn: count(env.YARD_TURN),
    oneShot,
  };
  // Real agents read the whole prompt too.
  const prompt = readFileSync(0);
  const actions = loadActions(script, part);
  const folder = statSync(script).isDirectory() ? script : dirname(script);
  const stage = {
    cwd: process.cwd(),
    scriptDir: env.YARD_SCRIPT_DIR ?? folder,
    prompt,
    env,
  };
  for (const action of actions) await act(action, stage);
  return 0;
}

function scriptPath(args: readonly string[], fromEnvironment: string | undefined): string {
  const [flag, value, ...more] = args;
  if (flag !== undefined && (flag !== '--script' || value === undefined || more.length > 0)) {
    throw new ScriptError('Usage: scripted-agent [--script FILE_OR_FOLDER]');
  }
  const given = value ?? fromEnvironment;
  if (given === undefined || given === '') {
    throw new ScriptError('No script: set YARD_SCRIPT or pass --script.');
  }
  return resolve(given);
}

function oneShotIn(env: NodeJS.ProcessEnv): OneShotStep | undefined {
  if (env.YARD_PURPOSE !== 'review') return undefined;
  const round = count(env.YARD_ROUND);
  const again = count(env.YARD_AGAIN);
  switch (env.YARD_STEP) {
    case 'critique':
      return { list: 'critiques', round, again };
    case 'improve':
      return { list: 'improvements', round, again };
    case 'batch':
      return { list: 'batches', round, again };
    case 'revision':
      return { list: 'revisions', round, again };
    case 'probe':
      return { list: 'probes', round, again };
    default:
      return { list: 'reviews', round, again };
  }
}

/** Attempts and turns count from 1; an agent started by hand has neither. */
function count(text: string | undefined): number {
  const value = Number(text ?? '1');
  return Number.isInteger(value) && value >= 1 ? value : 1;
}

async function exitCode(): Promise<number> {
  try {
    return await play();
  } catch (error) {
    if (error instanceof ScriptError) {
      await print(2, `${error.message}\n`);
      return 2;
    }
    if (error instanceof ExitAgent) {
      if (error.message !== '') await print(2, `${error.message}\n`);
      return error.code;
    }
    await print(2, `${error instanceof Error ? error.message : String(error)}\n`);
    return 1;
  }
}

void exitCode().then((code) => process.exit(code));
