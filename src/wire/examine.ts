import { statfsSync } from 'node:fs';
import { join } from 'node:path';
import type { AgentHealth, AgentInfo } from '../agent/agent.ts';
import type { Config } from '../config/config.ts';
import { childEnv } from '../git/env.ts';
import type { Failure, Result } from '../model/failure.ts';
import { atLeast } from '../model/version.ts';
import { limits } from '../plan/limits.ts';
import { exec } from '../process/exec.ts';
import { checkRunFiles } from '../record/read-files.ts';
import { examineAgents } from './check-agents.ts';
import { runsDir } from './files.ts';
import { checkGate, filesAt, findGate } from './gate.ts';
import { judgedConfig } from './judge.ts';
import { checkWritable, openProject, openStore, type Project } from './project.ts';
import { projectConfig } from './project-config.ts';
import { promptsOf } from './prompts.ts';
import { setupHere } from './setup-here.ts';
import { findTarget } from './target.ts';

/** One thing a run depends on: what was found, or what is wrong with it. */
export interface Finding {
  readonly name: string;
  readonly says: string;
  readonly trouble?: Failure;
  /** What to do about it, where more is known than the failure itself can say. */
  readonly remedy?: string;
  /** True where a run would not meet this trouble; without trouble it is only a note. */
  readonly harmless?: boolean;
  /** All that was found out about an agent, for programs. */
  readonly agent?: AgentInfo & AgentHealth;
}

/** Looks at everything, and goes on after something was found wrong. */
export async function examine(cwd: string): Promise<readonly Finding[]> {
  const findings: Finding[] = [nodeFinding(), await gitFinding(cwd)];
  const project = await openProject(cwd);
  if (!project.ok) return [...findings, wrong('project', project.failure)];
  const { git } = project.value;
  findings.push(await targetFinding(project.value));
  findings.push(finding('identity', await git.identity(), (who) => who));
  const here = project.value;
  const config = await judgedConfig(here, (judge) =>
    projectConfig(here, {}, process.env, undefined, judge),
  );
  if (config.ok) {
    findings.push({ name: 'config', says: 'read' });
    findings.push(
      ...config.value.warnings.map((says) => ({ name: 'config', says, harmless: true })),
    );
    findings.push(...(await fromConfig(here, config.value.config)));
  } else findings.push(...config.failure.map((failure) => wrong('config', failure)));
  findings.push(await storeFinding(project.value));
  findings.push(...(await filesFinding(project.value)));
  findings.push(stateFinding(project.value));
  await git.close();
  return findings;
}

function nodeFinding(): Finding {
  const isFast = atLeast(process.versions.node, '22');
  const note = isFast ? '' : ' (works; 22 and newer start faster, 24 is recommended)';
  return { name: 'node', says: `${process.versions.node}${note}` };
}

async function gitFinding(cwd: string): Promise<Finding> {
  const env = childEnv(process.env);
  const bounds = { wallMs: limits.probeMs, outputBytes: limits.tailBytes };
  const asked = await exec(['git', '--version'], { cwd, env, ...bounds });
  if (asked.id === 'not-started') return wrong('git', { kind: 'git-missing', cause: asked.cause });
  return { name: 'git', says: asked.stdout.toString().trim().replace('git version ', '') };
}

async function targetFinding(project: Project): Promise<Finding> {
  const config = projectConfig(project);
  const target = await findTarget(project, config.ok ? config.value : {});
  return finding('target', target, ({ branch, commit }) => `${branch} at ${commit.slice(0, 10)}`);
}

async function fromConfig(project: Project, config: Config): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  const gate = await gateOf(project, config);
  if (gate.ok) {
    const { commands } = gate.value.gate;
    const env = childEnv(process.env);
    const usable = await checkGate(gate.value.gate, project.root, env, config.worktree.setup);
    const says = commands.length === 0 ? 'none, as the config says' : commands.join('; ');
    findings.push(finding('gate', usable, () => `${says} (from ${gate.value.from})`));
  } else findings.push(wrong('gate', gate.failure));
  findings.push(...(await setupFindings(project, config)));
  const prompts = promptsOf(config, project.root);
  if (!prompts.ok) findings.push(...prompts.failure.map((failure) => wrong('prompts', failure)));
  findings.push(...(await examineAgents(config, project.root)));
  return findings;
}

/** An empty list in the config says that nothing has to be set up; then a lock file is no reason for a warning. */
async function setupFindings(project: Project, config: Config): Promise<readonly Finding[]> {
  const { setup } = config.worktree;
  if (setup.length > 0) return [{ name: 'set-up', says: setup.join('; ') }];
  if (config.origins.get('worktree.setup')?.origin !== 'default') return [];
  const found = await setupHere(project.root);
  if (found.length === 0) return [];
  const files = found.map(({ from }) => from).join(', ');
  const commands = JSON.stringify(found.flatMap((one) => one.commands));
  const trouble: Failure = {
    kind: 'usage',
    problem: `There is ${files}, but \`worktree.setup\` is not set: worktrees start without dependencies`,
    remedy: `Type \`ym config set worktree.setup ${shellQuoted(commands)}\`, or \`ym config set worktree.setup '[]'\` if nothing has to be installed`,
  };
  return [{ name: 'set-up', says: '', trouble, harmless: true }];
}

function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** As a run would find it. */
async function gateOf(project: Project, config: Config): Promise<ReturnType<typeof findGate>> {
  const target = await findTarget(project, config);
  if (!target.ok) return findGate(config, project.root);
  const files = await filesAt(project.git, target.value.commit, project.root);
  return files.ok ? findGate(config, project.root, files.value) : files;
}

async function storeFinding(project: Project): Promise<Finding> {
  const store = await openStore(project, 'read');
  if (!store.ok) return wrong('store', store.failure);
  try {
    const differences = await store.value.audit();
    if (!differences.ok) return wrong('store', differences.failure);
    const [first] = differences.value;
    if (first === undefined)
      return { name: 'store', says: 'sound: its records agree with its log' };
    const detail = `${differences.value.length} records differ from the log, the first: ${first}`;
    return wrong('store', { kind: 'store-corrupt', file: project.storeFile, detail });
  } finally {
    await store.value.close();
  }
}

/** The plain files of the newest run, as a person or a program would read them. */
async function filesFinding(project: Project): Promise<readonly Finding[]> {
  const store = await openStore(project, 'read');
  if (!store.ok) return [];
  const runs = await store.value.runs(1);
  await store.value.close();
  const newest = runs.ok ? runs.value[0] : undefined;
  if (newest === undefined) return [];
  const checked = checkRunFiles(join(runsDir(project), newest.id));
  if (!checked.ok) return [wrong('files', checked.failure)];
  return [{ name: 'files', says: `of run ${newest.id} can be read` }];
}

function stateFinding(project: Project): Finding {
  const writable = checkWritable(project.stateDir);
  if (!writable.ok) return wrong('state', writable.failure);
  const { bavail, bsize } = statfsSync(project.stateDir);
  const free = `${Math.floor((bavail * bsize) / 2 ** 30)} GB free`;
  return { name: 'state', says: `${project.stateDir} (${free})` };
}

function finding<T>(name: string, result: Result<T>, says: (value: T) => string): Finding {
  return result.ok ? { name, says: says(result.value) } : wrong(name, result.failure);
}

function wrong(name: string, trouble: Failure): Finding {
  return { name, says: '', trouble };
}
