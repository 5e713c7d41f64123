import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { renderTextsPage, textsPage } from './list-messages.mjs'

test('docs/reference/texts.md lists the current texts (npm run texts)', () => {
  expect(readFileSync(textsPage, 'utf8')).toBe(renderTextsPage())
})
