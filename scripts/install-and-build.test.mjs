import { existsSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { buildIfNeeded, installIfNeeded, needsBuild, needsInstall } from './install-and-build.mjs'

let root

function write(path, text = '') {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), text)
}

const npmCi = async () => mkdirSync(join(root, 'node_modules'), { recursive: true })

const fullBuild = async () => {
  write('server/dist/main.mjs')
  write('console/dist/index.html')
}

const npmFails = async () => {
  throw new Error('npm failed')
}

beforeEach(() => {
  vi.spyOn(process.stdout, 'write').mockReturnValue(true)
  root = mkdtempSync(join(tmpdir(), 'patchbay-start-'))
  write('package-lock.json', '{}')
  write('server/src/main.ts', 'listen()')
})

afterEach(() => {
  vi.restoreAllMocks()
  rmSync(root, { recursive: true })
})

describe('install', () => {
  test('once, and again when the lock file changed', async () => {
    expect(await installIfNeeded(root, 'all', npmCi)).toBe(true)
    expect(await installIfNeeded(root, 'all', npmCi)).toBe(false)
    write('package-lock.json', '{"changed":true}')
    expect(await installIfNeeded(root, 'all', npmCi)).toBe(true)
  })

  test('again when node_modules is gone', async () => {
    await installIfNeeded(root, 'all', npmCi)
    rmSync(join(root, 'node_modules'), { recursive: true })
    expect(needsInstall(root, 'all')).toBe(true)
  })

  test('again for the tests, when only what running needs is there; not the other way round', async () => {
    const asked = []
    const install = async (_, flags) => {
      asked.push(flags.join(' '))
      await npmCi()
    }
    expect(await installIfNeeded(root, 'running', install)).toBe(true)
    expect(await installIfNeeded(root, 'running', install)).toBe(false)
    expect(await installIfNeeded(root, 'all', install)).toBe(true)
    expect(await installIfNeeded(root, 'running', install)).toBe(false)
    expect(asked).toEqual([expect.stringContaining('--omit=dev'), '--include=dev'])
  })

  test('tells how it went, in a line', async () => {
    await installIfNeeded(root, 'all', npmCi)
    await expect(installIfNeeded(root, 'all', npmFails)).resolves.toBe(false)
    write('package-lock.json', '{"changed":true}')
    await expect(installIfNeeded(root, 'all', npmFails)).rejects.toThrow('npm failed')
    const told = vi
      .mocked(process.stdout.write)
      .mock.calls.map(([text]) => text)
      .join('')
    expect(told).toMatch(
      /^\r?Installing dependencies… .*done after 0 s\n\r?Installing dependencies… .*failed after 0 s\n$/s,
    )
  })

  test('again when it failed half-way, even over an earlier good one', async () => {
    await installIfNeeded(root, 'all', npmCi)
    write('package-lock.json', '{"changed":true}')
    await expect(installIfNeeded(root, 'all', npmFails)).rejects.toThrow('npm failed')
    write('package-lock.json', '{}')
    expect(needsInstall(root, 'all')).toBe(true)
  })
})

describe('build', () => {
  test('once, and nothing on a warm start', async () => {
    expect(await buildIfNeeded(root, fullBuild)).toBe(true)
    expect(await buildIfNeeded(root, fullBuild)).toBe(false)
  })

  test.each([
    ['a source is edited', () => write('server/src/main.ts', 'listen(3000)')],
    ['a source is touched', () => utimesSync(join(root, 'server/src/main.ts'), 1, 1)],
    ['a source is added', () => write('contract/src/shared/new.ts')],
    ['a source is removed', () => rmSync(join(root, 'server/src/main.ts'))],
    ['the lock file changes', () => write('package-lock.json', '{"changed":true}')],
    ['the console build is gone', () => rmSync(join(root, 'console/dist'), { recursive: true })],
  ])('again when %s', async (_, change) => {
    await buildIfNeeded(root, fullBuild)
    change()
    expect(needsBuild(root)).toBe(true)
  })

  test('again when a file was saved while it ran', async () => {
    await buildIfNeeded(root, async () => {
      await fullBuild()
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
