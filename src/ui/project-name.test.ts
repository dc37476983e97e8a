import { expect, it } from 'vitest';
import { projectName } from './project-name.ts';

const shop = { name: 'shop', root: '/made-up/a/shop' };
const blog = { name: 'blog', root: '/made-up/a/blog' };
const fork = { name: 'shop', root: '/made-up/b/shop' };

it('names a project by its folder, and by the one around it if two folders have the same name', () => {
  expect(projectName(shop, [shop, blog])).toBe('shop');
  expect(projectName(shop, [shop, blog, fork])).toBe('a/shop');
  expect(projectName(fork, [shop, blog, fork])).toBe('b/shop');
});
