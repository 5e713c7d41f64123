import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { repositoryRoot } from '../run/ensure-node.mjs'
import { toCommand } from './gates.mjs'
import { listTestFiles, selectFiles, toFileSteps } from './select-test-files.mjs'

let root

const present = [
  'rules/src/rules.test.ts',
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
  'console/src/screens/ms-teams-tenants/form.test.ts',
  'deploy/test/compose.test.ts',
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

test('selects all files of a folder by a word in its name', () => {
  expect(chosen('security')).toEqual({ sqlite: ['server/test/security/sign-in.test.ts'] })
  expect(chosen('teams')).toEqual({ rules: ['console/src/screens/ms-teams-tenants/form.test.ts'] })
  expect(chosen('compose')).toEqual({ rules: ['deploy/test/compose.test.ts'] })
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

test('runs each kind with its tool, and builds first if a test needs the built server', () => {
  const getSteps = (...names) => toFileSteps(selectFiles(names, listTestFiles(root)))
  expect(getSteps('tokens').map(([{ gate }]) => gate)).toEqual(['rules'])
  const [[build], [api], [browser]] = getSteps('accounts')
  expect(build).toEqual({ gate: 'build' })
  expect(toCommand(api)).toEqual({ tool: ['vitest', 'run', '--project', 'sqlite', 'server/test/accounts.test.ts'] })
  expect(toCommand(browser)).toEqual({
    tool: ['playwright', 'test', '-c', 'e2e/playwright.config.ts', 'e2e/accounts.e2e.ts'],
  })
  // Files that are chosen by name run all of their cases.
  expect(api).toMatchObject({ env: { TEST_TIER: 'all' }, needs: [] })
  expect(browser).toMatchObject({ env: { TEST_TIER: 'all' }, needs: ['build'] })
})

test('knows the folders of this checkout', () => {
  for (const [kind, files] of listTestFiles(repositoryRoot)) {
    expect([kind, files.length > 0]).toEqual([kind, true])
    for (const file of files) expect(existsSync(join(repositoryRoot, file))).toBe(true)
  }
})
