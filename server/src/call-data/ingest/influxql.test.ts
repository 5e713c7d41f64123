import { growth } from '@patchbay/testkit/complexity-ratio'
import { expect, test } from 'vitest'
import { executeQuery } from './influxql.ts'

const ask = (query: string, databaseNames: readonly string[] = ['cdrs']) => {
  const databases = new Set(databaseNames)
  return { ...executeQuery(query, databases), databases: [...databases] }
}
const listed = (...names: string[]) => [{ name: 'databases', columns: ['name'], values: names.map((name) => [name]) }]

test.each(['SHOW DATABASES', 'show databases', '  Show\n\tDatabases ; ', 'show databases;;'])(
  '%j lists the names',
  (query) => {
    expect(ask(query)).toMatchObject({ ok: true, result: { results: [{ statement_id: 0, series: listed('cdrs') }] } })
  },
)

test.each([
  ['CREATE DATABASE "alerts"', 'alerts'],
  ['create database alerts', 'alerts'],
  ['create database "my \\"own\\", b; c"', 'my "own", b; c'],
  ['CREATE DATABASE x WITH DURATION 3d\nREPLICATION 1 NAME "p"', 'x'],
  ['CREATE DATABASE "with" with duration inf', 'with'],
])('%j creates the database %s', (query, name) => {
  expect(ask(query)).toEqual({
    ok: true,
    result: { results: [{ statement_id: 0 }] },
    databases: ['cdrs', name],
  })
})

test('returns the results of several statements in order', () => {
  expect(ask('create database "a;b"; show databases')).toMatchObject({
    result: { results: [{ statement_id: 0 }, { statement_id: 1, series: listed('cdrs', 'a;b') }] },
  })
})

test.each(['show retention policies', 'SHOW RETENTION POLICIES ON "cdrs"'])('%s lists the default policy', (query) => {
  const values = [['autogen', '0s', '168h0m0s', 1, true]]
  expect(ask(query)).toMatchObject({ result: { results: [{ statement_id: 0, series: [{ values }] }] } })
})

test.each([
  'SELECT * FROM cdrs',
  'DROP DATABASE cdrs',
  'create database',
  'create database ""',
  'create database "open',
  'create database a b',
  `create database ${'a'.repeat(300)}`,
  `create database "${'a'.repeat(300)}"`,
  'show databases please',
  'show retention policies on',
  'create database x; drop database cdrs',
])('%j is rejected without side effects', (query) => {
  const outcome = ask(query)
  expect(outcome).toMatchObject({ ok: false, error: expect.stringMatching(/^error parsing query: /) })
  expect(outcome.databases).toEqual(['cdrs'])
})

test.each(['', ' ; '])('%j is rejected as an empty query', (query) => {
  expect(ask(query)).toMatchObject({ ok: false, error: 'missing required parameter "q"' })
})

test('limits the number of stored names but still lists them', () => {
  const databases = new Set(Array.from({ length: 1000 }, (_, at) => `d${at}`))
  expect(executeQuery('create database one_more', databases).ok).toBe(true)
  expect(databases.size).toBe(1000)
  expect(executeQuery('show databases', databases).ok).toBe(true)
})

test.each([
  ['escaped quotes', (size: number) => `"${'\\"'.repeat(size / 2)}`],
  ['blanks', (size: number) => `show retention policies on${' '.repeat(size)}\n`],
  ['quotes', (size: number) => '"'.repeat(size)],
])('takes linear time: %s', (_name, query) => {
  expect(growth(query, 160_000, (text) => ask(text))).toBeLessThan(64)
})
