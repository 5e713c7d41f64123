import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { listTestFiles, selectFiles, toolFor } from './select-test-files.mjs'
import { repositoryRoot } from './ensure-node.mjs'

let root

const present = [
  'contract/src/shared/rules.test.ts',
  'server/src/auth/tokens.test.ts',
  'server/test/users.test.ts',
  'server/test/accounts.test.ts',
  'server/test/security/sign-in.test.ts',
  'server/process-test/stop.test.ts',
  'server/integration-test/redis.test.ts',
  'e2e/accounts.e2e.ts',
  'e2e/support/sign-in.ts',
  'scripts/test.test.mjs',
  'server/src/resources/users/routes.ts',
]

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'patchbay-files-'))
  for (const path of present) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), '')
  }
})
afterEach(() => rmSync(root, { recursive: true }))

const chosen = (...names) =>
  Object.fromEntries(selectFiles(names, listTestFiles(root)).map(({ kind, files }) => [kind, files]))

test('selects files of any kind by a word in their name', () => {
  expect(chosen('accounts')).toEqual({ sqlite: ['server/test/accounts.test.ts'], e2e: ['e2e/accounts.e2e.ts'] })
  expect(chosen('TOKENS')).toEqual({ rules: ['server/src/auth/tokens.test.ts'] })
  expect(chosen('sign-in')).toEqual({ sqlite: ['server/test/security/sign-in.test.ts'] })
  expect(chosen('redis')).toEqual({ mariadb: ['server/integration-test/redis.test.ts'] })
  expect(chosen('stop')).toEqual({ built: ['server/process-test/stop.test.ts'] })
})

test('selects all files of a folder by its name', () => {
  expect(chosen('security')).toEqual({ sqlite: ['server/test/security/sign-in.test.ts'] })
  expect(() => chosen('securit')).toThrow('"securit"')
})

test('ignores the folders of the kinds, and extensions', () => {
  expect(chosen('test')).toEqual({ rules: ['scripts/test.test.mjs'] })
  expect(() => chosen('walls')).toThrow('"walls"')
})

test('selects each file once if several words match', () => {
  expect(chosen('users', 'accounts', 'user')).toEqual({
    sqlite: ['server/test/accounts.test.ts', 'server/test/users.test.ts'],
    e2e: ['e2e/accounts.e2e.ts'],
  })
})

test('rejects a word without a match, even beside a word with one', () => {
  expect(() => chosen('users', 'carriers')).toThrow('No test file or folder is called "carriers".')
})

test('requires a build for tests of the built server', () => {
  const wants = selectFiles(['accounts', 'stop'], listTestFiles(root)).map(({ kind, wantsBuild }) => [kind, wantsBuild])
  expect(wants).toEqual([
    ['sqlite', false],
    ['built', true],
    ['e2e', true],
  ])
})

test('selects the tool for each kind', () => {
  const [api, browser] = selectFiles(['accounts'], listTestFiles(root)).map(toolFor)
  expect(api).toEqual(['vitest', 'run', '--project', 'sqlite', 'server/test/accounts.test.ts'])
  expect(browser).toEqual(['playwright', 'test', '-c', 'e2e/playwright.config.ts', 'e2e/accounts.e2e.ts'])
})

test('knows the folders of this checkout', () => {
  for (const [kind, files] of listTestFiles(repositoryRoot)) {
    expect([kind, files.length > 0]).toEqual([kind, true])
    for (const file of files) expect(existsSync(join(repositoryRoot, file))).toBe(true)
  }
})
