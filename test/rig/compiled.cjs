// Loaded before the built program: takes what V8 made of its files from a cache, since compiling them is a sixth of the
// processor time of a run, and tests start hundreds. Node 20 has no such cache of its own. The first run of a build that
// ends well writes it.
const { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync } = require('node:fs');
const { renameSync, rmSync, statSync, writeFileSync } = require('node:fs');
const Module = require('node:module');
const { basename, dirname, join } = require('node:path');
const { Script } = require('node:vm');

const root = join(__dirname, '..', '..');
const dist = join(root, 'dist');
const caches = join(root, 'node_modules', '.cache', 'ym-compiled');
/** V8 compares only the length of a source, so each build has a folder of its own, named after the time of its end. */
const folder = join(caches, String(statSync(join(dist, 'main.js')).mtimeMs));
const hasCache = existsSync(folder);
const isRun = process.argv[2] === 'run' && process.argv.length === 4;
const scripts = new Map();

const compile = Module.prototype._compile;
Module.prototype._compile = function (text, file) {
  const name = `${basename(file)}.v8`;
  const isCached = hasCache && existsSync(join(folder, name));
  if (dirname(file) !== dist || !(isCached || (isRun && !hasCache))) {
    return compile.call(this, text, file);
  }
  const cached = isCached ? { cachedData: readFileSync(join(folder, name)) } : {};
  const wrapped = Module.wrap(text.replace(/^#!.*/, ''));
  const script = new Script(wrapped, { filename: file, ...cached });
  scripts.set(name, script);
  const require = (id) => this.require(id);
  return script.runInThisContext().call(this.exports, this.exports, require, this, file, dist);
};

process.once('exit', (code) => {
  if (code !== 0 || !isRun || existsSync(folder)) return;
  try {
    writeCache();
  } catch (error) {
    // Another run was first, or the folder cannot be written: then code is compiled as usual.
    if (error.code === undefined) throw error;
  }
});

/** A cache is complete from the moment it has its name. */
function writeCache() {
  mkdirSync(caches, { recursive: true });
  const old = readdirSync(caches).filter((name) => !name.startsWith('draft-'));
  const draft = mkdtempSync(join(caches, 'draft-'));
  try {
    for (const [name, script] of scripts) {
      writeFileSync(join(draft, name), script.createCachedData());
    }
    renameSync(draft, folder);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
  for (const name of old) rmSync(join(caches, name), { recursive: true, force: true });
}
