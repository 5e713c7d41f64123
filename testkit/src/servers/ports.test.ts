import { expect, test } from 'vitest'
import { freePort, freeRestartPort, freeUdpAndTcpPort, freeUdpPort } from './ports.ts'

test('no port is returned twice, even if no server has listened on it yet', async () => {
  const kinds = [freePort, freeUdpPort, freeUdpAndTcpPort, freeRestartPort]
  const ports = await Promise.all(kinds.flatMap((pick) => Array.from({ length: 300 }, pick)))
  expect(new Set(ports).size).toBe(ports.length)
})
