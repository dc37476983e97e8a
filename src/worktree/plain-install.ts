/** Installs of Node.js packages, with flags that bring nothing but packages of the lock file. */
const nodeFlags = [
  ...[
    '--prefer-offline',
    '--offline',
    '--no-audit',
    '--no-fund',
    '--no-progress',
    '--no-package-lock',
  ],
  ...['--legacy-peer-deps', '--ignore-scripts', '--silent', '--quiet', '-s', '-q', '--omit=dev'],
  ...['--frozen-lockfile', '--immutable', '--non-interactive', '--prod', '--production'],
];
const node = new RegExp(
  `^(?:npm (?:ci|install)|(?:pnpm|yarn|bun) install)(?: (?:${nodeFlags.join('|')}))*$`,
);
const venv = /^python3? -m venv \.venv(?: && echo '\*' > \.venv\/\.gitignore)?$/;
/** Lists and packages by their names; neither a path nor the project itself. */
const pip =
  /^(?:\.venv\/bin\/)?(?:python3? -m )?pip install(?: (?:-q|--quiet|--disable-pip-version-check|--no-input|(?:-r|-c) [\w./-]+|[A-Za-z0-9][\w-]*(?:[=<>~!]=[\w.]+)?))+$/;
const uv = /^uv sync(?: (?:--locked|--frozen|--no-install-project|-q|--quiet))*$/;
const plain: readonly RegExp[] = [node, venv, pip, uv];

/** Scripts of a package that npm and its kin run when they install it. */
const lifecycle = new Set([
  ...['preinstall', 'install', 'postinstall', 'preprepare', 'prepare', 'postprepare'],
  ...['prepublish', 'dependencies', 'pnpm:devPreinstall'],
]);
/** Scripts that set up git hooks and read nothing else. */
const hooksOnly = /^(?:husky(?: install)?|lefthook install|simple-git-hooks)$/;
/** Packages whose own install script reads files of the project, and packages from the tree itself. */
const readsProject =
  /"(?:@prisma\/client|prisma|msw|patch-package)"\s*:|"(?:file|link|portal|patch):|[pP]atchedDependencies|"injected"/;

/** True if nothing but manifests can have influenced what these set-up commands leave, as far as the commands tell. */
export const arePlain = (commands: readonly string[]): boolean =>
  commands.every((command) => plain.some((known) => known.test(command.trim())));

/** True if an install may run code of the tree, or copy parts of it, because of this file. */
export function readsSources(path: string): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1);
  return (
    name === 'binding.gyp' || name.startsWith('.pnpmfile.') || path.startsWith('.yarn/plugins/')
  );
}

/** True if the text of the file can make an install run code of the tree, or copy parts of it. */
export function isToldApart(path: string): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1);
  return checks.some(([wanted]) => wanted.test(name)) || isList(path);
}

const checks: readonly (readonly [RegExp, (text: string) => boolean])[] = [
  [/^package\.json$/, packageReads],
  [/^pnpm-workspace\.yaml$/, (text) => /patchedDependencies|injected/.test(text)],
  [/^\.npmrc$/, (text) => /install-links|node-options|script-shell|pnpmfile/.test(text)],
  [/^\.yarnrc(?:\.yml)?$/, (text) => /plugins:|^--/m.test(text)],
  [/^uv\.lock$/, (text) => /source = \{ (?:editable|directory|path)/.test(text)],
];

/** True if this file, with this text, lets the sources have a part in what is installed. */
export function letsSourcesIn(path: string, text: string): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1);
  if (isList(path))
    return /^\s*(?:-e|--editable|\.|\/)|file:|@ *\.|\.(?:whl|tar\.gz|zip)/m.test(text);
  return checks.some(([wanted, reads]) => wanted.test(name) && reads(text));
}

/** A list of Python packages. */
const isList = (path: string): boolean => /(?:requirements|constraints).*\.(?:txt|in)$/.test(path);

function packageReads(text: string): boolean {
  if (readsProject.test(text)) return true;
  try {
    const { scripts = {} } = JSON.parse(text.replace(/^\uFEFF/, ''));
    return Object.entries(scripts).some(
      ([name, script]) => lifecycle.has(name) && !hooksOnly.test(String(script).trim()),
    );
  } catch (error) {
    // What cannot be read may be anything.
    if (error instanceof SyntaxError || error instanceof TypeError) return true;
    throw error;
  }
}
