import { randomUUID } from 'node:crypto'
import { analyzeCaptures } from '@patchbay/rules/sip/findings/findings'
import { createHepIntake } from '@patchbay/server/call-data/ingest/hep-ingest'
import {
  type CallFlow,
  findDeviations,
  findMissingEvidence,
  ipProtocols,
  judgeFlow,
  readCallFlows,
  startOfFlows,
} from '@patchbay/testkit/calls/call-flows'
import { hepAgent, hepPacket } from '@patchbay/testkit/peers/hep'
import { createTestApi, member, type TestApi } from '@patchbay/testkit/test-api'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { callRecord, getRow } from './fixtures.ts'

/** The corpus of call flows, from the packets of capture agents through the ingest server, the database, and the API. */

let api: TestApi
let account_sid: string

const isRegistration = ({ messages }: CallFlow): boolean => messages[0]?.text.startsWith('REGISTER ') === true

/** Stores the record of a call, or of the carrier that registers, which grants access to the messages. */
const storeOwner = async (flow: CallFlow, provider: string, time: bigint): Promise<void> => {
  if (!isRegistration(flow)) {
    for (const { callId, name } of flow.legs) {
      const parent = name === 'A' ? {} : { sip_parent_callid: flow.callId }
      await api.sinks.calls.store([callRecord(account_sid, { sip_callid: callId, time, ...parent })])
    }
    return
  }
  const carrier = await api.admin.post(`/ServiceProviders/${provider}/VoipCarriers`, {
    name: randomUUID(),
    account_sid,
  })
  await api.test.database.db
    .updateTable('voip_carriers')
    .set({ register_status: JSON.stringify({ callId: flow.callId }) })
    .where('voip_carrier_sid', '=', member(carrier, 'sid'))
    .execute()
}

const flows = readCallFlows()

beforeAll(async () => {
  api = await createTestApi()
  const provider = await api.provider()
  account_sid = await api.account(provider)
  const intake = createHepIntake({ sink: api.sinks.captures, logger: api.app.log })
  const agent = hepAgent(await intake.listen({ host: '127.0.0.1', port: 0 }))
  for (const flow of flows) {
    await storeOwner(flow, provider, BigInt(startOfFlows) * 1_000_000n)
    for (const { seconds, source, destination, transport, agent: id, text } of flow.messages)
      await agent.send(
        hepPacket({
          at: startOfFlows * 1000 + Math.round(seconds * 1e6),
          source: source.address,
          sourcePort: source.port,
          destination: destination.address,
          destinationPort: destination.port,
          transport: ipProtocols[transport],
          ...(id === undefined ? {} : { agent: id }),
          payload: Buffer.from(text),
        }),
      )
  }
  const count = flows.reduce((sum, { messages }) => sum + messages.length, 0)
  const countHandled = () => {
    const { stored, ignored } = intake.counts()
    return stored + ignored
  }
  await vi.waitUntil(() => countHandled() === count, 60_000)
  agent.stop()
  await intake.close(5000)
})
afterAll(() => api.close())

describe('a call flow that was captured has the findings and the verdict of its file', () => {
  test.each(flows.map((flow) => [flow.name, flow] as const))('%s', async (_name, flow) => {
    const captures = await Promise.all(
      flow.legs.map(async ({ name, callId }) => {
        const answer = await api.admin.get(`/Accounts/${account_sid}/RecentCalls/${encodeURIComponent(callId)}`)
        return { name, capture: getRow(answer) }
      }),
    )
    const analyzed = analyzeCaptures(captures)
    expect(findDeviations(flow, analyzed)).toEqual({ missing: [], unexpected: [] })
    expect(judgeFlow(flow, analyzed)).toBe(flow.verdict ?? judgeFlow(flow, analyzed))
    expect(findMissingEvidence(flow, analyzed)).toEqual([])
  })
})
