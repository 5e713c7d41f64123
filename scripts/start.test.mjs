import { existsSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { buildIfNeeded, installIfNeeded, needsBuild, needsInstall, nodeComplaint, npmCommand } from './start.mjs'

let root

function write(path, text = '') {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), text)
}

const npmCi = async () => mkdirSync(join(root, 'node_modules'), { recursive: true })

const npmBuild = async () => {
  write('server/dist/main.mjs')
  write('console/dist/index.html')
}

const npmFails = async () => {
  throw new Error('npm failed')
}

beforeEach(() => {
  vi.spyOn(console, 'log').mockReturnValue()
  root = mkdtempSync(join(tmpdir(), 'patchbay-start-'))
  write('package-lock.json', '{}')
  write('server/src/main.ts', 'listen()')
})

afterEach(() => {
  vi.restoreAllMocks()
  rmSync(root, { recursive: true })
})

test('an old Node is named, a new one is not', () => {
  expect(nodeComplaint('18.20.4')).toContain('18.20.4')
  expect(nodeComplaint('20.10.0')).toContain('20.11')
  expect(nodeComplaint('20.11.0')).toBeUndefined()
  expect(nodeComplaint('22.0.0')).toBeUndefined()
})

test('the npm that started us is used again, another package manager is not', () => {
  expect(npmCommand({ npm_execpath: '/lib/npm-cli.js' })).toEqual([process.execPath, '/lib/npm-cli.js'])
  expect(npmCommand({ npm_execpath: '/lib/pnpm.cjs' })).toEqual(['npm'])
  expect(npmCommand({})).toEqual(['npm'])
})

describe('install', () => {
  test('once, and again when the lock file changed', async () => {
    expect(await installIfNeeded(root, npmCi)).toBe(true)
    expect(await installIfNeeded(root, npmCi)).toBe(false)
    write('package-lock.json', '{"changed":true}')
    expect(await installIfNeeded(root, npmCi)).toBe(true)
  })

  test('again when node_modules is gone', async () => {
    await installIfNeeded(root, npmCi)
    rmSync(join(root, 'node_modules'), { recursive: true })
    expect(needsInstall(root)).toBe(true)
  })

  test('again when it failed half-way, even over an earlier good one', async () => {
    await installIfNeeded(root, npmCi)
    write('package-lock.json', '{"changed":true}')
    await expect(installIfNeeded(root, npmFails)).rejects.toThrow('npm failed')
    write('package-lock.json', '{}')
    expect(needsInstall(root)).toBe(true)
  })
})

describe('build', () => {
  test('once, and nothing on a warm start', async () => {
    expect(await buildIfNeeded(root, npmBuild)).toBe(true)
    expect(await buildIfNeeded(root, npmBuild)).toBe(false)
  })

  test.each([
    ['a source is edited', () => write('server/src/main.ts', 'listen(3000)')],
    ['a source is touched', () => utimesSync(join(root, 'server/src/main.ts'), 1, 1)],
    ['a source is added', () => write('contract/src/rules/new.ts')],
    ['a source is removed', () => rmSync(join(root, 'server/src/main.ts'))],
    ['the lock file changes', () => write('package-lock.json', '{"changed":true}')],
    ['the console build is gone', () => rmSync(join(root, 'console/dist'), { recursive: true })],
  ])('again when %s', async (_, change) => {
    await buildIfNeeded(root, npmBuild)
    change()
    expect(needsBuild(root)).toBe(true)
  })

  test('again when a file was saved while it ran', async () => {
    await buildIfNeeded(root, async () => {
      await npmBuild()
      write('server/src/main.ts', 'saved meanwhile')
    })
    expect(needsBuild(root)).toBe(true)
  })

  test('again when it failed half-way', async () => {
    await expect(buildIfNeeded(root, npmFails)).rejects.toThrow('npm failed')
    expect(needsBuild(root)).toBe(true)
  })

  test('is no success when it leaves nothing to run', async () => {
    await expect(buildIfNeeded(root, async () => {})).rejects.toThrow('server/dist/main.mjs')
    expect(existsSync(join(root, 'server/dist/.built'))).toBe(false)
  })
})
