import { enter } from '@patchbay/testkit/crash/crash-rounds'
import { callApi, type Target } from '@patchbay/testkit/crash/durability-ledger'
import { type Kamailio, type Rtpengine, startKamailio, startRtpengine } from '@patchbay/testkit/peers/capture-agents'
import { createNetworkNamespace, type NetworkNamespace } from '@patchbay/testkit/servers/network-namespace'
import { freePort, freeUdpAndTcpPort } from '@patchbay/testkit/servers/ports'
import { type RunningServer, startServer } from '@patchbay/testkit/servers/server-process'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'

/**
 * Real capture agents on another machine: Kamailio's siptrace and rtpengine's `--homer` send HEP from a network
 * namespace to a server that listens beyond loopback.
 */

const canRun = process.env['KAMAILIO_PATH'] !== undefined && process.env['RTPENGINE_PATH'] !== undefined

let namespace: NetworkNamespace
beforeAll(() => {
  if (canRun) namespace = createNetworkNamespace()
})
afterAll(() => {
  if (canRun) namespace.remove()
})

const cleanUp: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const stop of cleanUp.splice(0).toReversed()) await stop()
})

interface Installation {
  target: Target
  server: RunningServer
  port: number
  /** Returns the value of a counter, or 0 if it does not exist yet. */
  readCounter(name: string): Promise<number>
}

/** Starts a server that listens on all addresses of IPv4 and IPv6. */
const startInstallation = async (settings: NodeJS.ProcessEnv): Promise<Installation> => {
  const [port, metricsPort] = await Promise.all([freeUdpAndTcpPort(), freePort()])
  const server = await startServer({ INTAKE_HEP: `[::]:${port}`, METRICS_PORT: `${metricsPort}`, ...settings })
  cleanUp.push(() => server.stop())
  const readCounter = async (name: string): Promise<number> => {
    const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text()
    const line = text.split('\n').find((each) => each.startsWith(`${name} `))
    return Number(line?.slice(name.length + 1) ?? 0)
  }
  return { target: await enter(server), server, port, readCounter }
}

const rejectedSip = (reason: string) => `patchbay_intake_records_rejected_total{data="sip_messages",reason="${reason}"}`
const storedSip = 'patchbay_intake_records_total{data="sip_messages"}'

const useKamailio = async (...args: Parameters<typeof startKamailio>): Promise<Kamailio> => {
  const kamailio = await startKamailio(...args)
  cleanUp.push(() => kamailio.stop())
  return kamailio
}

const useRtpengine = async (...args: Parameters<typeof startRtpengine>): Promise<Rtpengine> => {
  const rtpengine = await startRtpengine(...args)
  cleanUp.push(() => rtpengine.stop())
  return rtpengine
}

/** Sends reports of a call, as phones do all the time, until the counter says that one has arrived. */
const untilReported = async (rtpengine: Rtpengine, count: () => Promise<number>): Promise<void> => {
  const sendReport = await rtpengine.call('reported')
  const sendAndCount = async () => {
    await sendReport()
    return count()
  }
  await expect.poll(sendAndCount).toBeGreaterThanOrEqual(1)
}

/** Stores the record of a call, which gives its account access to the captured SIP. */
const storeCallRecord = async ({ target, server }: Installation, callId: string): Promise<string> => {
  const accounts = await callApi(target, target.session, 'GET', '/Accounts')
  const [{ account_sid = '' } = {}] = accounts.body as { account_sid?: string }[]
  const time = BigInt(Date.now()) * 1_000_000n
  const body = `cdrs,account_sid=${account_sid},answered=false,direction=inbound call_sid="${callId}",sip_callid="${callId}",duration=0 ${time}`
  const written = await fetch(`http://127.0.0.1:${server.intakePort}/write?db=cdrs`, { method: 'POST', body })
  expect(written.status).toBe(204)
  return account_sid
}

const readMessages = async ({ target }: Installation, account_sid: string, callId: string) => {
  const { body } = await callApi(target, target.session, 'GET', `/Accounts/${account_sid}/RecentCalls/${callId}`)
  return (body as { data?: { messages: { method: string; srcIp: string; dstIp: string }[] } }).data?.messages ?? []
}

