import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { file, page } from './speech-vendors.mjs'

test('the documentation of speech vendors matches the catalogue', async () => {
  expect(readFileSync(file, 'utf8')).toBe(await page())
})
