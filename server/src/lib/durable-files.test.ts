import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import type * as FileSystem from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { moveToNewName } from './durable-files.ts'

const fileSystem = vi.hoisted(() => ({ hasLinks: true }))
vi.mock('node:fs/promises', async (importOriginal) => {
  const original = await importOriginal<typeof FileSystem>()
  const link: typeof original.link = (from, to) =>
    fileSystem.hasLinks
      ? original.link(from, to)
      : Promise.reject(Object.assign(new Error('operation not permitted'), { code: 'EPERM' }))
  return { ...original, link }
})

const folder = mkdtempSync(join(tmpdir(), 'patchbay-files-'))
afterAll(() => rmSync(folder, { recursive: true }))

describe.each([
  ['with links', true],
  ['without links', false],
])('on a file system %s', (_name, hasLinks) => {
  beforeEach(() => {
    fileSystem.hasLinks = hasLinks
  })

  test('a file is moved to a new name', async () => {
    const [from, to] = [join(folder, 'from'), join(folder, `moved ${hasLinks}`)]
    writeFileSync(from, 'content')
    await moveToNewName(from, to)
    expect([existsSync(from), readFileSync(to, 'utf8')]).toEqual([false, 'content'])
  })

  test('an existing file is not replaced', async () => {
    const [from, to] = [join(folder, 'from'), join(folder, `existing ${hasLinks}`)]
    writeFileSync(from, 'content')
    writeFileSync(to, 'existing')
    await expect(moveToNewName(from, to)).rejects.toMatchObject({ code: 'EEXIST' })
    expect([existsSync(from), readFileSync(to, 'utf8')]).toEqual([true, 'existing'])
  })
})
