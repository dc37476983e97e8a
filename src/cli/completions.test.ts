import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { tempFolder } from '../../test/rig/temp-folder.ts';
import { globalOptions } from './commands/shared.ts';
import { commands } from './commands.ts';
import { completionScript } from './completions.ts';

let dir = '';
beforeEach(() => {
  dir = tempFolder();
  writeFileSync(join(dir, 'plan.yaml'), '');
});

const timeout = 20_000;

/** Completions that bash offers for the last word of a line. */
function complete(...words: readonly string[]): string[] {
  writeFileSync(join(dir, 'ym.bash'), completionScript('bash', commands));
  const line = words.map((word) => `'${word}'`).join(' ');
  const script = [
    'source ./ym.bash',
    `COMP_WORDS=(${line})`,
    `COMP_CWORD=${words.length - 1}`,
    '_ym',
    'printf "%s\\n" "${COMPREPLY[@]}"',
  ].join('\n');
  const ran = spawnSync('bash', ['--norc', '-c', script], { cwd: dir, encoding: 'utf8', timeout });
  expect(ran.stderr).toBe('');
  return ran.stdout.split('\n').filter((word) => word !== '');
}

describe('completion in bash', () => {
  it('is valid bash', () => {
    const ran = spawnSync('bash', ['-n'], {
      input: completionScript('bash', commands),
      encoding: 'utf8',
      timeout,
    });
    expect(ran.stderr).toBe('');
    expect(ran.status).toBe(0);
  });

  it('is set for both names of the program', () => {
    writeFileSync(join(dir, 'ym.bash'), completionScript('bash', commands));
    const script = 'source ./ym.bash; complete -p ym; complete -p yardmaster';
    const ran = spawnSync('bash', ['--norc', '-c', script], {
      cwd: dir,
      encoding: 'utf8',
      timeout,
    });
    expect(ran.stdout).toBe('complete -F _ym ym\ncomplete -F _ym yardmaster\n');
  });

  it('offers commands by their beginning', () => {
    expect(complete('ym', 'st')).toEqual(['store', 'stop', 'status']);
    expect(complete('ym', 're')).toEqual([
      'resume',
      'report',
      'review',
      'retry',
      'reject',
      'resolve',
    ]);
  });

  it('offers every command where nothing is typed', () => {
    const offered = complete('ym', '');
    for (const { name } of commands) expect(offered).toContain(name);
  });

  it('offers the options of the command, and those of every command', () => {
    expect(complete('ym', 'run', '--ma')).toEqual(['--max-attempts', '--max-new-tasks']);
    expect(complete('ym', 'status', '--n')).toEqual(['--no-color']);
    expect(complete('ym', 'status', '--max')).toEqual([]);
  });

  it('offers the choices of an option and of an argument', () => {
    expect(complete('ym', 'graph', '--format', '')).toEqual([
      'ascii',
      'mermaid',
      'dot',
      'svg',
      'html',
    ]);
    expect(complete('ym', 'completions', 'b')).toEqual(['bash']);
    expect(complete('ym', 'config', '').slice(0, 3)).toEqual(['list', 'get', 'set']);
    expect(complete('ym', 'help', 'su')).toEqual(['summary']);
  });

  it('offers nothing where a value is free', () => {
    expect(complete('ym', 'run', '--agent', '')).toEqual([]);
  });

  it('offers files where a file is meant', () => {
    expect(complete('ym', 'import', 'pl')).toEqual(['plan.yaml']);
    expect(complete('ym', 'add', 'x', '--body-file', 'pl')).toEqual(['plan.yaml']);
  });

  it('finds the command behind global options', () => {
    expect(complete('ym', '-C', 'else', '-q', 'graph', '--fo')).toEqual(['--format']);
  });
});

describe('words of the project', () => {
  /** A stand-in for the program, which says what it was asked for. */
  function complete(...words: readonly string[]): string[] {
    writeFileSync(join(dir, 'ym.bash'), completionScript('bash', commands));
    const line = words.map((word) => `'${word}'`).join(' ');
    const script = [
      'ym() { echo "$2-1"; echo "$2-2"; }',
      'source ./ym.bash',
      `COMP_WORDS=(${line})`,
      `COMP_CWORD=${words.length - 1}`,
      '_ym',
      'printf "%s\\n" "${COMPREPLY[@]}"',
    ].join('\n');
    const ran = spawnSync('bash', ['--norc', '-c', script], {
      cwd: dir,
      encoding: 'utf8',
      timeout,
    });
    expect(ran.stderr).toBe('');
    return ran.stdout.split('\n').filter((word) => word !== '');
  }

  it('are offered where an id or a key is meant', () => {
    expect(complete('ym', 'why', 'ta')).toEqual(['tasks-1', 'tasks-2']);
    expect(complete('ym', 'add', 'x', '--after', '')).toEqual(['tasks-1', 'tasks-2']);
    expect(complete('ym', 'summary', 'r')).toEqual(['runs-1', 'runs-2']);
    expect(complete('ym', 'status', '--run', '')).toEqual(['runs-1', 'runs-2']);
    expect(complete('ym', 'config', 'get', 'k')).toEqual(['keys-1', 'keys-2']);
  });

  it('are not asked for while an option is typed', () => {
    expect(complete('ym', 'why', '--js')).toEqual(['--json']);
  });

  it('are asked for in zsh and fish as well', () => {
    expect(completionScript('zsh', commands)).toContain(
      '{compadd -- ${(f)"$(ym completions tasks 2>/dev/null)"}}',
    );
    expect(completionScript('fish', commands)).toContain("-a '(ym completions runs 2>/dev/null)'");
  });
});

describe('completion in other shells', () => {
  it('names every command and option for zsh', () => {
    const script = completionScript('zsh', commands);
    expect(script).toMatch(/^#compdef ym yardmaster\n/);
    for (const { name, options } of commands) {
      expect(script).toContain(`    ${name}) _arguments`);
      for (const { long } of options) expect(script).toContain(`--${long}[`);
    }
  });

  it('names every command and option for fish', () => {
    const script = completionScript('fish', commands);
    for (const { name, options } of commands) {
      expect(script).toContain(`complete -c ym -n __fish_use_subcommand -a ${name} -d '`);
      for (const { long } of options) {
        expect(script).toContain(
          `complete -c ym -n '__fish_seen_subcommand_from ${name}' -l ${long}`,
        );
      }
    }
    for (const { long } of globalOptions) expect(script).toContain(`complete -c ym -l ${long}`);
  });

  it.each(['zsh', 'fish'] as const)('closes every quote for %s', (shell) => {
    for (const line of completionScript(shell, commands).split('\n')) {
      const quotes = line.replaceAll("'\\''", '').replaceAll('"', '').split("'").length - 1;
      expect(quotes % 2, line).toBe(0);
    }
  });
});
