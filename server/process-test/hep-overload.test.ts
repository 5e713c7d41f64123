import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setImmediate as othersFirst } from 'node:timers/promises'
import { peakMemory } from '@patchbay/testkit/peak-memory'
import { hepAgent, hepPacket } from '@patchbay/testkit/peers/hep'
import { startServer } from '@patchbay/testkit/servers/server-process'
import { expect, test } from 'vitest'

const batchSize = 100

const invite = (callid: string, filling = 0): Buffer => {
  const head = [
    'INVITE sip:1@10.0.0.5 SIP/2.0',
    `Call-ID: ${callid}`,
    'CSeq: 1 INVITE',
    `Subject: ${'x'.repeat(filling)}`,
  ]
  const ends = { source: '3.3.3.3', sourcePort: 5060, destination: '10.0.0.5', destinationPort: 5060 }
  return hepPacket({ ...ends, payload: Buffer.from(`${head.join('\r\n')}\r\n\r\n`) })
}

const floods = [
  { name: 'a hundred thousand messages', count: 100_000, packet: () => invite(randomUUID(), 300) },
  { name: 'ten thousand messages of 50 kB', count: 10_000, packet: () => invite(randomUUID(), 50_000) },
  { name: 'a hundred thousand packets of nonsense', count: 100_000, packet: () => Buffer.from(`HEP3${randomUUID()}`) },
]

test.each(floods)(
  '$name take no more memory than there is, and the server answers meanwhile',
  async ({ count, packet }) => {
    const server = await startServer()
    const agent = hepAgent(server.hepPort)
    const database = new DatabaseSync(join(server.dataDir, 'patchbay.sqlite'), { timeout: 10_000, readOnly: true })
    try {
      let answered = 0
      let longest = 0
      const flooding = new AbortController()
      const asking = (async () => {
        while (!flooding.signal.aborted) {
          const from = performance.now()
          const answer = await fetch(`${server.url}/health`)
          expect(answer.status).toBe(200)
          answered += 1
          longest = Math.max(longest, performance.now() - from)
        }
      })()
      for (let packetCount = 0; packetCount < count; packetCount += batchSize) {
        await Promise.all(Array.from({ length: batchSize }, () => agent.send(packet())))
        // The polling also runs in this process.
        await othersFirst()
      }
      flooding.abort()
      await asking
      expect(answered).toBeGreaterThan(10)
      expect(longest).toBeLessThan(5000)
      expect(peakMemory(server.pid)).toBeLessThan(300)
      // Later packets are stored again.
      const last = randomUUID()
      const isStored = () =>
        database.prepare('SELECT 1 FROM patchbay_sip_messages WHERE sip_callid = ?').get(last) !== undefined
      await expect
        .poll(async () => {
          await agent.send(invite(last))
          return isStored()
        })
        .toBe(true)
    } finally {
      agent.stop()
      database.close()
      await server.stop()
    }
  },
)
