import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('.', import.meta.url));

/** Output name → source file. An entry whose source does not exist is left out. */
const ENTRIES = {
  main: 'src/main.ts',
  'scripted-agent': 'src/agent/scripted/main.ts',
  'acp-client': 'src/agent/acp/main.ts',
};

export const entries = Object.fromEntries(
  Object.entries(ENTRIES).filter(([, source]) => existsSync(`${root}${source}`)),
);

/** Node's own modules, and the native SQLite fallback that npm installs beside us. */
const external = [/^node:/, /^@photostructure\/sqlite/];

export default {
  cwd: root,
  input: entries,
  platform: 'node',
  external,
  transform: { target: 'node20.19' },
  // A warning here is an import that does not resolve or a name that does not exist.
  onLog(level, log, defaultHandler) {
    if (log.code === 'UNRESOLVED_IMPORT') defaultHandler('error', log);
    else defaultHandler(level, log);
  },
  output: {
    dir: 'dist',
    format: 'esm',
    minify: false,
    // Chunks lie beside main.js, so that import.meta.url means the same folder in each of them.
    entryFileNames: '[name].js',
    chunkFileNames: 'chunk-[name].js',
  },
};
