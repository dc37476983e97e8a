// Makes the picture of the README: records `ym demo` on a terminal of tmux, and draws frames of it as an animated SVG.
//
//   node scripts/pictures.mjs        needs tmux and a build; takes half a minute
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { root } from './steps.mjs';

const columns = 100;
const lines = 26;
const shownFrames = 6;
const frameSeconds = 2.5;
const everyMs = 400;
const file = join(root, 'docs', 'images', 'watch.svg');

/** Colors of the 16 basic ones that the dashboard uses, by their number. */
const colors = {
  31: '#ff7b72',
  32: '#7ee787',
  33: '#e3b341',
  34: '#79c0ff',
  35: '#d2a8ff',
  36: '#56d4dd',
};
const text = '#c9d1d9';
const dim = '#6e7681';
const background = '#0d1117';

const charWidth = 8;
const lineHeight = 17;
const margin = 12;

const colorCodes = new RegExp(`${String.fromCharCode(27)}\\[([0-9;]*)m`);

const frames = await recorded();
mkdirSync(dirname(file), { recursive: true });
writeFileSync(file, svgOf(chosen(frames)));
console.log(
  `${file}: ${frames.length} frames recorded, ${Math.min(shownFrames, frames.length)} drawn`,
);

/** Screens of the dashboard during the demo, as tmux sees them, with escape codes for colors. */
async function recorded() {
  const dir = mkdtempSync(join(tmpdir(), 'ym-pictures-'));
  const tmux = (...args) =>
    execFileSync('tmux', ['-S', join(dir, 'socket'), ...args], { encoding: 'utf8' });
  const size = ['-x', String(columns), '-y', String(lines)];
  const ym = `'${process.execPath}' '${join(root, 'dist', 'main.js')}' demo; sleep 60`;
  try {
    tmux('-u', '-f', '/dev/null', 'new-session', '-d', ...size, ym);
    const found = [];
    for (let quiet = 0; quiet < 20; ) {
      await sleep(everyMs);
      const isOpen = tmux('display-message', '-p', '#{alternate_on}').trim() === '1';
      if (isOpen && found.length === 0) tmux('send-keys', '6');
      if (isOpen) found.push(tmux('capture-pane', '-e', '-p'));
      if (isOpen) quiet = 0;
      else if (found.length > 0) break;
      else quiet += 1;
    }
    if (found.length === 0) throw new Error('the demo opened no dashboard');
    return found;
  } finally {
    spawnSync('tmux', ['-S', join(dir, 'socket'), 'kill-server']);
    rmSync(dir, { recursive: true, force: true });
  }
}

/** Some frames, spread over the demo. */
function chosen(all) {
  const count = Math.min(shownFrames, all.length);
  return Array.from(
    { length: count },
    (_, at) => all[Math.floor(((at + 0.5) * all.length) / count)],
  );
}

function svgOf(shown) {
  const width = columns * charWidth + 2 * margin;
  const height = lines * lineHeight + 2 * margin;
  const share = 100 / shown.length;
  const style = [
    'text{font:13px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;white-space:pre}',
    `.f{visibility:hidden;animation:f ${shown.length * frameSeconds}s step-end infinite}`,
    `@keyframes f{0%{visibility:visible}${share.toFixed(2)}%{visibility:hidden}}`,
    // Readers who want no motion see one frame.
    '@media(prefers-reduced-motion){.f{animation:none}.f:first-of-type{visibility:visible}}',
  ].join('');
  const groups = shown.map((frame, at) => {
    const delay = (at * frameSeconds).toFixed(1);
    return `<g class="f" style="animation-delay:${delay}s" fill="${text}">\n${linesOf(frame)}</g>`;
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="ym watch during the demo">`,
    `<style>${style}</style>`,
    `<rect width="${width}" height="${height}" rx="8" fill="${background}"/>`,
    ...groups,
    '</svg>\n',
  ].join('\n');
}

function linesOf(frame) {
  // Colors last until they are changed, also on the next line.
  const state = { fill: undefined, bold: false };
  return frame
    .split('\n')
    .slice(0, lines)
    .map((line, at) => lineOf(stretchesOf(line, state), margin + (at + 0.8) * lineHeight))
    .join('');
}

/** Each stretch of one color begins at its own column, so that no font can shift the next one. */
function lineOf(stretches, y) {
  let column = 0;
  const spans = stretches.map(({ text: part, fill, bold }) => {
    const x = margin + column * charWidth;
    column += [...part].length;
    if (part.trim() === '') return '';
    const length = [...part].length * charWidth;
    const paint = fill === undefined ? '' : ` fill="${fill}"`;
    const weight = bold ? ' font-weight="bold"' : '';
    return `<tspan x="${x}" textLength="${length}"${paint}${weight}>${escaped(part)}</tspan>`;
  });
  const shown = spans.join('');
  return shown === '' ? '' : `<text y="${y.toFixed(1)}" xml:space="preserve">${shown}</text>\n`;
}

/** Parts of a line with their color, from the escape codes in it. */
function stretchesOf(line, state) {
  const found = [];
  // Every second part is a list of codes.
  for (const [at, part] of line.trimEnd().split(colorCodes).entries()) {
    if (at % 2 === 0 && part !== '') found.push({ text: part, ...state });
    if (at % 2 === 1) for (const code of part.split(';').map(Number)) apply(code, state);
  }
  return found;
}

function apply(code, state) {
  if (code === 0) Object.assign(state, { fill: undefined, bold: false });
  else if (code === 1) state.bold = true;
  else if (code === 2) state.fill = dim;
  else if (code === 22) Object.assign(state, { fill: undefined, bold: false });
  else if (code === 39) state.fill = undefined;
  else state.fill = colors[code] ?? state.fill;
}

function escaped(part) {
  return part.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
}
