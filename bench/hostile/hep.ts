import { randomUUID } from 'node:crypto'
import { deflateSync } from 'node:zlib'
import { hepAgent, hepChunk, hepPacket, toHepPacket } from '@patchbay/testkit/peers/hep'
import { type Scenario, wait } from './scenario.ts'

/** Captured SIP that is expensive to parse, zlib bombs, and packets with wrong lengths. */

const headerBytes = 31_000
const burstPackets = 50
const burstIntervalMs = 50

const invite = (...lines: readonly string[]): Buffer =>
  Buffer.from(['INVITE sip:x SIP/2.0', `Call-ID: ${randomUUID()}`, ...lines, '', ''].join('\r\n'))

const packet = (payload: Buffer, isCompressed = false): Buffer =>
  hepPacket({
    source: '192.0.2.1',
    sourcePort: 5060,
    destination: '192.0.2.2',
    destinationPort: 5060,
    payload,
    isCompressed,
  })

const fill = (text: string, bytes = headerBytes): string => text.repeat(Math.floor(bytes / text.length))

/** Values on which backtracking expressions take quadratic time. */
const headers = (): Buffer[] =>
  [
    `From: ${fill('"\\')}`,
    `To: ${fill('<')}`,
    `From: ${fill('\r\n ')}x`,
    `Reason: x${fill(' ')}x`,
    fill(':\r\n'),
    `Via: ${fill('a')}`,
    `Contact: ${fill('<sip:')}`,
  ].map((line) => packet(invite(line)))

const bombs = (): Buffer[] => [
  packet(deflateSync(Buffer.alloc(50 * 1024 * 1024)), true),
  packet(deflateSync(invite(`From: ${fill('"\\', 60_000)}`)), true),
  packet(deflateSync(invite(`Reason: x${fill(' ', 60_000)}x`)), true),
]

const withLength = (bytes: Buffer, at: number, length: number): Buffer => {
  const changed = Buffer.from(bytes)
  changed.writeUInt16BE(length, at)
  return changed
}

const wrongLengths = (): Buffer[] => {
  const usual = packet(invite())
  return [
    withLength(usual, 4, 65_535),
    withLength(usual, 4, 0),
    withLength(usual, 10, 65_535),
    withLength(usual, 10, 0),
    toHepPacket(Array.from({ length: 5000 }, () => hepChunk(0x0f, Buffer.alloc(0)))),
  ]
}

const scenario = (name: string, makePackets: () => Buffer[]): Scenario => ({
  name: `hostile HEP: ${name}`,
  async prepare({ server }) {
    const agent = hepAgent(server.hepPort)
    const pool = Array.from({ length: 5 }, makePackets).flat()
    return {
      async run(signal) {
        let packets = 0
        while (!signal.aborted) {
          for (let count = 0; count < burstPackets; count += 1)
            await agent.send(pool[packets++ % pool.length] ?? Buffer.alloc(0))
          await wait(burstIntervalMs, signal)
        }
        return `${packets} packets`
      },
      stop: () => agent.stop(),
    }
  },
})

export const hepScenarios: readonly Scenario[] = [
  scenario('headers of 31 kB', headers),
  scenario('compressed bombs', bombs),
  scenario('wrong lengths', wrongLengths),
]
