import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { repositoryRoot } from '../run/ensure-node.mjs'
import { findUnsafeVersions } from './node-security.mjs'

/** Entries in the format of https://nodejs.org/dist/index.json, which has more members. */
const release = (version, security) => ({ version: `v${version}`, date: '2026-10-21', security })
const releases = [
  release('26.12.1', true),
  release('26.12.0', false),
  release('26.9.1', true),
  release('24.22.1', true),
  release('24.22.0', false),
  release('24.21.0', false),
  release('22.23.4', true),
]
const used = { pinned: '26.12.1', range: '^24.22.1 || >=26.12.1' }

const folder = mkdtempSync(join(tmpdir(), 'patchbay-node-releases-'))
afterAll(() => rmSync(folder, { recursive: true }))

test('accepts the newest security release of a line, and newer releases', () => {
  expect(findUnsafeVersions(releases, used)).toEqual([])
  const later = [release('26.13.0', false), ...releases]
  expect(findUnsafeVersions(later, { ...used, pinned: '26.13.0' })).toEqual([])
})

test('names the pin and each safe version that are older than a security release of their line', () => {
  expect(findUnsafeVersions([release('26.12.10', true), ...releases], used)).toEqual([
    'scripts/run/node-version.json: 26.12.1 is older than 26.12.10, the newest security release of Node.js 26',
    'engines.node of package.json: 26.12.1 is older than 26.12.10, the newest security release of Node.js 26',
  ])
  expect(findUnsafeVersions(releases, { pinned: '26.12.1', range: '^24.21.0 || >=26.12.1' })).toEqual([
    'engines.node of package.json: 24.21.0 is older than 24.22.1, the newest security release of Node.js 24',
  ])
})

test('rejects a list without a version that is used, because it proves nothing', () => {
  expect(findUnsafeVersions([], { ...used, range: '>=26.12.1' })).toEqual([
    'scripts/run/node-version.json: 26.12.1 is not in the list of releases of Node.js',
    'engines.node of package.json: 26.12.1 is not in the list of releases of Node.js',
  ])
})

test('the command fails if the versions of this checkout are unsafe or the list cannot be read', () => {
  const check = (content) => {
    const file = join(folder, 'index.json')
    writeFileSync(file, content)
    const args = [join(repositoryRoot, 'scripts/checks/node-security.mjs'), file]
    const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' })
    return { status, stderr }
  }
  expect(check(JSON.stringify(releases))).toEqual({ status: 0, stderr: '' })
  const { status, stderr } = check(JSON.stringify([release('26.99.0', true), ...releases]))
  expect([status, stderr]).toEqual([1, expect.stringContaining('older than 26.99.0')])
  expect(check('<html>').status).toBe(1)
})
