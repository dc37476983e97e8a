/** Flags of Node.js package managers that only install packages from the lock file. */
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
/** Requirement files and package names; no paths and not the project itself. */
const pip =
  /^(?:\.venv\/bin\/)?(?:python3? -m )?pip install(?: (?:-q|--quiet|--disable-pip-version-check|--no-input|(?:-r|-c) [\w./-]+|[A-Za-z0-9][\w-]*(?:[=<>~!]=[\w.]+)?))+$/;
const uv = /^uv sync(?: (?:--locked|--frozen|--no-install-project|-q|--quiet))*$/;
const plain: readonly RegExp[] = [node, venv, pip, uv];

/** Package scripts that run during an install. */
const lifecycle = new Set([
  ...['preinstall', 'install', 'postinstall', 'preprepare', 'prepare', 'postprepare'],
  ...['prepublish', 'dependencies', 'pnpm:devPreinstall'],
]);
/** Scripts that only set up git hooks. */
const hooksOnly = /^(?:husky(?: install)?|lefthook install|simple-git-hooks)$/;
/** Packages whose install script reads project files, and packages installed from the tree itself. */
const readsProject =
  /"(?:@prisma\/client|prisma|msw|patch-package)"\s*:|"(?:file|link|portal|patch):|[pP]atchedDependencies|"injected"/;

/** True if these setup commands depend on manifests only, as far as the commands show. */
export const arePlain = (commands: readonly string[]): boolean =>
  commands.every((command) => plain.some((known) => known.test(command.trim())));

/** True if this file lets an install run code from the tree, or copy parts of it. */
export function readsSources(path: string): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1);
  return (
    name === 'binding.gyp' || name.startsWith('.pnpmfile.') || path.startsWith('.yarn/plugins/')
  );
}

/** True if the text of this file decides whether an install runs code from the tree or copies parts of it. */
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

/** True if this file, with this text, lets sources influence what is installed. */
export function letsSourcesIn(path: string, text: string): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1);
  if (isList(path))
    return /^\s*(?:-e|--editable|\.|\/)|file:|@ *\.|\.(?:whl|tar\.gz|zip)/m.test(text);
  return checks.some(([wanted, reads]) => wanted.test(name) && reads(text));
}

/** Python requirements or constraints file. */
const isList = (path: string): boolean => /(?:requirements|constraints).*\.(?:txt|in)$/.test(path);

function packageReads(text: string): boolean {
  if (readsProject.test(text)) return true;
  try {
    const { scripts = {} } = JSON.parse(text.replace(/^\uFEFF/, ''));
    return Object.entries(scripts).some(
      ([name, script]) => lifecycle.has(name) && !hooksOnly.test(String(script).trim()),
    );
  } catch (error) {
    // Unreadable: assume the worst.
    if (error instanceof SyntaxError || error instanceof TypeError) return true;
    throw error;
  }
}
