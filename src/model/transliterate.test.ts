import { describe, expect, it } from 'vitest';
import { idFromTitle, idProblem } from './task.ts';

describe('an id made of a title', () => {
  it.each([
    ['Add the search endpoint', 'add-the-search-endpoint'],
    ['Größe der Straße ändern', 'groesse-der-strasse-aendern'],
    ['Créer l’élément déjà vu', 'creer-l-element-deja-vu'],
    ['Zażółć gęślą jaźń', 'zazolc-gesla-jazn'],
    ['Добавить поиск ещё раз', 'dobavit-poisk-eshchyo-raz'],
    ['Додати їжу й ґанок', 'dodati-yizhu-y-ganok'],
    ['Αναζήτηση για Όλους', 'anazitisi-gia-oloys'],
    ['Smørrebrød på Æbleø', 'smorrebrod-pa-aebleo'],
    ['Ｆｕｌｌ ｗｉｄｔｈ ①', 'full-width-1'],
    ['検索', ''],
    ['🎉', ''],
  ])('of %s is %s', (title, id) => {
    expect(idFromTitle(title)).toBe(id);
  });
});

describe('an id that is refused', () => {
  it.each([
    ['', /at least one character/],
    ['a'.repeat(81), /It has 81 characters; at most 80/],
    ['a b', /^A space is not allowed/],
    ['größe', /^"ö" is not allowed/],
    ['-x', /begins with "-"/],
    ['a..b', /has "\.\." in it/],
    ['a.', /ends with "\."/],
    ['a.lock', /ends with "\.lock"/],
  ])('says which rule "%s" breaks', (id, rule) => {
    expect(idProblem(id)).toMatch(rule);
  });
});
