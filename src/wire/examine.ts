import { statfsSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../config/config.ts';
import { childEnv } from '../git/env.ts';
import type { Failure, Result } from '../model/failure.ts';
import { limits } from '../model/limits.ts';
import { atLeast } from '../model/version.ts';
import type { AgentHealth, AgentInfo } from '../port/agent.ts';
import { exec } from '../process/exec.ts';
import { checkRunFiles } from '../record/read-files.ts';
import { examineAgents } from './check-agents.ts';
import { runsDir } from './files.ts';
import { flakyFindings } from './flakes.ts';
import { checkGate, detectSetupIn, gateOfRun } from './gate.ts';
import { checkWritable, openProject, openStore, type Project } from './project.ts';
import { projectConfig, runConfig } from './project-config.ts';
import { promptsOf } from './prompts.ts';
import { findTarget } from './target.ts';

/** One thing a run depends on: what was found, or the problem with it. */
export interface Finding {
  readonly name: string;
  readonly text: string;
  readonly trouble?: Failure;
  /** Replaces the remedy of the failure, if more is known here. */
  readonly remedy?: string;
  /** True if a run would not fail because of this; without `trouble` it is only a note. */
  readonly harmless?: boolean;
  /** Facts about an agent, for `--json`. */
  readonly agent?: AgentInfo & AgentHealth;
}

/** Checks everything a run needs, one finding each; a problem does not end the checks. */
export async function examine(cwd: string): Promise<readonly Finding[]> {
  const findings: Finding[] = [nodeFinding(), await gitFinding(cwd)];
  const opened = await openProject(cwd);
  if (!opened.ok) return [...findings, problem('project', opened.failure)];
  const project = opened.value;
  findings.push(await targetFinding(project));
  findings.push(finding('identity', await project.git.identity(), (identity) => identity));
  const config = await runConfig(project);
  if (config.ok) {
    const { warnings } = config.value;
    findings.push({ name: 'config', text: 'read' });
    findings.push(...warnings.map((text) => ({ name: 'config', text, harmless: true })));
    findings.push(...(await configFindings(project, config.value.config)));
  } else findings.push(...config.failure.map((failure) => problem('config', failure)));
  findings.push(await storeFinding(project));
  findings.push(...(await filesFinding(project)));
  findings.push(stateFinding(project));
  if (config.ok) findings.push(...(await flakyFindings(project, config.value.config, Date.now())));
  await project.git.close();
  return findings;
}

function nodeFinding(): Finding {
  const isFast = atLeast(process.versions.node, '22');
  const note = isFast ? '' : ' (works; 22 and newer start faster, 24 is recommended)';
  return { name: 'node', text: `${process.versions.node}${note}` };
}

async function gitFinding(cwd: string): Promise<Finding> {
  const env = childEnv(process.env);
  const bounds = { wallMs: limits.probeMs, outputBytes: limits.tailBytes };
  const asked = await exec(['git', '--version'], { cwd, env, ...bounds });
  if (asked.id === 'not-started')
    return problem('git', { kind: 'git-missing', cause: asked.cause });
  return { name: 'git', text: asked.stdout.toString().trim().replace('git version ', '') };
}

async function targetFinding(project: Project): Promise<Finding> {
  const config = projectConfig(project);
  const target = await findTarget(project, config.ok ? config.value : {});
  return finding('target', target, ({ branch, commit }) => `${branch} at ${commit.slice(0, 10)}`);
}

async function configFindings(project: Project, config: Config): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  const gate = await gateOfRun(project, config);
  if (gate.ok) {
    const { commands } = gate.value.gate;
    const env = childEnv(process.env);
    const usable = await checkGate(gate.value.gate, project.root, env, config.worktree.setup);
    const text = commands.length === 0 ? 'none, as configured' : commands.join('; ');
    findings.push(finding('gate', usable, () => `${text} (from ${gate.value.from})`));
  } else findings.push(problem('gate', gate.failure));
  findings.push(...(await setupFindings(project, config)));
  const prompts = promptsOf(config, project.root);
  if (!prompts.ok) findings.push(...prompts.failure.map((failure) => problem('prompts', failure)));
  findings.push(...(await examineAgents(config, project.root)));
  return findings;
}

/** An empty list in the config text that nothing has to be set up; then a lock file is no reason for a warning. */
async function setupFindings(project: Project, config: Config): Promise<readonly Finding[]> {
  const { setup } = config.worktree;
  if (setup.length > 0) return [{ name: 'set-up', text: setup.join('; ') }];
  if (config.origins.get('worktree.setup')?.origin !== 'default') return [];
  const found = await detectSetupIn(project.root);
  if (found.length === 0) return [];
  const files = found.map(({ from }) => from).join(', ');
  const commands = JSON.stringify(found.flatMap((one) => one.commands));
  const trouble: Failure = {
    kind: 'usage',
    problem: `Found ${files}, but \`worktree.setup\` is not set: worktrees start without dependencies`,
    remedy: `Type \`ym config set worktree.setup ${shellQuoted(commands)}\`, or \`ym config set worktree.setup '[]'\` if nothing needs to be installed`,
  };
  return [{ name: 'set-up', text: '', trouble, harmless: true }];
}

function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

async function storeFinding(project: Project): Promise<Finding> {
  const store = await openStore(project, 'read');
  if (!store.ok) return problem('store', store.failure);
  try {
    const differences = await store.value.audit();
    if (!differences.ok) return problem('store', differences.failure);
    const [first] = differences.value;
    if (first === undefined) return { name: 'store', text: 'sound: its records match its log' };
    const detail = `${differences.value.length} records differ from the log, the first: ${first}`;
    return problem('store', { kind: 'store-corrupt', file: project.storeFile, detail });
  } finally {
    await store.value.close();
  }
}

/** Checks that the plain files of the newest run can be read. */
async function filesFinding(project: Project): Promise<readonly Finding[]> {
  const store = await openStore(project, 'read');
  if (!store.ok) return [];
  const runs = await store.value.runs(1);
  await store.value.close();
  const newest = runs.ok ? runs.value[0] : undefined;
  if (newest === undefined) return [];
  const checked = checkRunFiles(join(runsDir(project), newest.id));
  if (!checked.ok) return [problem('files', checked.failure)];
  return [{ name: 'files', text: `of run ${newest.id} can be read` }];
}

function stateFinding(project: Project): Finding {
  const writable = checkWritable(project.stateDir);
  if (!writable.ok) return problem('state', writable.failure);
  const { bavail, bsize } = statfsSync(project.stateDir);
  const free = `${Math.floor((bavail * bsize) / 2 ** 30)} GB free`;
  return { name: 'state', text: `${project.stateDir} (${free})` };
}

function finding<T>(name: string, result: Result<T>, text: (value: T) => string): Finding {
  return result.ok ? { name, text: text(result.value) } : problem(name, result.failure);
}

function problem(name: string, trouble: Failure): Finding {
  return { name, text: '', trouble };
}
