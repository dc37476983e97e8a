/**
 * Makes every character of text from agents, gates, tasks, git and files visible. One that a terminal would obey, or a
 * reader would not see, is shown by its number: `\x1b[2J`, `\u202e`, `\u{e0041}`. Nothing is left out.
 */

/** Control and format characters, lone surrogates, separators, fillers, selectors, and unassigned code points. */
const unseen =
  /[^\P{Cc}\n\t]|[\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}]/u;
/** An emoji may need a joiner and a selector. */
const emoji =
  /\p{Extended_Pictographic}\ufe0f?\p{Emoji_Modifier}?(?:\u200d\p{Extended_Pictographic}\ufe0f?\p{Emoji_Modifier}?)*|[0-9#*]\ufe0f\u20e3/u;
const emojiOrUnseen = new RegExp(`(${emoji.source})|${unseen.source}`, 'gu');
/**
 * Text that can be shown without the tables of Unicode, which are slow to load: Latin letters, punctuation and the
 * signs of our own reports, all of them visible.
 */
const plainText =
  /^[\n\t -~\u00a1-\u00ac\u00ae-\u02ff\u2010-\u2027\u2030-\u203a\u2190-\u22ff\u2500-\u25ff\u2713-\u2718]*$/;

/** Text whose line breaks and tabs stay as they are. Visible text does not change again. */
export function visible(text: string): string {
  if (plainText.test(text)) return text;
  return text
    .replace(/\r\n/g, '\n')
    .replace(emojiOrUnseen, (found, sign?: string) => sign ?? shown(found));
}

/** Text on one line: line breaks and tabs become a space. */
export function visibleLine(text: string): string {
  return visible(text).replace(/[\n\t]+/g, ' ');
}

/** One line with single spaces and none around it. */
export function oneLine(text: string): string {
  return visible(text.replace(/[ \t\r\n]+/g, ' ').replace(/^ | $/g, ''));
}

/** The same, cut to `chars` characters with an ellipsis. */
export function shortLine(text: string, chars: number): string {
  return shortened(oneLine(text), chars);
}

/** Cuts a text to `chars` characters with an ellipsis, without a lone surrogate at the end. */
export function shortened(text: string, chars: number): string {
  if (text.length <= chars) return text;
  return `${text.slice(0, Math.max(0, chars - 1)).replace(/[\uD800-\uDBFF]$/, '')}…`;
}

/** JSON whose strings hold the same characters, with those that are not seen as `\u` escapes. */
export function visibleJson(json: string): string {
  if (plainText.test(json)) return json;
  return json.replace(emojiOrUnseen, (found, sign?: string) => sign ?? escaped(found));
}

function shown(char: string): string {
  if (char === '\r') return '\\r';
  const number = char.codePointAt(0) ?? 0;
  const digits = number.toString(16);
  if (number < 0x100) return `\\x${digits.padStart(2, '0')}`;
  return number < 0x10000 ? `\\u${digits.padStart(4, '0')}` : `\\u{${digits}}`;
}

function escaped(char: string): string {
  return Array.from({ length: char.length }, (_, at) => {
    return `\\u${char.charCodeAt(at).toString(16).padStart(4, '0')}`;
  }).join('');
}
