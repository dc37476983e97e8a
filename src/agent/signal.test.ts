import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { completeLine, doneLine, signalIn } from './signal.ts';

describe('the signal in an agent\u2019s output', () => {
  it('is a whole line', () => {
    expect(signalIn(`Finished.\n${completeLine}\n`)).toEqual({ id: 'complete' });
    expect(signalIn(`${completeLine}`)).toEqual({ id: 'complete' });
    expect(signalIn(`Finished.\r\n${completeLine}  \r\n`)).toEqual({ id: 'complete' });
  });

  it.each([
    `When done, print ${completeLine}.`,
    `- ${completeLine}`,
    `> ${completeLine}`,
    `"${completeLine}"`,
    `\`${completeLine}\``,
    `NOT_${completeLine}`,
    `${completeLine}!`,
    `    ${completeLine}`,
    completeLine.toLowerCase(),
    '',
  ])('is not found in %j', (text) => {
    expect(signalIn(text)).toEqual({ id: 'none' });
  });

  it.each([
    `\`\`\`\n${completeLine}\n\`\`\``,
    `\`\`\`text\n${completeLine}\n${doneLine}\n\`\`\`\nbye`,
    `~~~\n${completeLine}\n~~~`,
    `~~~\n\`\`\`\n${completeLine}\n~~~`,
    `\`\`\`\`\n\`\`\`\n${completeLine}\n\`\`\`\`\n`,
    `never closed\n\`\`\`\n${completeLine}`,
  ])('is not found within a code block: %j', (text) => {
    expect(signalIn(text)).toEqual({ id: 'none' });
  });

  it('is found after a code block', () => {
    expect(signalIn(`\`\`\`ts\nlet a;\n\`\`\`\n${completeLine}\n`)).toEqual({ id: 'complete' });
  });

  it('is not found in a block of an output whose beginning was cut off within another block', () => {
    const text = `let a;\n\`\`\`\nAs I was told:\n\`\`\`text\n${completeLine}\n\`\`\`\n`;
    expect(signalIn(text)).toEqual({ id: 'none' });
  });

  it('is giving up, with what was said right before', () => {
    expect(signalIn(`Hm.\n\nI cannot reach the server.\n${doneLine}\n`)).toEqual({
      id: 'done',
      message: 'Hm.\nI cannot reach the server.',
    });
    expect(signalIn(doneLine)).toEqual({ id: 'done', message: '' });
  });

  it('keeps a bounded message', () => {
    const lines = Array.from({ length: 100 }, (_, i) => `line ${i}`).join('\n');
    const signal = signalIn(`${lines}\n${doneLine}`);
    expect(signal.id === 'done' && signal.message.split('\n')).toHaveLength(10);
  });

  it('is complete rather than giving up when both are there, in either order', () => {
    expect(signalIn(`${completeLine}\n${doneLine}`)).toEqual({ id: 'complete' });
    expect(signalIn(`${doneLine}\n${completeLine}`)).toEqual({ id: 'complete' });
  });

  it('is never found in text that has it on no line of its own', () => {
    fc.assert(
      fc.property(fc.string(), fc.string({ minLength: 1 }), (before, after) => {
        const glued = `${before.replaceAll('\n', ' ')}x${completeLine}${after.replaceAll('\n', ' ')}`;
        expect(signalIn(glued)).toEqual({ id: 'none' });
      }),
    );
  });
});
