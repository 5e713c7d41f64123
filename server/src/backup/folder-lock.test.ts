import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { lockFolder } from './folder-lock.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'patchbay-lock-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

test('a folder has one lock, which can be taken again after its release', () => {
  const release = lockFolder(folder)
  expect(release).toBeTypeOf('function')
  expect(lockFolder(folder)).toBeUndefined()
  release?.()
  const again = lockFolder(folder)
  expect(again).toBeTypeOf('function')
  again?.()
})

test('a new folder with the same name has a lock of its own', () => {
  const release = lockFolder(folder)
  rmSync(folder, { recursive: true })
  expect(lockFolder(folder)).toBeUndefined()
  mkdirSync(folder)
  const other = lockFolder(folder)
  expect(other).toBeTypeOf('function')
  other?.()
  release?.()
})
