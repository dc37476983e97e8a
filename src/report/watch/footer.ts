import { cut } from '../format/layout.ts';
import { widthOf } from '../format/width.ts';
import type { TaskNeed } from '../view/task.ts';
import { lineOf, painted } from './line.ts';
import { chosenTask, needOf } from './rows.ts';
import type { Scene } from './scene.ts';
import type { Asked, Mode } from './ui.ts';

/** A line to type on or with the result of the last action, and lines of keys. */
export function footerLines(scene: Scene, width: number, keyLines: number): string[] {
  const { ui, style } = scene;
  const first = messageLine(scene, width);
  if (ui.mode.id !== 'keys') return [first, ...Array.from({ length: keyLines }, () => '')];
  const keys = keysFor(scene);
  const lines = Array.from({ length: keyLines }, (_, at) =>
    style.dim(fitting(keys[at] ?? [], width)),
  );
  return [first, ...lines];
}

function messageLine({ ui, style }: Scene, width: number): string {
  const { mode, note } = ui;
  switch (mode.id) {
    case 'typing':
      return typingLine(mode, style.bold, width);
    case 'confirm':
      return lineOf([painted(` ${mode.question}`, style.yellow), `  y yes, else no`], width);
    case 'leaving':
      return lineOf(
        [
          painted(' The run ends if you leave.', style.yellow),
          '  s stop it, l plain lines, any other key stays',
        ],
        width,
      );
    case 'keys': {
      if (note === undefined) return '';
      const paint = { done: style.green, failed: style.red, plain: style.yellow }[note.tone];
      return lineOf([painted(` ${note.text}`, paint)], width);
    }
  }
}

const prompts: Readonly<Record<Asked, string>> = {
  answer: 'answer',
  reject: 'reject, because',
  tell: 'message to the agent of',
  choose: 'choose variant (its number, then a reason if you like)',
  cancel: 'cancel, because',
  block: 'block, because',
  filter: '/',
  command: ': ym',
};

/** The end of the text is always in sight. */
function typingLine(
  mode: Extract<Mode, { id: 'typing' }>,
  bold: (text: string) => string,
  width: number,
): string {
  const prompt = prompts[mode.asked];
  const about =
    mode.task === ''
      ? prompt
      : mode.asked === 'tell'
        ? `${prompt} ${mode.task}:`
        : `${mode.task}: ${prompt}:`;
  const room = Math.max(1, width - widthOf(about) - 3);
  let text = mode.text;
  while (widthOf(text) > room) text = [...text].slice(Math.max(1, widthOf(text) - room)).join('');
  return lineOf([painted(` ${cut(about, width - 2)}`, bold), ` ${text}█`], width);
}

function fitting(keys: readonly string[], width: number): string {
  let line = '';
  for (const key of keys) {
    const next = line === '' ? ` ${key}` : `${line}  ${key}`;
    if (widthOf(next) > width) break;
    line = next;
  }
  return line;
}

/** Smallest width with room for the effect of leaving. */
const leaveColumns = 100;

/** Keys for what is chosen first, then those that are always there. */
function keysFor(scene: Scene): readonly (readonly string[])[] {
  const { view, ui } = scene;
  const task = chosenTask(view, ui);
  const { state } = view.run;
  const goesOn = state === 'running' && !ui.drives && ui.width >= leaveColumns;
  const leave = goesOn ? 'q leave (the run goes on)' : 'q leave';
  const stop = { running: ['s stop'], stopping: ['s end agents'], none: [], died: [], ended: [] };
  const look = ['↑↓ pick', 'tab list', 'z zoom', 'w why', 'd diff', '/ filter'];
  const pages = ['1 output', '2 tasks', '3 events', 'T past'];
  const act =
    task === undefined ? [] : [...keysOf(needOf(view, task)), 'm message', 'x cancel', 'b block'];
  const travel = ['← → event', '< > further', 'home end', 'T now'];
  return [
    ui.past === undefined
      ? ['? keys', leave, ...act, ...stop[state]]
      : ['? keys', leave, ...travel],
    [...look, ...pages],
  ];
}

function keysOf(need: TaskNeed | undefined): readonly string[] {
  if (need === undefined) return [];
  switch (need.kind) {
    case 'question':
      return ['a answer'];
    case 'approval':
    case 'revision':
      return ['y approve', 'n reject'];
    case 'choice':
      return ['C compare', 'y choose'];
    case 'landing':
      return ['w why'];
    case 'conflict':
    case 'blocked':
    case 'failed':
      return ['r retry'];
  }
}

/** Question before a proposal is accepted. */
export function consentText(kind: 'approval' | 'revision', task: string): string {
  return kind === 'approval'
    ? `Let the work of ${task} land?`
    : `Store the revised plan for ${task}?`;
}
