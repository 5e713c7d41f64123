import { expect, test } from 'vitest'
import { getKeywords } from './palette-keywords.ts'
import { screens } from './pages.ts'

test('every screen of the menu has other words, by which the palette finds it', () => {
  const inMenu = screens.filter(({ menu }) => menu !== undefined).map(({ path }) => path)
  expect(inMenu.filter((path) => getKeywords(path) === '')).toEqual([])
})
