import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { repositoryRoot } from '../run/ensure-node.mjs'
import { checkContents } from './bill-of-materials.mjs'
import { readReleaseCommit } from './build-sources.mjs'

let root

const write = (path, text) => {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), text)
}
const git = (...args) =>
  execFileSync('git', ['-c', 'user.name=Test', '-c', 'user.email=test@example.org', ...args], { cwd: root })

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'patchbay-release-'))
})

afterEach(() => rmSync(root, { recursive: true }))

test('a release is built from a commit, and from changed files only if that is allowed', () => {
  expect(() => readReleaseCommit(root, true)).toThrow('A release is built from a Git checkout')
  write('README.md', 'first')
  git('init', '--quiet')
  git('add', '--all')
  git('commit', '--quiet', '--message', 'first')
  expect(readReleaseCommit(root, false).modified).toBe(false)
  write('README.md', 'changed')
  expect(() => readReleaseCommit(root, false)).toThrow('mark the release with --allow-dirty')
  expect(readReleaseCommit(root, true).modified).toBe(true)
})

test('a release with a package that is not in its bill of materials fails', () => {
  cpSync(join(repositoryRoot, 'package-lock.json'), join(root, 'package-lock.json'))
  const check = (server) => {
    write('node_modules/.bundled-console.json', '["node_modules/react"]')
    write('node_modules/.bundled-server.json', JSON.stringify(server))
    return checkContents(root, join(root, 'release'))
  }
  write('release/node_modules/mariadb/package.json', '{}')
  write('release/node_modules/mariadb/lib/package.json', '{}')
  check(['node_modules/fastify', 'server/node_modules/commander'])
  expect(() => check(['node_modules/fastify', 'node_modules/supports-color'])).toThrow(
    'not in its bill of materials: node_modules/supports-color.',
  )
  write('release/node_modules/@vitest/runner/package.json', '{}')
  expect(() => check([])).toThrow('not in its bill of materials: node_modules/@vitest/runner.')
})
