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

/** What `ym status` shows is made of many small files that most commands share; each file of its own costs a start. */
const shownByStatus =
  /src\/(?:graph\/barred|model\/(?:transliterate|task|event)|plan\/(?:accounts|spend)|process\/identity|record\/(?:counts|driver|trouble|schema|mend|mendrun|tables|quick)|wire\/(?:driven|place)|cli\/(?:screen|status|last-actions)|report\/(?:view|slot-view|text|stopview|failureview|purse|standstill|glyph|spared|table|trainsummarytext|turnwords|amount|target-check|trainview|style))\.ts$/;

/** What every command loads. */
const everyCommand =
  /src\/(?:cli\/(?:help|parse|trouble|commands|commands\/[\w-]+)|graph\/nearest)\.ts$/;

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
    // Every command pays for what is read and parsed at its start.
    comments: { jsdoc: false, legal: true, annotation: true },
    // Chunks lie beside main.js, so that import.meta.url means the same folder in each of them.
    entryFileNames: '[name].js',
    chunkFileNames: 'chunk-[name].js',
    codeSplitting: {
      groups: [
        { name: 'status-view', test: shownByStatus },
        { name: 'command-line', test: everyCommand },
      ],
    },
  },
};
