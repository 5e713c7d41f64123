import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { repositoryRoot } from '../run/ensure-node.mjs'

const read = (file) => readFileSync(join(repositoryRoot, file), 'utf8')

test('the security policy states dates for the version of package.json, and for all versions of the changelog', () => {
  const stated = [...read('SECURITY.md').matchAll(/^\| (\d+\.\d+) \| (?:\d{4}-\d{2}-\d{2}|not yet) \|/gm)].map(
    ([, minor]) => minor,
  )
  const released = [...read('CHANGELOG.md').matchAll(/^## \[?(\d+\.\d+)\.\d+/gm)].map(([, minor]) => minor)
  const { version } = JSON.parse(read('package.json'))
  // During development, the version is that of the next release, such as 0.4.0-dev.
  const minors = new Set([/^\d+\.\d+/.exec(version)[0], ...released])
  expect([...minors].filter((minor) => !stated.includes(minor))).toEqual([])
})