const readCaptures = async ({ target }: Installation) => {
  const { body } = await callApi(target, target.session, 'GET', '/patchbay/system-status')
  const { components } = body as {
    components: { id: string; state: string; detail: string; parts: { name: string; detail: string }[] }[]
  }
  return components.find(({ id }) => id === 'captures')
}

describe.skipIf(!canRun)('senders on another machine', () => {
  describe.each(['udp', 'tcp'] as const)('over %s', (protocol) => {
    test.each(['ipv4', 'ipv6'] as const)(
      'a listed Kamailio gets its SIP into the ladder of the call without a key (%s)',
      async (version) => {
        const installation = await startInstallation({ INTAKE_HEP_SENDERS: namespace.address[version] })
        const { port, readCounter } = installation
        const kamailio = await useKamailio(namespace, { host: namespace.ownAddress[version], port, protocol })
        const callId = `siptrace-${protocol}-${version}`
        await kamailio.call(callId)
        await expect.poll(() => readCounter(storedSip)).toBe(2)
        const account_sid = await storeCallRecord(installation, callId)
        const [agent, own] = [namespace.address[version], namespace.ownAddress[version]]
        await expect
          .poll(() => readMessages(installation, account_sid, callId))
          .toMatchObject([
            { method: 'INVITE', srcIp: own, dstIp: agent },
            { method: '486', srcIp: agent, dstIp: own },
          ])
        expect(await readCounter(rejectedSip('unknown_sender'))).toBe(0)
      },
    )

    test('the RTCP of a listed rtpengine is received and ignored, not rejected', async () => {
      const { port, readCounter } = await startInstallation({ INTAKE_HEP_SENDERS: `${namespace.address.ipv4}/32` })
      const rtpengine = await useRtpengine(namespace, { host: namespace.ownAddress.ipv4, port, protocol })
      await untilReported(rtpengine, () => readCounter(rejectedSip('other_protocol')))
      for (const reason of ['unknown_sender', 'not_allowed', 'invalid'])
        expect([reason, await readCounter(rejectedSip(reason))]).toEqual([reason, 0])
    })

    test('senders that are not listed are rejected and named in the system status', async () => {
      const installation = await startInstallation({ INTAKE_HEP_SENDERS: '192.0.2.0/24,fd00::/16' })
      const { port, readCounter } = installation
      const destination = { host: namespace.ownAddress.ipv4, port, protocol }
      const kamailio = await useKamailio(namespace, destination)
      const rtpengine = await useRtpengine(namespace, destination)
      await kamailio.call('not-listed')
      await expect.poll(() => readCounter(rejectedSip('unknown_sender'))).toBeGreaterThanOrEqual(1)
      const before = await readCounter(rejectedSip('unknown_sender'))
      await untilReported(rtpengine, async () => (await readCounter(rejectedSip('unknown_sender'))) - before)
      expect(await readCaptures(installation)).toMatchObject({
        state: 'warning',
        detail: `Port ${port} receives captured SIP. Nothing has arrived yet. Data of ${namespace.address.ipv4} is rejected, because INTAKE_HEP_SENDERS does not list the address.`,
        parts: [{ name: namespace.address.ipv4 }],
      })
      expect(await readCounter(storedSip)).toBe(0)
    })

    test('with a key, Kamailio sends it, and rtpengine is rejected because it cannot', async () => {
      const credentials = { INTAKE_USERNAME: 'platform', INTAKE_PASSWORD: 'the-key-of-agents' }
      const installation = await startInstallation(credentials)
      const { port, readCounter } = installation
      const destination = { host: namespace.ownAddress.ipv4, port, protocol }
      const kamailio = await useKamailio(namespace, destination, 'the-key-of-agents')
      await kamailio.call('with-key')
      await expect.poll(() => readCounter(storedSip)).toBe(2)
      const rtpengine = await useRtpengine(namespace, destination)
      await untilReported(rtpengine, () => readCounter(rejectedSip('not_allowed')))
      expect((await readCaptures(installation))?.parts).toMatchObject([
        {
          name: namespace.address.ipv4,
          detail: expect.stringMatching(
            /^Rejected \d+ times?: it did not send INTAKE_PASSWORD as the HEP authentication key, and INTAKE_HEP_SENDERS does not list the address\.$/,
          ) as string,
        },
      ])
    })
  })
})
