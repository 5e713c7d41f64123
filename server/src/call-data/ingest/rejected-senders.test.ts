import { expect, test } from 'vitest'
import { createRejectedSenders } from './rejected-senders.ts'

test('counts the rejections of an address, with the latest reason, and lists the latest address first', () => {
  let time = 0
  const { add, list } = createRejectedSenders(20, () => time)
  add('10.0.0.5', 'not_listed')
  time = 1
  add('fd00::1', 'no_credentials')
  time = 2
  add('::ffff:10.0.0.5', 'wrong_credentials')
  expect(list()).toEqual([
    { address: '10.0.0.5', reason: 'wrong_credentials', count: 2, lastAt: 2 },
    { address: 'fd00::1', reason: 'no_credentials', count: 1, lastAt: 1 },
  ])
})

test('a flood of forged addresses needs limited memory and does not hide a sender that repeats', () => {
  const { add, list } = createRejectedSenders(20)
  for (let index = 0; index < 10_000; index += 1) {
    if (index % 100 === 0) add('192.0.2.7', 'not_listed')
    if (index % 100 === 0) add('192.0.2.7', 'not_listed')
    add(`10.0.${index >> 8}.${index & 255}`, 'not_listed')
  }
  expect(list()).toHaveLength(20)
  expect(list().find(({ address }) => address === '192.0.2.7')?.count).toBe(200)
})
