import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { editedSection, hasSection, withoutSection, withSection } from './section.ts';
import { skillHead, skillText } from './text.ts';

const section = '# Ours\n\nText.\n';

describe('a section in a file of a person', () => {
  it('is added after their text, and is all of an empty file', () => {
    expect(withSection('', section)).toMatch(/^<!-- yardmaster:begin \w+ -->\n# Ours/);
    expect(withSection('Theirs', section)).toMatch(/^Theirs\n\n<!-- yardmaster:begin/);
    expect(withSection('Theirs\n', section)).toMatch(/^Theirs\n\n<!-- yardmaster:begin/);
  });

  it('is replaced where it is, and theirs around it stays', () => {
    const before = `${withSection('Above\n', section)}\nBelow\n`;
    const after = withSection(before, '# New\n');
    expect(after).toMatch(/^Above\n\n<!-- [^\n]*\n# New\n<!-- yardmaster:end -->\n\nBelow\n$/);
    expect(withSection(after, '# New\n')).toBe(after);
  });

  it('is found, also if a person changed it', () => {
    const text = withSection('', section);
    expect(hasSection('# Ours')).toBe(false);
    expect(hasSection(text)).toBe(true);
    expect(editedSection(text)).toBe(false);
    expect(editedSection(text.replace('Text.', 'My text.'))).toBe(true);
    expect(editedSection('no section')).toBe(false);
  });

  it('may hold characters that mean something in a replacement', () => {
    const odd = "costs $& and $1 and $'\n";
    expect(withSection(withSection('', section), odd)).toContain(odd);
  });

  it('leaves the text as it was when it is taken out', () => {
    const words = fc.array(fc.constantFrom('a', '\n', ' ', '#', '<!--', 'text'), { maxLength: 12 });
    fc.assert(
      fc.property(words, (parts) => {
        const text = parts.join('');
        const whole = text === '' || text.endsWith('\n') ? text : `${text}\n`;
        expect(withoutSection(withSection(text, section)).trimEnd()).toBe(whole.trimEnd());
      }),
    );
  });

  it('is not taken out of a text without one', () => {
    expect(withoutSection('Theirs\n')).toBe('Theirs\n');
  });
});

describe('the text for agents', () => {
  it('begins with front matter that a skill needs', () => {
    expect(skillHead).toMatch(/^---\nname: yardmaster\ndescription: .{50,1024}\n---\n$/);
  });

  it('names commands that exist', async () => {
    const { commands } = await import('../../cli/commands.ts');
    const names = new Set(commands.map(({ name }) => name));
    const used = [...skillText.matchAll(/\bym ([a-z]+)/g)].map(([, name]) => name ?? '');
    expect(used.length).toBeGreaterThan(10);
    expect(used.filter((name) => !names.has(name))).toEqual([]);
  });

  it('has a plan file that can be read', async () => {
    const { parse } = await import('yaml');
    const [, plan = ''] = /```yaml\n([\s\S]*?)```/.exec(skillText) ?? [];
    expect(parse(plan)).toMatchObject({ tasks: [{ id: 'store' }, { after: ['store'] }] });
  });
});
