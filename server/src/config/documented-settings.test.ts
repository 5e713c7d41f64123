import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { secretNames, settingNames } from './configuration.ts'

const reference = fileURLToPath(new URL('../../../docs/reference/configuration.md', import.meta.url))
const secretsReference = fileURLToPath(new URL('../../../docs/reference/secrets.md', import.meta.url))

test('the configuration reference lists every setting, and no others', () => {
  const rows = readFileSync(reference, 'utf8').match(/^\| `.*?(?= \|)/gm) ?? []
  const documented = rows.flatMap((row) => [...row.matchAll(/`([A-Z][A-Z0-9_]*)`/g)].map(([, name]) => name))
  expect(new Set(documented)).toEqual(new Set(settingNames))
})

test('the configuration reference lists every secret that a file can contain', () => {
  const [, list = ''] = /These settings are secrets: ([^.]*)\./.exec(readFileSync(reference, 'utf8')) ?? []
  expect([...list.matchAll(/`([A-Z0-9_]+)`/g)].map(([, name]) => name)).toEqual(secretNames)
})

test('the reference of secrets says of every secret what it protects', () => {
  const rows = readFileSync(secretsReference, 'utf8').match(/^\| `.*?(?= \|)/gm) ?? []
  const documented = rows.flatMap((row) => [...row.matchAll(/`([A-Z][A-Z0-9_]*)`/g)].map(([, name]) => name))
  expect(secretNames.filter((name) => !documented.includes(name))).toEqual([])
  const unknown = documented.filter((name) => name !== undefined && !settingNames.includes(name) && name !== 'DATA_DIR')
  expect(unknown).toEqual([])
})
