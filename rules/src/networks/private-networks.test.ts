import { expect, test } from 'vitest'
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
