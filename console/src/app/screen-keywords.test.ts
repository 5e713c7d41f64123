import { expect, test } from 'vitest'
import { screens } from './pages.ts'
import { getKeywords, screenKeywords } from './screen-keywords.ts'

test('every screen of the menu has other words, by which the palette finds it', () => {
  const inMenu = screens.filter(({ menu }) => menu !== undefined).map(({ path }) => path)
  expect(inMenu.filter((path) => getKeywords(path) === '')).toEqual([])
})

test('words of screens belong to existing screens', () => {
  const paths = new Set<string>(screens.map(({ path }) => path))
  expect(Object.keys(screenKeywords).filter((path) => !paths.has(path))).toEqual([])
})
