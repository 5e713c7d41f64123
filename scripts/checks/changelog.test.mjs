import { expect, test } from 'vitest'
import { readChangelog, readVersion } from '../release/version.mjs'
import { repositoryRoot } from '../run/ensure-node.mjs'

const [unreleased, newest] = readChangelog(repositoryRoot)

test('begins with what is unreleased, and with the version of package.json, or an earlier one during development', () => {
  expect(unreleased.heading).toBe('Unreleased')
  const [released, date] = newest.heading.split(' - ')
  expect(date).toMatch(/^\d{4}-\d\d-\d\d$/)
  const version = readVersion(repositoryRoot)
  const order = released.localeCompare(version.replace('-dev', ''), 'en', { numeric: true })
  expect([version, order]).toEqual([version, version.endsWith('-dev') ? -1 : 0])
})

test('describes each change of the newest version in at most two lines', () => {
  const entries = newest.text.split(/^- /m).slice(1)
  expect(entries.length).toBeGreaterThan(10)
  const long = entries.filter((entry) => entry.split('\n\n')[0].trim().split('\n').length > 2)
  expect(long).toEqual([])
})
