import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { repositoryRoot } from '../run/ensure-node.mjs'

test('contains a checksum for every package', () => {
  const { packages } = JSON.parse(readFileSync(join(repositoryRoot, 'package-lock.json'), 'utf8'))
  const installed = Object.entries(packages).filter(([path, { link }]) => path.includes('node_modules/') && !link)
  expect(installed.filter(([, { integrity }]) => !integrity?.startsWith('sha512-'))).toEqual([])
  expect(installed.length).toBeGreaterThan(100)
})

test('contains the native module of every platform, because npm ci installs nothing else', () => {
  const { packages } = JSON.parse(readFileSync(join(repositoryRoot, 'package-lock.json'), 'utf8'))
  const isLocked = (owner, name) => `node_modules/${name}` in packages || `${owner}/node_modules/${name}` in packages
  const missing = Object.entries(packages).flatMap(([owner, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies).filter((name) => !isLocked(owner, name)),
  )
  expect(missing).toEqual([])
})
