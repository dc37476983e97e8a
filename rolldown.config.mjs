import { existsSync, readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('.', import.meta.url));

/** Output name → source file. An entry whose source does not exist is left out. */
const ENTRIES = {
  main: 'src/main.ts',
  program: 'src/program.ts',
  library: 'src/library/index.ts',
  'scripted-agent': 'src/agent/scripted/main.ts',
  'acp-client': 'src/agent/acp/main.ts',
  'chat-client': 'src/agent/chat/main.ts',
  'sandbox-proxy': 'src/sandbox/proxy/main.ts',
};

export const entries = Object.fromEntries(
  Object.entries(ENTRIES).filter(([, source]) => existsSync(`${root}${source}`)),
);

/** Node's own modules, and the native SQLite fallback that npm installs beside us. */
const external = [/^node:/, /^@photostructure\/sqlite/];

/** Files that `file` imports, directly or through others. Imports of types and imports at run time are left out. */
function importedBy(file, found = new Set()) {
  if (found.has(file)) return found;
  found.add(file);
  const text = readFileSync(file, 'utf8');
  for (const [, path] of text.matchAll(/^(?:import|export) (?!type )[^;]*?from '(\.[^']+)'/gm)) {
    importedBy(resolve(dirname(file), path), found);
  }
  return found;
}

/** Every file that is loaded costs time at the start, so what a command always loads is one file. */
const everyCommand = importedBy(`${root}src/cli/main.ts`);
const statusCommand = importedBy(`${root}src/cli/status.ts`);
const watchCommand = importedBy(`${root}src/cli/watch.ts`);

/** A getter for each name that another chunk imports: a tenth of the text that `ym status` loads. */
const exportGetter =
  /Object\.defineProperty\(exports, "(\w+)", \{\s+enumerable: true,\s+get: function \(\) \{\s+return ([\w$]+);\s+\}\s+\}\);/g;

/** Exports values instead of getters. They are the same because no `let` is exported. */
const plainExports = {
  name: 'plain-exports',
  renderChunk: (code) => code.replace(exportGetter, 'exports.$1 = $2;'),
};

/** A warning here is an import that does not resolve or a name that does not exist. */
function onLog(level, log, defaultHandler) {
  if (log.code === 'UNRESOLVED_IMPORT') defaultHandler('error', log);
  else defaultHandler(level, log);
}

export default {
  cwd: root,
  input: entries,
  platform: 'node',
  external,
  plugins: [plainExports],
  transform: { target: 'node20.19' },
  onLog,
  output: {
    dir: 'dist',
    // Node 20 starts CommonJS in less time than modules: its loader of modules alone takes a tenth of its own start.
    format: 'cjs',
    minify: false,
    // Every command pays for what is read and parsed at its start.
    comments: { jsdoc: false, legal: true, annotation: true },
    // Chunks lie beside main.js, so that import.meta.url means the same folder in each of them.
    entryFileNames: '[name].js',
    chunkFileNames: 'chunk-[name].js',
    codeSplitting: {
      groups: [
        { name: 'command-line', test: (file) => everyCommand.has(file) },
        { name: 'status', test: (file) => statusCommand.has(file) },
        { name: 'watch', test: (file) => watchCommand.has(file) },
      ],
    },
  },
};

/** The web page of `ym ui`, which a browser loads from dist/ui. */
export const page = {
  cwd: root,
  input: { app: 'src/ui/main.tsx' },
  platform: 'browser',
  transform: { target: 'es2022' },
  onLog,
  output: { format: 'esm', minify: true, entryFileNames: 'ui/[name].js' },
};

/** Files of the page that are used as they are. The style sheets are joined in this order. */
export const pageFiles = {
  folder: 'src/ui/static',
  plain: ['index.html', 'icon.svg'],
  styles: ['base.css', 'parts.css', 'pages.css'],
};
