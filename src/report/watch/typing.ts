import type { Key, Pressed } from './key.ts';
import type { Asked, UiState } from './ui.ts';

type Typing = Extract<UiState['mode'], { id: 'typing' }>;

const textChars = 8_000;

/** Effect of a key on a text that is being typed. */
export function typed(ui: UiState, mode: Typing, key: Key): Pressed {
  const done: UiState = { ...ui, mode: { id: 'keys' } };
  const changed = (text: string): Pressed => {
    const next = { ...mode, text: text.slice(0, textChars) };
    const filter = mode.asked === 'filter' ? { filter: next.text } : {};
    return { ui: { ...ui, ...filter, mode: next } };
  };
  if ('text' in key) return changed(mode.text + key.text);
  switch (key.name) {
    case 'backspace':
      return changed([...mode.text].slice(0, -1).join(''));
    case 'ctrl-u':
      return changed('');
    case 'ctrl-w':
      return changed(mode.text.replace(/\S*\s*$/, ''));
    case 'escape':
      return { ui: mode.asked === 'filter' ? { ...done, filter: '' } : done };
    case 'enter':
      return entered(done, mode);
    default:
      return { ui };
  }
}

/** Texts without which the decision makes no sense. */
const needed: readonly Asked[] = ['answer', 'reject', 'tell', 'choose'];

function entered(ui: UiState, { asked, task, text: given }: Typing): Pressed {
  const text = given.trim();
  if (text === '' && needed.includes(asked)) {
    return {
      ui: { ...ui, note: { text: 'Nothing was typed, so nothing was done.', tone: 'plain' } },
    };
  }
  const reason = text === '' ? 'no reason was given' : text;
  switch (asked) {
    case 'filter':
      return { ui };
    case 'command':
      return text === '' ? { ui } : { ui, action: { id: 'command', line: text } };
    case 'tell':
      return { ui, action: { id: 'tell', task, text } };
    case 'answer':
      return { ui, action: { id: 'decide', task, decision: { kind: 'answer', text } } };
    case 'reject':
      return { ui, action: { id: 'decide', task, decision: { kind: 'reject', reason: text } } };
    case 'choose': {
      const [which = '', ...words] = text.split(/\s+/);
      const why = words.length === 0 ? {} : { reason: words.join(' ') };
      return { ui, action: { id: 'choose', task, which, ...why } };
    }
    case 'cancel':
    case 'block':
      return { ui, action: { id: 'decide', task, decision: { kind: asked, reason } } };
  }
}
