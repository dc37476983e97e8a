import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { limits } from '../model/limits.ts';
import { completeLine, doneLine, endSignalIn, idsAmong } from './signal.ts';

const nothing = { id: 'nothing' };

describe('the completion line', () => {
  it('is a whole line', () => {
    expect(endSignalIn(`Finished.\n${completeLine}\n`)).toEqual({ id: 'complete' });
    expect(endSignalIn(completeLine)).toEqual({ id: 'complete' });
    expect(endSignalIn(`Finished.\r\n${completeLine}  \r\n`)).toEqual({ id: 'complete' });
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
    expect(endSignalIn(text)).toEqual(nothing);
  });

  it.each([
    `\`\`\`\n${completeLine}\n\`\`\``,
    `\`\`\`text\n${completeLine}\n${doneLine}\nCLAIM(a)\nASK: b\n\`\`\`\nbye`,
    `~~~\n${completeLine}\n~~~`,
    `~~~\n\`\`\`\n${completeLine}\n~~~`,
    `\`\`\`\`\n\`\`\`\n${completeLine}\n\`\`\`\`\n`,
    `never closed\n\`\`\`\n${completeLine}`,
  ])('is not found within a code block: %j', (text) => {
    expect(endSignalIn(text)).toEqual(nothing);
  });

  it('is found after a code block, also after a nested one', () => {
    expect(endSignalIn(`\`\`\`ts\nlet a;\n\`\`\`\n${completeLine}\n`)).toEqual({ id: 'complete' });
    const nested = `\`\`\`\`md\n\`\`\`ts\nlet a;\n\`\`\`\n\`\`\`\`\n${completeLine}\n`;
    expect(endSignalIn(nested)).toEqual({ id: 'complete' });
  });

  it('is not found in a block of an output whose beginning was cut off within another block', () => {
    const text = `let a;\n\`\`\`\nAs I was told:\n\`\`\`text\n${completeLine}\n\`\`\`\n`;
    expect(endSignalIn(text)).toEqual(nothing);
  });

  it('is never found in text that has it on no line of its own', () => {
    fc.assert(
      fc.property(fc.string(), fc.string({ minLength: 1 }), (before, after) => {
        const glued = `${before.replaceAll('\n', ' ')}x${completeLine}${after.replaceAll('\n', ' ')}`;
        expect(endSignalIn(glued)).toEqual(nothing);
      }),
    );
  });
});

describe('giving up', () => {
  it('includes the lines right before it', () => {
    expect(endSignalIn(`Hm.\n\nI cannot reach the server.\n${doneLine}\n`)).toEqual({
      id: 'gave-up',
      message: 'Hm.\nI cannot reach the server.',
    });
    expect(endSignalIn(doneLine)).toEqual({ id: 'gave-up', message: '' });
  });

  it('keeps a bounded message', () => {
    const many = Array.from({ length: 100 }, (_, i) => `line ${i}`).join('\n');
    const said = endSignalIn(`${many}\n${doneLine}`);
    expect(said.id === 'gave-up' && said.message.split('\n')).toHaveLength(10);
    const long = endSignalIn(`${'x'.repeat(100_000)}\n${doneLine}`);
    expect(long.id === 'gave-up' && long.message.length).toBe(4_000);
  });
});

describe('a question', () => {
  it('is the text after its mark, up to an empty line', () => {
    expect(endSignalIn('I looked.\nASK: Which port?\nIs it 80\nor 81?\n\nThank you.')).toEqual({
      id: 'ask',
      question: 'Which port?\nIs it 80\nor 81?',
    });
  });

  it('may be several', () => {
    expect(endSignalIn('ASK: One?\n\nASK: Two?')).toEqual({ id: 'ask', question: 'One?\nTwo?' });
  });

  it.each([
    'ASK:',
    'ASK:   \nmore',
    'Please ASK: why',
    '- ASK: why',
    'ask: why',
    'ASK why',
    '    ASK: x',
  ])('is not found in %j', (text) => {
    expect(endSignalIn(text)).toEqual(nothing);
  });

  it('is bounded', () => {
    const said = endSignalIn(`ASK: ${'why '.repeat(10_000)}`);
    expect(said.id === 'ask' && said.question.length).toBe(4_000);
  });
});

describe('a claim', () => {
  it.each<[string, string[]]>([
    ['CLAIM(a)', ['a']],
    ['CLAIM(a, b,c )  ', ['a', 'b', 'c']],
    ['Hm.\nCLAIM(a)\nand\nCLAIM(b, a)\n', ['a', 'b']],
    ['CLAIM(fix.login-2, <id>, , b b, c)', ['fix.login-2', '<id>', 'b b', 'c']],
    ['CLAIM(bad id!)', ['bad id!']],
    ['CLAIM(a\u001b[31m, \u202eb\tc)', ['a\\x1b[31m', '\\u202eb c']],
    [`CLAIM(${'x'.repeat(200)})`, [`${'x'.repeat(79)}…`]],
    [`CLAIM(${'x'.repeat(79)}😀)`, [`${'x'.repeat(79)}…`]],
  ])('names its tasks: %j', (text, ids) => {
    expect(endSignalIn(text)).toEqual({ id: 'claim', ids });
  });

  it.each([
    'CLAIM()',
    'CLAIM( , )',
    'CLAIM(a',
    'CLAIM a',
    'I CLAIM(a)',
    '`CLAIM(a)`',
    'CLAIM(a).',
    'CLAIM((a))',
    'claim(a)',
  ])('is not found in %j', (text) => {
    expect(endSignalIn(text)).toEqual(nothing);
  });

  it('names a bounded number of tasks', () => {
    const ids = Array.from({ length: 100 }, (_, i) => `task-${i}`);
    const said = endSignalIn(`CLAIM(${ids.join(', ')})`);
    expect(said).toEqual({ id: 'claim', ids: ids.slice(0, limits.claimIds) });
    expect(idsAmong(ids)).toHaveLength(limits.claimIds);
  });
});

describe('several signals at once', () => {
  const words = [
    [completeLine, 'complete'],
    [doneLine, 'gave-up'],
    ['ASK: why?', 'ask'],
    ['CLAIM(a)', 'claim'],
  ] as const;

  it('count by precedence, wherever they are', () => {
    fc.assert(
      fc.property(fc.shuffledSubarray([...words], { minLength: 1 }), (some) => {
        const best = words.find((word) => some.includes(word));
        expect(endSignalIn(some.map(([line]) => line).join('\n\n')).id).toBe(best?.[1]);
      }),
    );
  });
});

describe('any text', () => {
  const piece = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom(completeLine, doneLine, 'CLAIM(', 'a, b)', 'ASK:', '```', '\n', '~~~', '\r\n'),
  );

  it('gives the same signal each time, and never throws', () => {
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
        const text = pieces.join('');
        expect(endSignalIn(text)).toEqual(endSignalIn(text));
      }),
      { numRuns: 1000 },
    );
  });
});
