import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { need } from '../../test/rig/need.ts';
import { commands } from './commands.ts';
import { type Call, parse } from './parse.ts';

function call(line: string): Call {
  const parsed = need(parse(line === '' ? [] : line.split(' ')));
  return parsed;
}

function refusal(...argv: readonly string[]): string {
  const parsed = parse(argv);
  if (parsed.ok || parsed.failure.kind !== 'usage') return 'accepted';
  return `${parsed.failure.problem} ${parsed.failure.remedy}`;
}

/** Words of an example, as a shell would part them. */
function split(line: string): string[] {
  return [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare ?? '');
}

describe('commands and arguments', () => {
  it('are read in order', () => {
    const { command, args } = call('config set jobs 8');
    expect(command).toBe('config');
    expect(args).toEqual(['set', 'jobs', '8']);
  });

  it('asks for help where nothing is said', () => {
    expect(call('').global.help).toBe(true);
    expect(call('').command).toBe('help');
  });

  it('takes a lone dash for an argument', () => {
    expect(call('import -').args).toEqual(['-']);
  });

  it('takes everything after two dashes for arguments', () => {
    expect(call('add -- --json').args).toEqual(['--json']);
    expect(call('add -- --json').options.flag('json')).toBe(false);
  });

  it('takes any number of a repeatable argument', () => {
    expect(call('retry a b c').args).toEqual(['a', 'b', 'c']);
    expect(call('run').args).toEqual([]);
  });

  it('refuses an unknown command with what may have been meant', () => {
    expect(refusal('statsu')).toMatchInlineSnapshot(
      `"There is no command "statsu". Did you mean \`ym status\`? See \`ym help\`."`,
    );
    expect(refusal('xyzzy')).toMatchInlineSnapshot(
      `"There is no command "xyzzy". See \`ym help\`."`,
    );
    expect(refusal('help', 'rnu')).toMatchInlineSnapshot(
      `"There is no command "rnu". Did you mean \`ym run\`? See \`ym help\`."`,
    );
  });

  it('refuses a missing argument', () => {
    expect(refusal('why')).toMatchInlineSnapshot(
      `"\`ym why\` needs ID: task id, as listed by \`ym tasks\`. See \`ym why --help\`."`,
    );
    expect(refusal('retry')).toMatchInlineSnapshot(
      `"\`ym retry\` needs ID: task ids, as listed by \`ym tasks\`. See \`ym retry --help\`."`,
    );
  });

  it('refuses one argument too many', () => {
    expect(refusal('why', 'a', 'b')).toMatchInlineSnapshot(
      `"\`ym why\` takes at most 1 argument, so "b" is unexpected. See \`ym why --help\`."`,
    );
    expect(refusal('status', 'a')).toMatchInlineSnapshot(
      `"\`ym status\` takes no argument, so "a" is unexpected. See \`ym status --help\`."`,
    );
  });

  it('refuses an argument that is not one of the choices', () => {
    expect(refusal('completions', 'bahs')).toMatchInlineSnapshot(
      `"SHELL of \`ym completions\` cannot be "bahs". Did you mean bash? Choose one of bash, zsh, fish, tasks, runs, keys."`,
    );
    expect(refusal('config', 'delete', 'jobs')).toMatchInlineSnapshot(
      `"ACTION of \`ym config\` cannot be "delete". Choose one of list, get, set."`,
    );
  });

  it('does not miss arguments where only help is asked for', () => {
    expect(call('why --help').global.help).toBe(true);
    expect(call('why --help').command).toBe('why');
    expect(call('why -V').global.version).toBe(true);
  });
});

