// Words and calls that are not allowed, and where.
import { isTestFile, lineAt, type Problem, type TextFile } from './files.ts';
import { isPure } from './imports.ts';
import { mask } from './mask.ts';

interface Ban {
  readonly pattern: RegExp;
  /** Where the pattern is looked for: code, without comments and strings; comments; or all. */
  readonly within: 'code' | 'comments' | 'text';
  readonly applies: (path: string) => boolean;
  readonly say: string;
}

const inSource = (path: string): boolean => path.startsWith('src/') && !isTestFile(path);
const inPure = (path: string): boolean => inSource(path) && isPure(path);
const everywhere = (): boolean => true;

export const bans = {
  any: {
    pattern: /(?::|\bas|[|&]|=>|\btype\s[^=;]*=)\s*any\b|\w<[^<>()=]*\bany\b[^<>()=]*>|\bany\[\]/g,
    within: 'code',
    applies: everywhere,
    say: 'uses the type any; name the type, or take unknown and check it',
  },
  bareCatch: {
    pattern: /\bcatch\s*\{/g,
    within: 'code',
    applies: everywhere,
    say: 'catches without looking; name the error and turn it into a failure, or let it pass',
  },
  unfinished: {
    pattern: /\b(?:TODO|FIXME|XXX|HACK)\b/g,
    within: 'comments',
    applies: everywhere,
    say: 'marks unfinished work; finish it, or write it where work is planned',
  },
  console: {
    pattern: /\bconsole\s*\./g,
    within: 'code',
    applies: (path) => inSource(path) && !path.startsWith('src/cli/'),
    say: 'prints; the core returns values and events, only src/cli prints',
  },
  print: {
    pattern: /\bprocess\s*\.\s*std(?:out|err)\s*\.\s*write\b/g,
    within: 'code',
    applies: (path) =>
      inSource(path) &&
      path !== 'src/cli/output.ts' &&
      !/^src\/(?:agent\/(?:scripted|acp|chat)|sandbox\/proxy)\//.test(path),
    say: 'writes to the terminal; only src/cli/output.ts does, which makes text from outside visible',
  },
  exit: {
    pattern: /\bprocess\s*\.\s*exit\s*\(/g,
    within: 'code',
    applies: (path) =>
      inSource(path) &&
      path !== 'src/main.ts' &&
      !/^src\/(?:agent\/scripted|sandbox\/proxy)\//.test(path),
    say: 'ends the process; return an exit code, only src/main.ts exits',
  },
  childProcess: {
    pattern: /['"](?:node:)?child_process['"]/g,
    within: 'text',
    applies: (path) =>
      inSource(path) && !/^src\/(?:process|agent\/(?:scripted|acp)|sandbox\/proxy)\//.test(path),
    say: 'starts processes itself; go through src/port/processes.ts',
  },
  impure: {
    pattern:
      /\bDate\.now\b|\bnew Date\(\s*\)|\bMath\.random\b|\bperformance\.now\b|\brandom(?:UUID|Bytes|Int)\b|\bset(?:Timeout|Interval|Immediate)\b|\bprocess\.(?:env|cwd|argv|hrtime|platform|stdout|stderr|stdin)\b/g,
    within: 'code',
    applies: inPure,
    say: 'is pure but asks the clock, chance or the process; take the value as an argument',
  },
  useCase: {
    pattern:
      /\bDate\.now\b|\bset(?:Timeout|Interval)\b|\bprocess\.(?:env|argv|cwd|exitCode|on|once|stdout|stderr|stdin)\b/g,
    within: 'code',
    applies: (path) => inSource(path) && path.startsWith('src/app/'),
    say: 'asks the process or the clock in a use case; take it from the ports, or leave it to src/cli',
  },
  planNumber: {
    pattern:
      /\b(?:[Ii]ssue|[Tt]icket|[Rr]ow|[Ss]tep|[Pp]hase|[Mm]ilestone|[Rr]equirement)\s+#?(?:[A-Z]+-?)?\d+(?:\.\d+)*\b|\b[Tt]ask\s+\d+\.\d+|(?<![\w&])#\d+\b|\b(?:INV|REQ|ADR)-?\d+|\b[A-Z]-\d+\b|§\s*\w*\d/g,
    within: 'comments',
    applies: (path) => path.startsWith('src/'),
    say: 'cites a number of a plan or an issue; say the reason itself',
  },
} satisfies Record<string, Ban>;

export function banProblems(ban: Ban, files: readonly TextFile[]): Problem[] {
  return files
    .filter(({ path }) => ban.applies(path))
    .flatMap(({ path, text }) => {
      const where = ban.within === 'text' ? text : mask(text)[ban.within];
      return [...where.matchAll(ban.pattern)].map((found) => ({
        file: path,
        line: lineAt(text, found.index),
        say: `"${found[0].trim()}" ${ban.say}`,
      }));
    });
}

const ASIDE = /\.(?:only|skip|todo|skipIf)\b(?=\s*[(.])/g;

/** Tests that are set aside, or set others aside, without a `reason:` on the line or the one above. */
export function asideProblems({ path, text }: TextFile): Problem[] {
  const lines = text.split('\n');
  return [...mask(text).code.matchAll(ASIDE)].flatMap((found) => {
    const line = lineAt(text, found.index);
    const near = `${lines[line - 2] ?? ''}\n${lines[line - 1] ?? ''}`;
    if (/\/[/*].*reason:/.test(near)) return [];
    const say = `"${found[0]}" leaves tests out; remove it, or say why in a comment "reason: …"`;
    return [{ file: path, line, say }];
  });
}

const EMPTY_NAMES = /^(?:utils?|helpers?|common|managers?|services?|misc)$/;

/** Folder and file names that say nothing about what is inside. */
export function nameProblems(path: string): Problem[] {
  const parts = path.replace(/\.[^/]*$/, '').split('/');
  const empty = parts.flatMap((part) => part.split(/[-_]/)).find((word) => EMPTY_NAMES.test(word));
  const word = empty ?? (parts.at(-1) === 'types' ? 'types' : undefined);
  if (word === undefined) return [];
  return [{ file: path, line: 1, say: `is named "${word}"; name it after what it holds` }];
}

/** A path that only exists on the machine of its author. Built from words so as not to hold one. */
const MACHINE_PATH = new RegExp(
  `(?<![\\w.@~$})\\]*-])/(?:${['work', 'root', 'home'].join('|')})/`,
  'g',
);

export function machinePathProblems({ path, text }: TextFile): Problem[] {
  return [...text.matchAll(MACHINE_PATH)].map((found) => ({
    file: path,
    line: lineAt(text, found.index),
    say: `holds "${found[0]}", a path of one machine; write a relative or made-up path`,
  }));
}
