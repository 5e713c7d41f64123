import { expect, test } from 'vitest'
import { createPendingConnections } from './pending-connections.ts'

const createPool = (limits: Partial<Parameters<typeof createPendingConnections>[0]> = {}) => {
  let now = 0
  const closed: string[] = []
  const pool = createPendingConnections(
    { maxPending: 4, maxPendingPerAddress: 3, busyTimeoutMs: 2000, ...limits },
    () => now,
  )
  return {
    pool,
    closed,
    add: (name: string) => pool.add(name.slice(0, 1), () => closed.push(name)),
    pass: (ms: number) => {
      now += ms
    },
  }
}

test('closes the oldest connection of an address that has too many', () => {
  const { closed, add } = createPool()
  for (const name of ['b1', 'a1', 'a2', 'a3', 'a4', 'a5']) add(name)
  expect(closed).toEqual(['a1', 'a2'])
})

test('closes the oldest connection of the busiest address if all slots are taken', () => {
  const { closed, add, pool } = createPool()
  for (const name of ['b1', 'a1', 'a2', 'c1', 'd1']) add(name)
  expect(closed).toEqual(['a1'])
  expect(pool.count()).toBe(4)
})

test('closes connections that have waited too long while more than half of the slots are taken', () => {
  const { closed, add, pass } = createPool()
  for (const name of ['a1', 'b1']) add(name)
  pass(5000)
  add('c1')
  expect(closed).toEqual([])
  add('d1')
  expect(closed).toEqual(['a1', 'b1'])
})

test('does not count a connection that was removed', () => {
  const { closed, add, pool } = createPool()
  const leave = add('a1')
  leave()
  leave()
  expect(pool.count()).toBe(0)
  for (const name of ['a2', 'a3', 'a4']) add(name)
  expect(closed).toEqual([])
})
