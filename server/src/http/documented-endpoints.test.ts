import { readFileSync } from 'node:fs'
import { contract } from '@patchbay/contract/contract'
import { expect, test } from 'vitest'

test('the endpoints that the reference promises to be stable exist', () => {
  const page = readFileSync(new URL('../../../docs/reference/stability.md', import.meta.url), 'utf8')
  const endpoints = [...page.matchAll(/`((?:GET|POST|PUT|DELETE) \/patchbay\/[^`]+)`/g)].map(
    ([, endpoint = '']) => endpoint,
  )
  expect(endpoints.length).toBeGreaterThan(0)
  expect(endpoints.filter((endpoint) => !(endpoint in contract))).toEqual([])
})
