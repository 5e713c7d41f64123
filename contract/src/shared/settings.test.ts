import { expect, test } from 'vitest'
import { isQuantity, isUnlimited } from '../identity/limits.ts'
import { findInvalidPrivateNetwork, privateNetworkError } from './private-networks.ts'

test.each([
  '',
  '10.0.0.0/8',
  '10.0.0.0',
  '10.0.0.0/0',
  '255.255.255.255/32',
  '10.0.0.0/8,192.168.0.0/16,172.16.0.1',
  '10.0.0.0/8, 192.168.0.0/16',
  ' 10.0.0.0/8 ,192.168.0.0/16 ',
])('SETTINGS-11 accepts %j as a list of private networks', (list) => {
  expect(findInvalidPrivateNetwork(list)).toBeUndefined()
})

test.each([
  ['10.0.0.0/33', '10.0.0.0/33'],
  ['10.0.0.0/08', '10.0.0.0/08'],
  ['10.0.0.0/', '10.0.0.0/'],
  ['10.0.0.0/8,,', ''],
  ['10.0.0.0/8, ,192.168.0.0/16', ''],
  ['10.0.0.0/8, 192.168.0.0/33', '192.168.0.0/33'],
  ['10.0.0.0/8,fd00::/8', 'fd00::/8'],
  ['192.168.1.256', '192.168.1.256'],
  ['192.168.1', '192.168.1'],
  ['192.168.01.1', '192.168.01.1'],
  ['nonsense,10.0.0.0/33', 'nonsense'],
])('SETTINGS-11 rejects %j because of the item %j', (list, item) => {
  expect(findInvalidPrivateNetwork(list)).toBe(item)
  expect(privateNetworkError(item)).toBe(`Invalid private network CIDR "${item}"`)
})

test('PROVIDERS-08 requires a limit to be a whole number that fits the column', () => {
  for (const quantity of [0, 1, 2_147_483_647]) expect(isQuantity(quantity)).toBe(true)
  for (const quantity of [-1, 0.5, 2_147_483_648, Number.NaN, Number.POSITIVE_INFINITY])
    expect(isQuantity(quantity)).toBe(false)
})

test('PROVIDERS-10 treats a missing limit and a limit of 0 as unlimited', () => {
  expect([null, 0, 1].map(isUnlimited)).toEqual([true, true, false])
})
