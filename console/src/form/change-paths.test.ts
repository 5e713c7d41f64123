import { expect, test } from 'vitest'
import { findChangedPaths } from './change-paths.ts'

const stored = {
  name: 'Cobalt',
  hook: { url: 'https://example.com', method: 'POST' },
  gateways: [
    { ipv4: '10.0.0.1', port: '5060' },
    { ipv4: '10.0.0.2', port: '5060' },
  ],
}

test('returns the paths of changed fields, also in objects and rows', () => {
  expect(findChangedPaths(stored, structuredClone(stored))).toEqual([])
  const [first, second] = stored.gateways
  const now = {
    ...stored,
    name: 'Nickel',
    hook: { ...stored.hook, method: 'GET' },
    gateways: [first, { ...second, port: '' }],
  }
  expect(findChangedPaths(now, stored)).toEqual(['name', 'hook.method', 'gateways.1.port'])
})

test('returns the path of a row that was added or removed', () => {
  const added = { ...stored, gateways: [...stored.gateways, { ipv4: '', port: '' }] }
  expect(findChangedPaths(added, stored)).toEqual(['gateways.2'])
  expect(findChangedPaths(stored, added)).toEqual(['gateways.2'])
})
