// The package as another project installs it: its types are checked and its example is run.

import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, expect, test } from 'vitest';
import { tempFolder } from '../rig/temp-folder.ts';
import { testProject, write } from '../rig.ts';

const clone = fileURLToPath(new URL('../..', import.meta.url));
const dependency = '@photostructure';
const folder = tempFolder();

/** Its only dependency comes from the clone: tests use no network. */
beforeAll(() => {
  const npm = (cwd: string, ...args: string[]) =>
    execFileSync('npm', args, { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
  npm(clone, 'pack', '--ignore-scripts', '--pack-destination', folder);
  const [packed = ''] = readdirSync(folder).filter((name) => name.endsWith('.tgz'));
  writeFileSync(join(folder, 'package.json'), '{ "type": "module", "private": true }\n');
  npm(folder, 'install', '--offline', '--omit=optional', '--no-audit', '--no-fund', `./${packed}`);
  const modules = join(folder, 'node_modules');
  symlinkSync(join(clone, 'node_modules', dependency), join(modules, dependency));
  symlinkSync(join(clone, 'node_modules/@types'), join(modules, '@types'));
  cpSync(join(modules, 'yardmaster/examples'), join(folder, 'examples'), { recursive: true });
});

test('its types are right for a strict program, without any other types of ours', () => {
  const use = `import { openYard, type Yard, type YardRun } from 'yardmaster';
    export async function states(dir: string): Promise<readonly string[]> {
      const yard = await openYard(dir);
      if (!yard.ok) return [yard.failure.what];
      const status = await yard.value.status();
      return status.ok ? status.value.tasks.map(({ state }) => state) : [];
    }
    export const stop = (run: YardRun): unknown => run.stop('now');
    // @ts-expect-error There is no such method.
    export const wrong = (yard: Yard): unknown => yard.destroy();\n`;
  writeFileSync(join(folder, 'use.ts'), use);
  const compilerOptions = {
    strict: true,
    exactOptionalPropertyTypes: true,
    noEmit: true,
    target: 'es2023',
    module: 'nodenext',
    types: ['node'],
    checkJs: true,
  };
  const project = { compilerOptions, files: ['use.ts', 'examples/land-a-task.mjs'] };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(project));
  const tsc = join(clone, 'node_modules/typescript/bin/tsc');
  expect(execFileSync(process.execPath, [tsc, '-p', folder], { encoding: 'utf8' })).toBe('');
});

test('its example lands a task', () => {
  const y = testProject({ script: { 'write-a-poem': [[write('poem.txt', 'frogs\n')]] } });
  const run = y.shell(`'${process.execPath}' '${folder}/examples/land-a-task.mjs' 'Write a poem'`);
  expect(run.stderr).toBe('');
  expect(run.stdout).toMatch(
    /run-started[\s\S]*\d landed\n[\s\S]*\d run-ended\n[\s\S]*done: 1 landed[\s\S]*\+frogs/,
  );
  expect(y.landed()).toEqual(['write-a-poem']);
});

test('an agent that loads it cannot decide for the person', async () => {
  const script = `import { openYard } from '${folder}/node_modules/yardmaster/dist/library.js';
    import { appendFileSync } from 'node:fs';
    const yard = (await openYard(process.env.PROJECT)).value;
    for (const did of [await yard.approve('a'), await yard.stop('now'), await yard.run()]) {
      appendFileSync('said.txt', did.failure.what + '\\n');
    }
    await yard.close();\n`;
  const y = testProject({
    config: { agent: 'sly', agents: { sly: { use: 'command', command: ['./agent.sh'] } } },
    files: { 'sly.mjs': script },
    tasks: [{ id: 'a', title: 'Do a' }],
  });
  const start = `PROJECT='${y.root}' exec '${process.execPath}' sly.mjs`;
  y.write('agent.sh', `#!/bin/sh\ncat > /dev/null\n${start}\n`);
  chmodSync(join(y.root, 'agent.sh'), 0o755);
  y.commit('Let it run');
  expect((await y.ym('run', y.plan)).code).toBe(0);
  const said = y.show('said.txt').trim().split('\n');
  expect(said).toHaveLength(3);
  for (const line of said) expect(line).toMatch(/^Only a person may use/);
});

test('a program in CommonJS loads it too, and nothing else of the package', () => {
  const program = `const { openYard } = require('yardmaster');
    const tried = ['yardmaster/dist/main.js', 'yardmaster/schemas/event.json'].map((name) => {
      try { require.resolve(name); return 'public'; } catch (error) { return error.code; }
    });
    openYard('${folder}').then((yard) => console.log(yard.failure.kind, ...tried));\n`;
  writeFileSync(join(folder, 'plain.cjs'), program);
  const said = execFileSync(process.execPath, ['plain.cjs'], { cwd: folder, encoding: 'utf8' });
  expect(said).toBe('not-a-repository ERR_PACKAGE_PATH_NOT_EXPORTED public\n');
});

test('loading it prints nothing and handles no signals', () => {
  const program = `import 'yardmaster';
    const signals = ['SIGINT', 'SIGTERM', 'SIGHUP', 'uncaughtException'];
    console.log(signals.filter((name) => process.listenerCount(name) > 0).length);\n`;
  writeFileSync(join(folder, 'loads.mjs'), program);
  const said = execFileSync(process.execPath, ['loads.mjs'], { cwd: folder, encoding: 'utf8' });
  expect(said).toBe('0\n');
});

test('its types are one small file that imports nothing', () => {
  const types = readFileSync(join(folder, 'node_modules/yardmaster/dist/library.d.ts'), 'utf8');
  expect(types).not.toMatch(/^import |import\("/m);
  expect(types.length).toBeLessThan(100_000);
  expect(types).toContain('export declare const openYard');
});
