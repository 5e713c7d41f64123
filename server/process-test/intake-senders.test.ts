import { once } from 'node:events'
import { connect } from 'node:net'
import { enter } from '@patchbay/testkit/crash/crash-rounds'
import { callApi } from '@patchbay/testkit/crash/durability-ledger'
import { hepAgent, hepPacket } from '@patchbay/testkit/peers/hep'
import { freePort } from '@patchbay/testkit/servers/ports'
import { startServer } from '@patchbay/testkit/servers/server-process'
import { expect, test } from 'vitest'

/** A sender that is not listed is counted in the metrics, and named in the system status. */

interface Component {
  id: string
  state: string
  detail: string
  parts: { name: string; detail: string }[]
}

const payload = Buffer.from('INVITE sip:a@host SIP/2.0\r\nCall-ID: a@host\r\nCSeq: 1 INVITE\r\n\r\n')
const addresses = { source: '10.0.0.1', sourcePort: 5060, destination: '10.0.0.2', destinationPort: 5060 }
const packet = hepPacket({ ...addresses, payload, key: 'a key that nobody configured' })

test('the system status names the senders that are not listed, and the metrics count them', async () => {
  const metricsPort = await freePort()
  const server = await startServer({
    INTAKE_HEP_SENDERS: '192.0.2.0/24',
    INTAKE_INFLUX_SENDERS: '192.0.2.7',
    METRICS_PORT: `${metricsPort}`,
  })
  const agent = hepAgent(server.hepPort)
  try {
    const target = await enter(server)
    await agent.send(packet)
    const stream = connect(server.hepPort, '127.0.0.1')
    await once(stream.resume(), 'close')
    const body = 'cdrs,account_sid=A,answered=true call_sid="a",duration=4'
    const written = await fetch(`http://127.0.0.1:${server.intakePort}/write?db=cdrs`, { method: 'POST', body })
    expect(written.status).toBe(403)

    const readMetrics = async () => (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text()
    await expect
      .poll(readMetrics)
      .toMatch(/^patchbay_intake_records_rejected_total\{data="sip_messages",reason="unknown_sender"\} 2$/m)
    expect(await readMetrics()).toMatch(
      /^patchbay_intake_requests_rejected_total\{intake="influx",reason="unknown_sender"\} 1$/m,
    )

    const readComponents = async () => {
      const { body: status } = await callApi(target, target.session, 'GET', '/patchbay/system-status')
      return (status as { components: Component[] }).components
    }
    const components = await readComponents()
    expect(components.find(({ id }) => id === 'captures')).toMatchObject({
      state: 'warning',
      detail:
        `Port ${server.hepPort} receives captured SIP. Nothing has arrived yet. ` +
        'Data of 127.0.0.1 is rejected, because INTAKE_HEP_SENDERS does not list the address.',
      parts: [{ name: '127.0.0.1', detail: 'Rejected 2 times: INTAKE_HEP_SENDERS does not list the address.' }],
    })
    expect(components.find(({ id }) => id === 'calls')).toMatchObject({
      state: 'warning',
      parts: [{ name: '127.0.0.1', detail: 'Rejected 1 time: INTAKE_INFLUX_SENDERS does not list the address.' }],
    })
    expect(components.find(({ id }) => id === 'traces')).toMatchObject({ state: 'unknown', parts: [] })
  } finally {
    agent.stop()
    await server.stop()
  }
})