describe('options', () => {
  it('are read by their types', () => {
    const { options, args } = call('run plan.yaml --jobs 3 --agent mine --only a,b --yes');
    expect(options.number('jobs')).toBe(3);
    expect(options.text('agent')).toBe('mine');
    expect(options.list('only')).toEqual(['a', 'b']);
    expect(options.flag('yes')).toBe(true);
    expect(args).toEqual(['plan.yaml']);
  });

  it('are absent, false or empty where nobody gave them', () => {
    const { options } = call('run');
    expect(options.number('jobs')).toBeUndefined();
    expect(options.text('agent')).toBeUndefined();
    expect(options.list('only')).toEqual([]);
    expect(options.flag('yes')).toBe(false);
  });

  it.each(['run --jobs=3', 'run -j 3', 'run -j3', 'run -j=3', 'run --jobs 3'])(
    'may be written as in "%s"',
    (line) => {
      expect(call(line).options.number('jobs')).toBe(3);
    },
  );

  it('may be clustered by their letters', () => {
    const { options, global } = call('run -nyqj4');
    expect(options.flag('dry-run')).toBe(true);
    expect(options.flag('yes')).toBe(true);
    expect(options.number('jobs')).toBe(4);
    expect(global.quiet).toBe(true);
  });

  it('collect a list from commas and from repetition', () => {
    const { options } = call('run --only a, --only b,c --epic=search');
    expect(options.list('only')).toEqual(['a', 'b', 'c']);
    expect(options.list('epic')).toEqual(['search']);
  });

  it('take a value with an equals sign in it', () => {
    expect(call('add x --body=a=b').options.text('body')).toBe('a=b');
  });

  it('take a value that begins with a dash only after an equals sign', () => {
    expect(call('add x --body=-v').options.text('body')).toBe('-v');
    expect(refusal('daemon')).toContain('needs ACTION: status, start, stop, reload, logs, serve');
    expect(refusal('add', 'x', '--body', '-v')).toContain('--body needs a value');
  });

  it('take a lone dash as a value', () => {
    expect(call('add x --body-file -').options.text('body-file')).toBe('-');
  });

  it('are refused where the command has none of that name', () => {
    expect(refusal('run', '--job', '3')).toMatchInlineSnapshot(
      `"\`ym run\` has no option --job. Did you mean \`--jobs\`? See \`ym run --help\`."`,
    );
    expect(refusal('status', '--jobs', '3')).toMatchInlineSnapshot(
      `"\`ym status\` has no option --jobs. See \`ym status --help\`."`,
    );
    expect(refusal('status', '-x')).toMatchInlineSnapshot(
      `"\`ym status\` has no option -x. See \`ym status --help\`."`,
    );
    expect(refusal('--hlep')).toMatchInlineSnapshot(
      `"There is no option --hlep before the command. Did you mean \`ym --help\`? See \`ym help\`."`,
    );
  });

  it('are refused without their value', () => {
    expect(refusal('run', '--jobs')).toMatchInlineSnapshot(
      `"--jobs needs a value. Write --jobs N: agents running at once."`,
    );
    expect(refusal('run', '--agent', '--yes')).toMatchInlineSnapshot(
      `"--agent needs a value. Write --agent NAME: agent to start, such as claude or codex, or a profile in the config."`,
    );
    expect(refusal('run', '--agent=')).toContain('--agent needs a value');
  });

  it('are refused with a value they do not take', () => {
    expect(refusal('run', '--yes=no')).toMatchInlineSnapshot(
      `"--yes takes no value. Write --yes alone."`,
    );
    expect(refusal('run', '-y=1')).toContain('takes no value');
  });

  it.each(['0', '17', '-1', '2.5', 'four', '1e1', '0x4', ' 4', '9'.repeat(20)])(
    'refuse --jobs %s',
    (value) => {
      expect(refusal('run', `--jobs=${value}`)).toContain('from 1 to 16');
    },
  );

  it('refuse a negative number as a number, not as an option', () => {
    expect(refusal('run', '--retries', '-1')).toMatchInlineSnapshot(
      `"--retries cannot be "-1". Give a whole number from 0 to 100."`,
    );
  });

  it('refuse what is not one of the choices', () => {
    expect(refusal('graph', '--format', 'mermiad')).toMatchInlineSnapshot(
      `"--format cannot be "mermiad". Did you mean mermaid? Choose one of ascii, mermaid, dot, svg, html."`,
    );
    expect(refusal('run', '--scope', 'everything')).toMatchInlineSnapshot(
      `"--scope cannot be "everything". Choose one of ready, epics."`,
    );
  });

  it('are refused twice, but for lists and switches', () => {
    expect(refusal('run', '--agent', 'a', '--agent', 'b')).toMatchInlineSnapshot(
      `"--agent is given twice. Use it once."`,
    );
    expect(call('run --yes --yes').options.flag('yes')).toBe(true);
  });

  it('may not be read by a handler under a name or type the table does not have', () => {
    const { options } = call('run');
    expect(() => options.flag('jobs')).toThrow('jobs');
    expect(() => options.text('colour')).toThrow('not in the table');
  });
});

describe('global options', () => {
  it('may stand before the command or after it', () => {
    for (const line of ['-C elsewhere status -q --no-color', 'status -q -C elsewhere --no-color']) {
      const { command, global } = call(line);
      expect(command).toBe('status');
      expect(global).toEqual({
        help: false,
        version: false,
        color: false,
        quiet: true,
        cwd: 'elsewhere',
      });
    }
  });

  it('have their defaults', () => {
    const { global } = call('status');
    expect(global).toEqual({ help: false, version: false, color: true, quiet: false });
  });

  it('show the version without a command', () => {
    expect(call('--version').global).toMatchObject({ version: true, help: false });
  });
});

describe('parsing', () => {
  it.each(commands.flatMap(({ examples }) => examples))('understands $line', ({ line }) => {
    const words = split(line.replace(/ > .*$/, ''));
    expect(parse(words.slice(1))).toMatchObject({ ok: true });
  });

  it('never throws and refuses only as wrong usage', () => {
    const word = fc.oneof(
      fc.constantFrom(...commands.map(({ name }) => name)),
      fc.constantFrom('--jobs', '-j', '--json', '--only', '--', '-', '--help', '-qf', '--x=y', '3'),
      fc.string(),
    );
    fc.assert(
      fc.property(fc.array(word, { maxLength: 6 }), (argv) => {
        const parsed = parse(argv);
        if (!parsed.ok) expect(parsed.failure.kind).toBe('usage');
      }),
    );
  });
});

it('a number with a minus sign is an argument only where one may be', () => {
  const call = parse(['slots', '-1']);
  expect(call.ok && call.value.args).toEqual(['-1']);
  expect(parse(['status', '-1'])).toMatchObject({ ok: false, failure: { kind: 'usage' } });
});
