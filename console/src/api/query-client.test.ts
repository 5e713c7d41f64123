import { expect, test } from 'vitest'
import { shareData } from './query-client.ts'
import { recordVersions } from './record-versions.ts'

const read = (body: object, version: string): object => {
  recordVersions.set(body, version)
  return body
}

test('queries share unchanged parts of data, and keep the version of each record', () => {
  const first = read({ hook: { url: 'u' }, status: 'a' }, '"1"')
  const shared = shareData(first, read({ hook: { url: 'u' }, status: 'b' }, '"1"')) as { hook: object; status: string }
  expect(shared.hook).toBe(Reflect.get(first, 'hook'))
  expect([shared.status, recordVersions.get(shared)]).toEqual(['b', '"1"'])
  const list = [{ name: 'a' }]
  expect(shareData(list, [{ name: 'a' }])).toBe(list)
  expect(shareData(undefined, 'a text')).toBe('a text')
})

test('a record with another version is new as a whole, also if nothing else differs', () => {
  const first = read({ name: 'a', password: 'XXXX' }, '"1"')
  const second = read({ name: 'a', password: 'XXXX' }, '"2"')
  expect(shareData(first, second)).toBe(second)
  expect(recordVersions.get(first)).toBe('"1"')
})
